import Counts
package import Postgres

/// Reads sums for numbers.
package struct NumbersStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the sums of a subject from a day to another, oldest first, and how they divide by one
    /// dimension. A month that became one stands at its first day.
    func sums(
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
