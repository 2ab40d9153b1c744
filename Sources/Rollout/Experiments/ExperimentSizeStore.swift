package import Counts
package import Postgres

/// Reads how many people come on a day.
package struct ExperimentSizeStore: Sendable {
    let db: Database
    /// Whose days are counted.
    let numbers: CountPolicy

    package init(db: Database, numbers: CountPolicy) {
        (self.db, self.numbers) = (db, numbers)
    }

    /// Returns yesterday, and how many people were active on it.
    func yesterday() async throws -> (day: String, people: Int) {
        let found = try await db.bulk.first(
            """
            SELECT (\(numbers.today) - 1)::text, coalesce(sum(count), 0)::bigint FROM counts
            WHERE subject = '' AND measure = 'people.active' AND day = \(numbers.today) - 1
            """
        ) { try (day: $0.next(as: String.self), people: Int($0.next(as: Int64.self))) }
        return found ?? (day: "", people: 0)
    }
}
