package import Foundation
import Postgres

/// Whose days the sums are of.
extension CountStore {
    /// Returns the zone of the sums. Nil if nobody has counted.
    package func zone() async throws -> TimeZone? {
        let name = try await db.read.ofPrimary.first(
            "SELECT zone FROM count_positions WHERE zone IS NOT NULL LIMIT 1"
        ) { try $0.next(as: String.self) }
        return name.flatMap { $0 == "UTC" ? .gmt : TimeZone(identifier: $0) }
    }

    /// Returns why nobody can count by the days of a zone, and what to do. Nil if they can: then the sums are
    /// of this zone from now on.
    package func mistake(in policy: CountPolicy) async throws -> String? {
        let zone = policy.zoneName
        do {
            try await db.read.ofPrimary.run("SELECT \(policy.today)")
        } catch let error as PostgresError where error.sqlState == "22023" {
            return "KITH_TIME_ZONE: PostgreSQL does not know \(zone): set another name of the same zone"
        }
        try await db.write.run("UPDATE count_positions SET zone = \(zone) WHERE zone IS NULL")
        let other = try await db.read.ofPrimary.first(
            "SELECT zone FROM count_positions WHERE zone <> \(zone) LIMIT 1"
        ) { try $0.next(as: String.self) }
        return other.map {
            """
            KITH_TIME_ZONE is \(zone), and numbers are of the days of \($0). Set it to \($0), or, to count the days of \(zone) \
            from now on, stop all servers and run: UPDATE count_positions SET zone = NULL
            """
        }
    }
}
