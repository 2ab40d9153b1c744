import Events
import Foundation
import Kernel
import Postgres

/// Every statement on `reward_positions`, and on the events that are followed.
struct RewardPositionStore: Sendable {
    var db: Database

    /// An event as rewards read it.
    struct News: Sendable {
        var id: Int64
        var kind: Event.Kind
        var user: User.ID
        var other: User.ID?
        var facts: [String: EventFact]
        var at: Date
    }

    /// Takes or keeps the position, which says how far events are followed. Nil if another server holds it.
    func take(_ holder: UUID, for seconds: Double) async throws -> Int64? {
        try await db.write.first(
            """
            UPDATE reward_positions SET holder = \(holder), held_until = now() + make_interval(secs => \(seconds))
            WHERE scope = 'all' AND (holder IS NULL OR held_until < now() OR holder = \(holder))
            RETURNING position
            """
        ) { try $0.next() }
    }

    func move(to position: Int64, by holder: UUID) async throws {
        try await db.write.run(
            """
            UPDATE reward_positions SET position = \(position)
            WHERE scope = 'all' AND holder = \(holder) AND position < \(position)
            """)
    }

    /// Releases the position, so that another server may take over at once.
    func release(_ holder: UUID) async throws {
        try await db.write.run(
            "UPDATE reward_positions SET holder = NULL, held_until = NULL WHERE scope = 'all' AND holder = \(holder)"
        )
    }

    /// Returns how far behind rewards are, whichever server follows, and how many wait.
    func look() async throws -> RewardMetrics.Seen? {
        let lag = try await db.bulk.ofPrimary.first(
            """
            WITH followed AS MATERIALIZED (SELECT position FROM reward_positions WHERE scope = 'all')
            SELECT extract(epoch FROM now() - at)::float8 FROM events WHERE id > (SELECT position FROM followed) ORDER BY id LIMIT 1
            """
        ) { try $0.next(as: Double.self) }
        return try await db.bulk.ofPrimary.first(
            """
            SELECT count(*) FILTER (WHERE state = 'pending' AND due_at > now()),
                   count(*) FILTER (WHERE state = 'pending' AND due_at <= now()), count(*) FILTER (WHERE state = 'flagged')
            FROM rewards WHERE state IN ('pending', 'flagged')
            """
        ) { row in
            try .init(
                lag: max(0, lag ?? 0), held: Int(row.next(as: Int64.self)),
                due: Int(row.next(as: Int64.self)),
                flagged: Int(row.next(as: Int64.self)))
        }
    }

    /// Returns the events after a number that are of kinds that rewards follow, oldest first.
    func news(after id: Int64, through last: Int64, of kinds: [Event.Kind], limit: Int) async throws -> [News]
    {
        try await db.lists.ofPrimary.query(
            """
            SELECT id, type, user_id, other_id, facts, at FROM events
            WHERE id > \(id) AND id <= \(last) AND type = ANY(\(kinds.map(\.rawValue))) ORDER BY id LIMIT \(limit)
            """
        ) { row in
            let (id, type): (Int64, String) = try (row.next(), row.next())
            let user = try User.ID(row.next())
            let other = try row.next(as: UUID?.self).map(User.ID.init)
            let facts = try row.next(as: String?.self).map(EventStore.facts) ?? [:]
            return try News(
                id: id, kind: Event.Kind(rawValue: type) ?? .userSignedUp, user: user, other: other,
                facts: facts,
                at: row.next())
        }
    }
}
