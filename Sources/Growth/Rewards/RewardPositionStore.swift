import Foundation
import Kernel
import Postgres

/// Every statement on `reward_positions`, and the events that it follows.
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

    /// Takes the position, or keeps it: how far events are followed. Nil if another server holds it.
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

    /// Whether another server may take over at once.
    func release(_ holder: UUID) async throws {
        try await db.write.run(
            "UPDATE reward_positions SET holder = NULL, held_until = NULL WHERE scope = 'all' AND holder = \(holder)"
        )
    }

    /// How far behind rewards are, whoever follows, and what waits.
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

    /// What happened behind a number, the oldest first; of kinds that rewards follow.
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
