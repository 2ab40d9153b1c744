import Foundation

/// Whether two users were friends at a time, by what is kept: a pure function of it.
struct FriendshipAsOf: Sendable {
    /// Since when they are friends by now; nil: they are not.
    var since: Date?
    /// Since when both have accounts.
    var bothSince: Date
    /// Oldest first.
    var changes: [Change]
    /// From when on every change is kept.
    var logBegins: Date

    struct Change: Equatable, Sendable {
        var at: Date
        var areFriends: Bool
    }

    enum Answer: Equatable, Sendable {
        /// Since when, if that is still known.
        case friends(since: Date?)
        case notFriends
        case unknown
    }

    /// A change counts from its very moment on.
    func answer(at time: Date) -> Answer {
        if let since, since <= time { return .friends(since: since) }
        if time < bothSince { return .notFriends }
        if let last = changes.last(where: { $0.at <= time }) {
            return last.areFriends ? .friends(since: began(before: time)) : .notFriends
        }
        guard time >= logBegins else { return .unknown }
        // Nothing happened since the log begins, so it was as the first change afterwards found it.
        guard let first = changes.first else { return .notFriends }
        return first.areFriends ? .notFriends : .friends(since: nil)
    }

    /// Both users have an event of the beginning, in one transaction.
    private func began(before time: Date) -> Date? {
        let ended = changes.last { $0.at <= time && !$0.areFriends }?.at ?? .distantPast
        return changes.first { $0.at <= time && $0.at > ended && $0.areFriends }?.at
    }
}
