import Foundation

/// Whether two users were friends at a time: a pure function of what is kept.
struct FriendshipAsOf: Sendable {
    /// When their present friendship began. Nil if they are not friends.
    var since: Date?
    /// When the later of the two accounts was created.
    var bothSince: Date
    /// The changes, oldest first.
    var changes: [Change]
    /// The time from which on every change is kept.
    var logBegins: Date

    struct Change: Equatable, Sendable {
        var at: Date
        var areFriends: Bool
    }

    enum Answer: Equatable, Sendable {
        /// They were friends. `since` is when that began, if it is still known.
        case friends(since: Date?)
        case notFriends
        case unknown
    }

    /// Returns the answer. A change counts from its very moment on.
    func answer(at time: Date) -> Answer {
        if let since, since <= time { return .friends(since: since) }
        if time < bothSince { return .notFriends }
        if let last = changes.last(where: { $0.at <= time }) {
            return last.areFriends ? .friends(since: began(before: time)) : .notFriends
        }
        guard time >= logBegins else { return .unknown }
        // Nothing happened between then and the first change of the log, so the state was the one that this
        // change found.
        guard let first = changes.first else { return .notFriends }
        return first.areFriends ? .notFriends : .friends(since: nil)
    }

    /// Returns when the friendship at a time began. Both users have an event of the beginning, in one
    /// transaction.
    private func began(before time: Date) -> Date? {
        let ended = changes.last { $0.at <= time && !$0.areFriends }?.at ?? .distantPast
        return changes.first { $0.at <= time && $0.at > ended && $0.areFriends }?.at
    }
}
