import Crypto
import Foundation
package import Postgres
import Web

/// Every statement on the `rate_limits` table: the calls that all servers together allowed.
package struct RateLimitStore: Sendable {
    package let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the secret for hashing keys, so that the table identifies nobody.
    func secret() async throws -> SymmetricKey? {
        try await db.read.first("SELECT bytes FROM secrets WHERE name = 'rate_limits'") {
            try SymmetricKey(data: $0.next(as: [UInt8].self))
        }
    }

    /// Returns the time by the database's clock, since the servers' clocks may differ.
    func now() async throws -> Date? {
        try await db.read.first("SELECT clock_timestamp()") { try $0.next() }
    }

    /// Adds the microseconds to each key. Returns what all servers together have then used of each.
    /// - Parameter spent: the keys in order, so that two servers never lock in opposite orders.
    func add(_ spent: [(key: UUID, microseconds: Int64)], at now: Date) async throws -> [UUID: Int64] {
        guard !spent.isEmpty else { return [:] }
        let now = now.microsecondsSince1970
        // There is one statement for each key, since on Citus a statement for several keys would lock in any
        // order.
        let results = try await db.write.batch(
            spent.map { key, microseconds in
                """
                INSERT INTO rate_limits AS r (key, full_at) VALUES (\(key), \(now + microseconds))
                ON CONFLICT (key) DO UPDATE SET full_at = greatest(r.full_at, \(now)) + (excluded.full_at - \(now))
                RETURNING key, full_at - \(now)
                """
            })
        let rows = try results.compactMap { rows in
            try rows.first { try (key: $0.next(as: UUID.self), used: $0.next(as: Int64.self)) }
        }
        return Dictionary(rows.map { ($0.key, $0.used) }, uniquingKeysWith: max)
    }

    /// Deletes keys whose quota is whole again.
    func sweep(at now: Date) async throws {
        try await db.write.run("DELETE FROM rate_limits WHERE full_at < \(now.microsecondsSince1970)")
    }
}
