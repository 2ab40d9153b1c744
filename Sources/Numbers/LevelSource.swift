package import Counts
import Foundation
import Kernel
package import Postgres
package import Web

/// How many there are of things that come and go, such as free offer codes. It is looked at each hour, and a
/// day keeps what was last.
package struct LevelSource: CountSource {
    package static let name = "levels"

    private let db: Database
    private let policy: CountPolicy
    private let world: World

    package init(db: Database, policy: CountPolicy, world: World) {
        (self.db, self.policy, self.world) = (db, policy, world)
    }

    /// - Parameter position: the hour of the last look, since 1970.
    package func next(after position: Int64) async throws -> CountedPart? {
        let now = world.now()
        let hour = Int64(now.timeIntervalSince1970 / 3600)
        guard hour > position else { return nil }
        let day = DaySpan.day(of: now, in: policy.zone)
        var levels: [Tally] = []
        for (measure, query) in Self.queries {
            // The sum stands also if there is none.
            levels.append(Tally(.init("", measure, on: day), count: 0))
            levels += try await db.bulk.query(query) { row in
                try Tally(.init("", measure, on: day), count: row.next(), parts: [.item: row.next()])
            }
        }
        return CountedPart(levels, end: hour, isFull: false, replaces: true)
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
            SELECT sum(CASE WHEN credit = 'user' THEN amount ELSE -amount END)::int8 AS owed, unit
            FROM reward_postings GROUP BY unit
            HAVING sum(CASE WHEN credit = 'user' THEN amount ELSE -amount END) > 0
            """
        ),
    ]

    private static let isFree: Statement = "dealt_at IS NULL AND expires_at > now()"
}
