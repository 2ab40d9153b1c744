import Counts
import Postgres
import Web

/// The steps of invites, in one statement.
extension NumbersStore {
    /// - Parameter least: numbers by a place or a page that are lower are not told.
    func funnel(_ wanted: NumbersRequest, least: Int) async throws -> Funnel {
        let measures = Funnel.measures.flatMap(\.counted)
        // The empty name stands for all others.
        let count: Statement =
            wanted.only.map {
                "coalesce(sum((parts -> \($0.dimension.rawValue)::text ->> nullif(\($0.value)::text, ''))::bigint), 0)"
            } ?? "sum(count)"
        let rows = try await db.bulk.query(
            """
            SELECT measure, (\(count))::bigint FROM counts
            WHERE subject = '' AND measure = ANY(\(measures))
              AND day BETWEEN \(wanted.span.first)::date AND \(wanted.span.last)::date
            GROUP BY measure
            """
        ) { row in try (row.next(as: String.self), Int(row.next(as: Int64.self))) }
        let sums = Dictionary(rows) { first, _ in first }
        return Funnel(
            Funnel.measures.map { measure in
                if let only = wanted.only, !measure.dimensions.contains(only.dimension) { return nil }
                let sum = measure.counted.reduce(0) { $0 + (sums[$1] ?? 0) }
                return wanted.only?.dimension.isHidden == true && sum < least ? 0 : sum
            })
    }
}
