import Counts
import Postgres

/// Reads how many there are of things that come and go.
struct LevelStore: Sendable {
    let db: Database

    /// Returns the levels of all measures. The sum of one stands also if there is none.
    func levels(on day: String) async throws -> [Tally] {
        var levels: [Tally] = []
        for (measure, query) in Self.queries {
            levels.append(Tally(.init("", measure, on: day), count: 0))
            levels += try await db.bulk.query(query) { row in
                try Tally(.init("", measure, on: day), count: row.next(), parts: [.item: row.next()])
            }
        }
        return levels
    }

    /// The measures, each with a query of counts and what they are of.
    private static let queries: [(measure: String, query: Statement)] = [
        ("people.accounts", "SELECT count(*), 'active' FROM users WHERE status = 'active'"),
        ("offers.free", "SELECT count(*), campaign FROM offer_codes WHERE \(isFree) GROUP BY campaign"),
        (
            "offers.expiring",
            """
            SELECT count(*), campaign FROM offer_codes
            WHERE \(isFree) AND expires_at < now() + interval '30 days' GROUP BY campaign
            """
        ),
        ("rewards.waiting", "SELECT count(*), program FROM rewards WHERE state = 'pending' GROUP BY program"),
        ("rewards.held", "SELECT count(*), program FROM rewards WHERE state = 'flagged' GROUP BY program"),
        (
            "rewards.owed",
            """
            -- Units that operators make up may add up to more than a bigint has room for.
            SELECT least(sum(CASE WHEN credit = 'user' THEN amount ELSE -amount END), 1000000000000000)::int8 AS owed, unit
            FROM reward_postings GROUP BY unit
            HAVING sum(CASE WHEN credit = 'user' THEN amount ELSE -amount END) > 0
            """
        ),
    ]

    private static let isFree: Statement = "dealt_at IS NULL AND expires_at > now()"
}
