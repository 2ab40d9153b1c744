import Counts
import Kernel
import Postgres
import Web

/// Reads numbers of versions of apps, whose sums are of a version each.
struct VersionNumbersStore: Sendable {
    let db: Database

    /// Returns how many installations or calls there were from a day to another, oldest first, and how they
    /// divide by one dimension.
    func sums(
        of measure: Measure, by dimension: CountDimension?, within filters: [CountDimension: String],
        _ span: DaySpan
    ) async throws -> [(day: String, sum: DaySum)] {
        let rows: Statement =
            measure.name == "versions.calls"
            ? "SELECT day, platform, version, app, action, '' AS os, count FROM client_versions"
            : """
            SELECT day, split_part(subject, ' ', 2) AS platform, split_part(subject, ' ', 3) AS version,
                   split_part(subject, ' ', 4) AS app, '' AS action, split_part(subject, ' ', 5) AS os, count
            FROM counts WHERE measure = 'versions.installations'
            """
        let columns: [CountDimension: Statement] = [
            .platform: "platform", .version: "version", .app: "app", .cause: "action", .os: "os",
        ]
        let conditions = columns.compactMap { dimension, column in
            filters[dimension].map { "\(column) = \($0)" as Statement }
        }
        let value = dimension.flatMap { columns[$0] } ?? "''"
        let statement: Statement =
            """
            SELECT day::text, \(value) AS value, sum(count)::int8 FROM (\(rows)) AS v
            WHERE \((["day BETWEEN \(span.first)::date AND \(span.last)::date"] + conditions).joined(separator: " AND "))
            GROUP BY day, 2 ORDER BY day
            """
        return try await db.answers(to: statement) { row in
            let (day, value) = try (row.next(as: String.self), row.next(as: String.self))
            var sum = DaySum()
            sum.count = try row.next()
            if let dimension, !value.isEmpty { sum.parts = CountParts([dimension: [value: sum.count]]) }
            return (day, sum)
        }
    }
}
