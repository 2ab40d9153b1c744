import Events
import Foundation
import Kernel
import Postgres

/// Reads the log of events backwards, for operators. It includes events that have no number yet.
struct EventLogStore: Sendable {
    var db: Database

    /// Returns the time from which on the log has every event: the beginning of its oldest part, or when this
    /// database got the log.
    func begins() async throws -> Date {
        let found = try await db.bulk.together([
            "SELECT applied_at FROM schema_migrations WHERE version = 15", EventStore.oldestPart,
        ])
        let times = try found.compactMap { try $0.first { try $0.next(as: Date?.self) } ?? nil }
        return times.max() ?? .distantFuture
    }

    /// Returns the `WITH` query `log`: all events of a user.
    static func log(of user: User.ID) -> Statement {
        """
        log AS MATERIALIZED (
            SELECT type, other_id, facts, at FROM events WHERE user_id = \(user)
            UNION ALL SELECT type, other_id, facts, at FROM outbox WHERE user_id = \(user))
        """
    }

    /// Returns when the friendship of two users began and ended, oldest first. What one saw because the other
    /// was suspended or returned does not count as a change. Friends of a suspended user are not told of a
    /// deletion, so deletions are read separately.
    func friendship(_ one: User.ID, _ other: User.ID) async throws -> [FriendshipAsOf.Change] {
        let sides = try await db.bulk.together([
            Self.friendships(of: one, with: other), Self.suspensions(of: one),
            Self.friendships(of: other, with: one), Self.suspensions(of: other),
            Self.deletions(of: [one, other]),
        ])
        let away = try (
            Set(sides[1].map { try $0.next(as: Date.self) }), Set(sides[3].map { try $0.next(as: Date.self) })
        )
        let told = try [(sides[0], away.1), (sides[2], away.0)].flatMap { rows, hidden in
            try rows.map { row in
                let change = try FriendshipAsOf.Change(at: row.next(), areFriends: row.next())
                return (change: change, isHidden: hidden.contains(change.at))
            }
        }
        var changes = told.filter { !$0.isHidden }.map(\.change)
        if let last = told.max(by: { $0.change.at < $1.change.at }), last.isHidden, !last.change.areFriends,
            let end = try sides[4].first({ try $0.next(as: Date.self) }), end > last.change.at
        {
            changes.append(.init(at: end, areFriends: false))
        }
        return changes.sorted { $0.at < $1.at }
    }

    /// A user's friendship with another, as the user's own log has it.
    struct Friendship {
        /// The changes, including those that suspensions and returns of the other user cause.
        var changes: [FriendshipAsOf.Change] = []
        /// Whether they are friends now.
        var stands = false

        /// Whether they were still friends when the other user, who was suspended at a time, was back. If
        /// that user is not back, it says whether they are friends now.
        /// - Parameter hidden: when the other user was suspended and returned.
        func stood(after time: Date, hidden: Set<Date>) -> Bool {
            guard let next = changes.filter({ $0.at > time }).min(by: { $0.at < $1.at }) else {
                return stands
            }
            // Users who became friends anew were not friends before.
            return !next.areFriends || hidden.contains(next.at)
        }
    }

    func friendships(of user: User.ID, with others: Set<User.ID>) async throws -> [User.ID: Friendship] {
        guard !others.isEmpty else { return [:] }
        let ids = others.map(\.uuid)
        let rows = try await db.bulk.query(
            """
            WITH \(Self.log(of: user))
            SELECT other_id, at, type = 'friend.created' FROM log
            WHERE other_id = ANY(\(ids)) AND type IN ('friend.created', 'friend.ended')
            UNION ALL
            SELECT other_id, NULL, true FROM relationships
            WHERE user_id = \(user) AND other_id = ANY(\(ids)) AND since IS NOT NULL
            """
        ) { try (other: User.ID($0.next()), at: $0.next(as: Date?.self), areFriends: $0.next(as: Bool.self)) }
        return rows.reduce(into: [:]) { all, row in
            if let at = row.at {
                all[row.other, default: Friendship()].changes.append(
                    .init(at: at, areFriends: row.areFriends))
            } else {
                all[row.other, default: Friendship()].stands = true
            }
        }
    }

    private static func deletions(of users: [User.ID]) -> Statement {
        let ids = users.map(\.uuid)
        return """
            SELECT min(at) FROM (
                SELECT at FROM events WHERE user_id = ANY(\(ids)) AND type = 'user.deleted'
                UNION ALL SELECT at FROM outbox WHERE user_id = ANY(\(ids)) AND type = 'user.deleted') ends
            HAVING min(at) IS NOT NULL
            """
    }

    private static func friendships(of user: User.ID, with other: User.ID) -> Statement {
        """
        WITH \(log(of: user))
        SELECT at, type = 'friend.created' FROM log
        WHERE other_id = \(other) AND type IN ('friend.created', 'friend.ended')
        """
    }

    private static func suspensions(of user: User.ID) -> Statement {
        "WITH \(log(of: user)) SELECT at FROM log WHERE type IN ('user.suspended', 'user.returned')"
    }

    /// Returns when some users were suspended and returned, including what the events of their friends say
    /// about it.
    func suspensions(of users: Set<User.ID>, at times: Set<Date>) async throws -> [User.ID: Set<Date>] {
        guard !users.isEmpty else { return [:] }
        let (ids, times) = (users.map(\.uuid), Array(times))
        let rows = try await db.bulk.query(
            """
            SELECT user_id, at FROM events
            WHERE user_id = ANY(\(ids)) AND at = ANY(\(times)) AND type IN ('user.suspended', 'user.returned')
            UNION ALL
            SELECT user_id, at FROM outbox
            WHERE user_id = ANY(\(ids)) AND at = ANY(\(times)) AND type IN ('user.suspended', 'user.returned')
            """
        ) { try (id: User.ID($0.next()), at: $0.next(as: Date.self)) }
        return Dictionary(grouping: rows, by: \.id).mapValues { Set($0.map(\.at)) }
    }
}
