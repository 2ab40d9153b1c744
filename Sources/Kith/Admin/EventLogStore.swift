import Foundation
import Postgres

/// Reads the log of events backwards, for operators: also events that have no number yet.
struct EventLogStore: Sendable {
    var db: Database

    /// From when on the log has every event: its oldest part, or when this database got it.
    func begins() async throws -> Date {
        let found = try await db.bulk.together([
            "SELECT applied_at FROM schema_migrations WHERE version = 15", EventStore.oldestPart,
        ])
        let times = try found.compactMap { try $0.first { try $0.next(as: Date?.self) } ?? nil }
        return times.max() ?? .distantFuture
    }

    /// The `WITH` query `log`: all events of a user.
    static func log(of user: User.ID) -> Statement {
        """
        log AS MATERIALIZED (
            SELECT type, other_id, facts, at FROM events WHERE user_id = \(user)
            UNION ALL SELECT type, other_id, facts, at FROM outbox WHERE user_id = \(user))
        """
    }

    /// What happened between two users: when their friendship began and ended, oldest first. What one saw because the other was
    /// suspended or returned is no change of it. Friends of a suspended user are not told of a deletion, so that is read beside.
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

    /// When some users were suspended and returned, as the events of their friends say it, too.
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
