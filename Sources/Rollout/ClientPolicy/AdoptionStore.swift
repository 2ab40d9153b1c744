package import Counts
import Kernel
package import Postgres
import Web

/// Reads how many installations had which version of an app.
package struct AdoptionStore: Sendable {
    let db: Database
    /// Whose days are counted.
    let numbers: CountPolicy

    package init(db: Database, numbers: CountPolicy) {
        (self.db, self.numbers) = (db, numbers)
    }

    /// Returns the counts of some days, of an app or of all.
    func counts(_ span: DaySpan, of app: String?, on platform: AppPlatform) async throws -> [Adoption.Count] {
        let query: Statement = """
            SELECT day::text, split_part(subject, ' ', 3), sum(count)::bigint FROM counts
            WHERE measure = 'versions.installations' AND day BETWEEN \(span.first)::date AND \(span.last)::date
              AND split_part(subject, ' ', 2) = \(platform.rawValue)
              AND (\(app)::text IS NULL OR split_part(subject, ' ', 4) = \(app))
            GROUP BY day, 2
            """
        return try await db.answers(to: query) { row in
            try Adoption.Count(
                day: row.next(), version: row.next(), installations: Int(row.next(as: Int64.self)))
        }
    }
}
