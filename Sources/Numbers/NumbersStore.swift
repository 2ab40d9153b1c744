import Counts
package import Postgres
import Web

/// Reads sums for numbers.
package struct NumbersStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the sums of a measure from a day to another, oldest first, and how they divide by one
    /// dimension. A month that became one stands at its first day.
    func sums(
        of measure: Measure, _ subject: String, by dimension: CountDimension?,
        within filters: [CountDimension: String], _ span: DaySpan
    ) async throws -> [(day: String, sum: DaySum)] {
        if measure.scope == .versions {
            return try await VersionNumbersStore(db: db).sums(
                of: measure, by: dimension, within: filters, span)
        }
        // The parts of years may be large: those of one dimension are enough, on the lane of long work.
        let part: Statement =
            dimension.map {
                "json_build_object(\($0.rawValue)::text, parts::json -> \($0.rawValue)::text)::text"
            } ?? "NULL::text"
        let members: Statement = measure.counting == .members ? "members" : "NULL::bytea"
        let rows = try await db.bulk.query(
            """
            SELECT day::text, count, \(part), \(members) FROM counts
            WHERE subject = \(subject) AND measure = ANY(\(measure.counted))
              AND day BETWEEN \(span.first)::date AND \(span.last)::date
            ORDER BY day
            """
        ) { row in try (day: row.next(as: String.self), sum: DaySum(row: &row)) }
        return measure.counting == .members ? Self.different(rows) : rows
    }

    /// Returns how many different ones there were on each day, in all rows of it together.
    private static func different(_ rows: [(day: String, sum: DaySum)]) -> [(day: String, sum: DaySum)] {
        var days: [(day: String, sum: DaySum)] = []
        for (day, sum) in rows {
            if days.last?.day == day {
                days[days.count - 1].sum.merge(sum)
            } else {
                days.append((day, sum))
            }
        }
        return days.map { day, sum in
            var sum = sum
            sum.count = Int64(sum.members?.count ?? 0)
            return (day, sum)
        }
    }
}
