import Events
import Foundation
import Kernel
import Web

/// The events between what an endpoint has and what was read for it. It knows which event may be sent now,
/// and up to which number everything is done. Events of one user are sent strictly one after another.
struct DeliveryWindow {
    /// Every event up to this number is done.
    private(set) var position: Int64
    /// Every event up to this number was read.
    private(set) var readUpTo: Int64
    private var events: [Int64: Event] = [:]
    /// The events of each user, in order. The first one is ready or under way.
    private var lines: [User.ID: [Int64]] = [:]
    /// The events that may be sent, from `ready[next]` on.
    private var ready: [Int64] = []
    private var next = 0
    /// The events after the position, from `order[first]` on, and which of them are done.
    private var order: [Int64] = []
    private var first = 0
    private var done: Set<Int64> = []

    init(position: Int64) {
        (self.position, readUpTo) = (position, position)
    }

    /// How many events are after the position.
    var span: Int { order.count - first }

    var hasReady: Bool { next < ready.count }

    func holds(_ user: User.ID) -> Bool { lines[user] != nil }

    /// Adds the next event that was read.
    mutating func add(_ event: Event) {
        note(event.id)
        events[event.id] = event
        lines[event.userID, default: []].append(event.id)
        if lines[event.userID]?.count == 1 { ready.append(event.id) }
    }

    /// Passes the next event that was read, for which there is nothing to do here.
    mutating func pass(_ id: Int64) {
        note(id)
        settle([id])
    }

    private mutating func note(_ id: Int64) {
        readUpTo = id
        order.append(id)
    }

    /// Moves the position when there is nothing to do. Later events have greater numbers than the present
    /// time, so it may move to a while ago. Otherwise it would look as if old events that are no longer kept
    /// had been missed.
    mutating func rest(at now: Date) {
        let (now, day) = (now.microsecondsSince1970, 86_400_000_000 as Int64)
        guard span == 0, position < now - 2 * day else { return }
        (position, readUpTo) = (now - day, now - day)
    }

    /// Takes an event to send.
    mutating func take() -> Event? {
        while hasReady {
            let id = ready[next]
            next += 1
            if next == ready.count { (ready, next) = ([], 0) }
            if let event = events[id] { return event }
        }
        return nil
    }

    /// Takes the event to send that has the fewest objections. If there are several, it is the oldest, or the
    /// newest. A user's later events are not among them.
    /// - Parameter against: returns the weight of the objections to an event, 0 for none.
    mutating func take(newest: Bool, against: (Event) -> Int) -> Event? {
        let all = (next..<ready.count).compactMap { place in
            events[ready[place]].map { (against($0), newest ? -$0.id : $0.id, place) }
        }
        if let best = all.min(by: <) { ready.swapAt(best.2, next) }
        return take()
    }

    func hasReady(where condition: (Event) -> Bool) -> Bool {
        ready[next...].contains { events[$0].map(condition) ?? false }
    }

    /// Puts an event back, which must be sent again before all others.
    mutating func putBack(_ event: Event) {
        if next > 0 {
            next -= 1
            ready[next] = event.id
        } else {
            ready.insert(event.id, at: 0)
        }
    }

    /// Notes that an event was delivered.
    mutating func finish(_ event: Event) {
        events[event.id] = nil
        if let line = lines[event.userID], line.count > 1 {
            lines[event.userID] = Array(line.dropFirst())
            ready.append(line[1])
        } else {
            lines[event.userID] = nil
        }
        settle([event.id])
    }

    /// Removes all events of a user, in order. They are done here.
    mutating func remove(_ user: User.ID) -> [Event] {
        let removed = (lines.removeValue(forKey: user) ?? []).compactMap { events.removeValue(forKey: $0) }
        settle(removed.map(\.id))
        return removed
    }

    private mutating func settle(_ ids: [Int64]) {
        done.formUnion(ids)
        while first < order.count, done.remove(order[first]) != nil {
            position = order[first]
            first += 1
        }
        if first > 1024, first * 2 > order.count {
            order.removeFirst(first)
            first = 0
        }
    }
}
