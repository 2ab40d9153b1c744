import Counts
package import Postgres
import Web

/// Reads sums for numbers.
package struct NumbersStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the numbers of a measure.
    /// - Parameter least: numbers by a place or a page that are lower are not told.
    func numbers(of measure: Measure, _ wanted: NumbersRequest, least: Int) async throws -> Numbers {
        let sums = try await sums(
            of: wanted.subject, measure.counted, by: wanted.by ?? wanted.only?.dimension,
            from: wanted.span.first, to: wanted.span.last)
        return Numbers(sums, wanted, least: least)
    }

    /// Returns the sums of a subject from a day to another, oldest first, and how they divide by one
    /// dimension. A month that became one stands at its first day.
    private func sums(
        of subject: String, _ measures: [String], by dimension: CountDimension?, from first: String,
        to last: String
    ) async throws -> [(day: String, sum: DaySum)] {
        // The parts of years may be large: those of one dimension are enough, on the lane of long work.
        let part: Statement =
            dimension.map {
                "json_build_object(\($0.rawValue)::text, parts::json -> \($0.rawValue)::text)::text"
            } ?? "NULL::text"
        return try await db.bulk.query(
            """
            SELECT day::text, count, \(part), NULL::bytea FROM counts
            WHERE subject = \(subject) AND measure = ANY(\(measures)) AND day BETWEEN \(first)::date AND \(last)::date
            ORDER BY day
            """
        ) { row in try (day: row.next(), sum: DaySum(row: &row)) }
    }
}
