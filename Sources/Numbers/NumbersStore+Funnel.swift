import Counts
import Kernel
import Postgres
import Web

/// The steps of invites, in one statement.
extension NumbersStore {
    /// - Parameter least: numbers by a place or a page that are lower are not told.
    func funnel(_ wanted: NumbersRequest, least: Int) async throws -> Funnel {
        let days: Statement = """
            subject = '' AND measure = ANY(\(Funnel.measures.flatMap(\.counted)))
              AND day BETWEEN \(wanted.span.first)::date AND \(wanted.span.last)::date
            """
        let statement: Statement =
            wanted.only.map { only in
                // What is told of a value depends on all others.
                let value: Statement = only.dimension.isHidden ? "true" : "v.value = \(only.value)"
                return """
                    SELECT measure, v.value, sum(v.count)::bigint FROM counts
                    CROSS JOIN LATERAL (\(CountStore.parts(by: only.dimension, in: "parts"))) AS v
                    WHERE \(days) AND \(value) GROUP BY 1, 2
                    """
            } ?? "SELECT measure, 'all', sum(count)::bigint FROM counts WHERE \(days) GROUP BY 1"
        var sums: [String: [String: Int64]] = [:]
        let rows = try await db.answers(to: statement) { row in
            try (row.next(as: String.self), row.next(as: String.self), row.next(as: Int64.self))
        }
        for (measure, value, count) in rows { sums[measure, default: [:]][value] = count }
        let funnel = Funnel(
            Funnel.measures.map { measure in
                var counts = measure.counted.reduce(into: [:]) { counts, name in
                    counts.merge(sums[name] ?? [:], uniquingKeysWith: +)
                }
                // The empty name stands for all others.
                let others = counts.removeValue(forKey: "") ?? 0
                guard let only = wanted.only else { return Int(counts["all"] ?? 0) }
                guard measure.dimensions.contains(only.dimension) else { return nil }
                return ToldCounts(counts, others: others, of: only.dimension, least: least)[only.value]
            })
        try require(wanted.only, isCounted: funnel.steps.contains { $0.count ?? 0 > 0 })
        return funnel
    }
}
