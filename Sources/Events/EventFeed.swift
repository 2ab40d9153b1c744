import Kernel
import Synchronization
import Web

/// Wakes the waiters and followers on this server that wait for events, of all users or of one.
package final class EventFeed: Sendable {
    private struct State {
        var last: Int64?
        var isClosed = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        private var lastTicket = 0
        var followers = EventFollowers()
        /// How many followers there may be.
        var most = 5_000
        var sinceStart = Cut()

        mutating func ticket() -> Int {
            lastTicket += 1
            return lastTicket
        }

        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            defer { waiting = [:] }
            return Array(waiting.values)
        }
    }

    /// How many streams were refused or ended for lack of room, since the start.
    package struct Cut {
        var address = 0, server = 0, room = 0
    }

    private let state = Mutex(State())
    /// The most followers that one user may have.
    static let mostPerUser = 10

    /// The number given last, as far as this server knows. Nil if it does not know yet.
    package var last: Int64? { state.withLock(\.last) }

    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    var followerCount: Int { state.withLock(\.followers.count) }

    var sinceStart: Cut { state.withLock(\.sinceStart) }

    package init() {}

    /// Sets the limit. Each follower holds a connection, so half of the connections stay free for other
    /// calls.
    package func allow(connections: Int) { state.withLock { $0.most = connections / 2 } }

    /// - Parameter users: the users to whom the new events happened. Nil if that is unknown.
    func advance(to number: Int64, for users: [User.ID]?) {
        let (woken, told) = state.withLock { state in
            state.last = max(state.last ?? 0, number)
            let told = users.map { $0.flatMap(state.followers.of) } ?? state.followers.all
            return (state.takeWaiting(), told)
        }
        for one in woken { one.resume() }
        for follower in told { follower.tellNews() }
    }

    /// Wakes all followers, so that they send their clients a sign of life.
    func beat() {
        for follower in everybody { follower.tellTime() }
    }

    /// All followers.
    var everybody: [EventFollower] { state.withLock(\.followers.all) }

    /// Ends all waiting and following, because the server ends.
    func close() {
        let (woken, followers) = state.withLock { state in
            state.isClosed = true
            return (state.takeWaiting(), state.followers.all)
        }
        for one in woken { one.resume() }
        for follower in followers { follower.end() }
    }

    /// Returns once there is an event after the number, the task is cancelled, or the server ends.
    package func wait(after number: Int64) async {
        // The id is not a UUID: without free descriptors Foundation makes the same one again and again.
        let id = state.withLock { $0.ticket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { one in
                let isOver = state.withLock { state in
                    let isOver = state.last ?? 0 > number || state.isClosed || Task.isCancelled
                    if !isOver { state.waiting[id] = one }
                    return isOver
                }
                if isOver { one.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }

    /// Adds a follower. If the user has too many, their oldest one ends: perhaps its connection is gone,
    /// which nobody knows before the next heartbeat. If there are too many in all, the oldest one of the
    /// holder with the most ends, unless the new one's holder would have as many.
    /// - Parameters:
    ///   - address: the client's address. Nil if it says nothing, and the user is counted instead.
    ///   - key: the id of the key that acts for the user. Nil if none does.
    ///   - close: closes the connection.
    func follow(
        _ user: User.ID, at address: ClientAddress? = nil, key: String? = nil,
        close: @escaping @Sendable () -> Void = {}
    ) throws(StreamError) -> EventFollowing {
        let follower = EventFollower(user, at: address, key: key, close: close)
        let oldest = try state.withLock { state throws(StreamError) -> EventFollower? in
            let oldest = try Self.place(for: follower, &state)
            if let oldest { state.followers.remove(oldest) }
            state.followers.add(follower)
            if state.isClosed { follower.end() }
            return oldest
        }
        oldest?.end()
        return EventFollowing(follower, in: self)
    }

    /// Returns the follower whose place the new one takes. Nil if there is room.
    private static func place(for follower: EventFollower, _ state: inout State) throws(StreamError)
        -> EventFollower?
    {
        let ofUser = state.followers.of(follower.user)
        let leaving = ofUser.count < mostPerUser ? nil : ofUser.first
        let own = state.followers.count(of: follower.holder)
        guard own < max(1, state.most / 2) || leaving?.holder == follower.holder else {
            state.sinceStart.address += 1
            throw .tooManyOfAddress
        }
        if let leaving { return leaving }
        guard state.followers.count >= state.most else { return nil }
        guard let oldest = state.followers.oldestOfMost(over: own + 1) else {
            state.sinceStart.server += 1
            throw .tooManyOfServer
        }
        state.sinceStart.room += 1
        return oldest
    }

    /// Ends the oldest follower of the holder who has the most, if that is more than `count`, and closes its
    /// connection to make room for another. False if no holder has so many.
    package func makeRoom(over count: Int) -> Bool {
        let oldest = state.withLock { state in
            let oldest = state.followers.oldestOfMost(over: count)
            if let oldest {
                state.followers.remove(oldest)
                state.sinceStart.room += 1
            }
            return oldest
        }
        oldest?.close()
        return oldest != nil
    }

    func leave(_ follower: EventFollower) {
        state.withLock { $0.followers.remove(follower) }
    }
}
