import Counts
package import Postgres

/// Reads sums for numbers.
package struct NumbersStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the sums of a subject from a day to another, oldest first. A month that became one stands at
    /// its first day.
    func sums(of subject: String, _ measures: [String], from first: String, to last: String) async throws
        -> [(
            day: String, sum: DaySum
        )]
    {
        try await db.lists.query(
            """
            SELECT day::text, count, parts, sketch FROM counts
            WHERE subject = \(subject) AND measure = ANY(\(measures)) AND day BETWEEN \(first)::date AND \(last)::date
            ORDER BY day
            """
        ) { row in try (day: row.next(), sum: DaySum(row: &row)) }
    }
}
