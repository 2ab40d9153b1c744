import Synchronization

/// Wakes those on this server who wait for events, of all users or of one.
final class EventFeed: Sendable {
    private struct State {
        var last: Int64?
        var isClosed = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        private var lastTicket = 0
        var followers: [User.ID: [EventFollower]] = [:]

        mutating func ticket() -> Int {
            lastTicket += 1
            return lastTicket
        }

        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            defer { waiting = [:] }
            return Array(waiting.values)
        }
    }

    private let state = Mutex(State())
    /// The most followers of one user.
    static let mostPerUser = 10

    /// The number given last, as this server knows; nil: it does not know yet.
    var last: Int64? { state.withLock(\.last) }

    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    var hasFollowers: Bool { state.withLock { !$0.followers.isEmpty } }

    var followerCount: Int { state.withLock { $0.followers.values.reduce(0) { $0 + $1.count } } }

    /// - Parameter users: to whom the new events happened; nil: nobody knows.
    func advance(to number: Int64, for users: [User.ID]?) {
        let (woken, told) = state.withLock { state in
            state.last = max(state.last ?? 0, number)
            let told =
                users.map { $0.flatMap { state.followers[$0] ?? [] } }
                ?? state.followers.values.flatMap(\.self)
            return (state.takeWaiting(), told)
        }
        for one in woken { one.resume() }
        for follower in told { follower.tellNews() }
    }

    /// Wakes all followers, so that they show their clients that they are there.
    func beat() {
        for follower in state.withLock({ $0.followers.values.joined() }) { follower.tellTime() }
    }

    /// All who follow.
    var everybody: [EventFollower] { state.withLock { $0.followers.values.flatMap(\.self) } }

    /// Ends all waiting and following: the server ends.
    func close() {
        let (woken, followers) = state.withLock { state in
            state.isClosed = true
            return (state.takeWaiting(), state.followers.values.joined())
        }
        for one in woken { one.resume() }
        for follower in followers { follower.end() }
    }

    /// Returns once there is an event behind the number, the task is cancelled, or the server ends.
    func wait(after number: Int64) async {
        // No UUID: without free descriptors Foundation makes the same one again and again.
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

    /// Ends the user's oldest follower if there are too many: perhaps its connection is gone, which nobody knows before the next
    /// heartbeat.
    /// - Parameter key: the id of the key that acts for the user; nil: none does.
    func follow(_ user: User.ID, key: String? = nil) -> EventFollowing {
        let follower = EventFollower(user, key: key)
        let oldest = state.withLock { state in
            var followers = state.followers[user] ?? []
            let oldest = followers.count < Self.mostPerUser ? nil : followers.removeFirst()
            followers.append(follower)
            state.followers[user] = followers
            if state.isClosed { follower.end() }
            return oldest
        }
        oldest?.end()
        return EventFollowing(follower, in: self)
    }

    func leave(_ follower: EventFollower) {
        state.withLock { state in
            state.followers[follower.user]?.removeAll { $0 === follower }
            if state.followers[follower.user]?.isEmpty == true { state.followers[follower.user] = nil }
        }
    }
}
