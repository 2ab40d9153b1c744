import Counts
import Foundation
import Graph
import Postgres
import Web

/// Reads how many there are of things that come and go.
struct LevelStore: Sendable {
    let db: Database

    /// Returns the hour since 1970, and the day, by the clock that all servers share.
    func now(_ policy: CountPolicy) async throws -> (hour: Int64, day: String)? {
        try await db.bulk.ofPrimary.first(
            "SELECT floor(extract(epoch FROM now()) / 3600)::int8, \(policy.today)::text"
        ) { try ($0.next(), $0.next()) }
    }

    /// Returns the levels of all measures. The sum of one stands also if there is none.
    func levels(on day: String) async throws -> [Tally] {
        var levels = try await accounts(on: day)
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

/// How many active accounts have how many friends.
extension LevelStore {
    /// Of how many accounts the friends are counted. A user's id is a hash, so those with the lowest ids are
    /// like all others, and what they have stands for the rest.
    static let mostCounted = 50_000.0
    /// How many friends accounts are told to have.
    static let friends = ["0", "1", "2-4", "5-9", "10-19", "20-49", "50+"]

    private func accounts(on day: String) async throws -> [Tally] {
        let key = Tally.Key("", "people.accounts", on: day)
        let all: Int64 =
            try await db.bulk.first("SELECT count(*) FROM users WHERE status = 'active'") { try $0.next() }
            ?? 0
        let last = UUID(part: Self.mostCounted / Double(max(1, all)))
        let found = try await db.bulk.query(
            """
            SELECT CASE WHEN number < 2 THEN number::text WHEN number < 5 THEN '2-4' WHEN number < 10 THEN '5-9'
                        WHEN number < 20 THEN '10-19' WHEN number < 50 THEN '20-49' ELSE '50+' END, count(*)
            FROM (
                SELECT u.id, count(r.other_id) AS number FROM users u
                LEFT JOIN relationships r ON r.user_id = u.id AND \(FriendStore.isVisibleFriend("r.")) AND r.user_id <= \(last)
                WHERE u.status = 'active' AND u.id <= \(last)
                GROUP BY u.id) AS counted
            GROUP BY 1 ORDER BY 1
            """
        ) { try (friends: $0.next(as: String.self), accounts: $0.next(as: Int64.self)) }
        return [Tally(key, count: 0)]
            + Self.parts(of: all, like: found.map(\.accounts)).enumerated().map {
                Tally(key, count: $1, parts: [.friends: found[$0].friends])
            }
    }

    /// Returns parts of a whole that are to each other as these counts, so that they sum to it.
    static func parts(of whole: Int64, like counts: [Int64]) -> [Int64] {
        let sum = Double(counts.reduce(0, +))
        var (seen, given): (Int64, Int64) = (0, 0)
        return counts.map { count in
            seen += count
            let until = Int64((Double(whole) * (Double(seen) / sum)).rounded())
            defer { given = until }
            return until - given
        }
    }
}

extension UUID {
    /// The last of the ids that make a part of all, from 0 to 1.
    fileprivate init(part: Double) {
        let high = part < 1 ? UInt64(part * 0x1p64) : .max
        let bytes = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: high >> UInt64($0)) }
        self.init(bytes: bytes + Array(repeating: .max, count: 8))
    }
}
