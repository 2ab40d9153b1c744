import Kernel
import Postgres

/// Old days become months.
extension CountStore {
    private static let isInMonth: Statement = "extract(day FROM day) <> 1"

    /// The sums of a subject and measure in a month.
    struct Month: Hashable, Sendable {
        var subject: String
        var measure: String
        /// The first day.
        var first: String
        /// How large all of them are together.
        var bytes: Int64

        /// Returns parts of months that are read at once: each has at most so many bytes, or one month.
        static func parts(of months: [Month], mostBytes: Int64 = 1_000_000) -> [[Month]] {
            var (parts, bytes): ([[Month]], Int64) = ([], 0)
            for month in months {
                if parts.isEmpty || bytes + month.bytes > mostBytes {
                    parts.append([])
                    bytes = 0
                }
                parts[parts.count - 1].append(month)
                bytes += month.bytes
            }
            return parts
        }
    }

    /// Merges the sums of each month that ended long enough ago into one, some at a time.
    /// - Parameter levels: the measures of which a month keeps what was last.
    package func keepMonths(_ policy: CountPolicy, levels: Set<String> = []) async throws {
        let first = try await db.bulk.first(
            "SELECT date_trunc('month', \(policy.today) - \(Int64(policy.days))::int)::date::text"
        ) { try $0.next(as: String.self) }
        while let first, !Task.isCancelled {
            let months = try await months(before: first)
            if months.isEmpty { return }
            for part in Month.parts(of: months) { try await merge(part, levels) }
        }
    }

    /// Returns some months that have sums of days, before a month.
    func months(before first: String) async throws -> [Month] {
        try await db.bulk.ofPrimary.query(
            """
            WITH g AS MATERIALIZED (
                SELECT DISTINCT subject, measure, date_trunc('month', day)::date AS month FROM (
                    SELECT subject, measure, day FROM counts WHERE day < \(first)::date AND \(Self.isInMonth)
                    ORDER BY day LIMIT 500) AS days)
            SELECT g.subject, g.measure, g.month::text,
                   sum(100 + coalesce(pg_column_size(c.parts), 0) + coalesce(octet_length(c.members), 0))::int8
            FROM g JOIN counts c ON \(Self.isInGivenMonth)
            GROUP BY g.subject, g.measure, g.month
            """
        ) { try Month(subject: $0.next(), measure: $0.next(), first: $0.next(), bytes: $0.next()) }
    }

    private static let isInGivenMonth: Statement = """
        \(isOfGiven) AND c.day >= g.month AND c.day < (g.month + interval '1 month')::date
        """

    /// What another server or a deletion changed meanwhile stays, for the next time.
    private func merge(_ months: [Month], _ levels: Set<String>) async throws {
        let rows = try await db.bulk.ofPrimary.query(
            """
            SELECT c.subject, c.measure, c.day::text, c.count, c.parts::text, c.members
            FROM (SELECT t.subject, t.measure, t.month::date AS month
                  FROM unnest(\(months.map(\.subject)), \(months.map(\.measure)), \(months.map(\.first)))
                      AS t (subject, measure, month)) AS g
            JOIN counts c ON \(Self.isInGivenMonth)
            ORDER BY c.day
            """, Self.read)
        var sums: [Tally.Key: DaySum] = [:]
        for (key, sum) in rows {
            let month = Tally.Key(key.subject, key.measure, on: "\(key.day.prefix(7))-01")
            if levels.contains(key.measure) {
                sums[month] = sum
            } else {
                sums[month, default: DaySum()].merge(sum)
            }
        }
        let former = Dictionary(rows) { first, _ in first }
        if try await db.bulk.replacing(Self.replace(former.mapValues(\.count), with: sums)) { tell(former) }
    }
}
