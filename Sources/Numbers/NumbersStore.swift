import Counts
package import Kernel
import Links
package import Postgres
import Web

/// Reads sums for numbers.
package struct NumbersStore: Sendable {
    let db: Database
    /// All domains of deep links, and the keys of all apps. Of others there are numbers only from before. Nil
    /// if nobody said which there are: then others count 0.
    let domains: [LinkDomain]?
    let apps: Set<String>?

    package init(db: Database, domains: [LinkDomain]? = nil, apps: Set<String>? = nil) {
        (self.db, self.domains, self.apps) = (db, domains, apps)
    }

    /// Returns the numbers of a measure.
    /// - Parameter least: numbers by a place or a page that are lower are not told.
    func numbers(of measure: Measure, _ wanted: NumbersRequest, least: Int) async throws -> MeasuredNumbers {
        try await require(wanted.part)
        let links = try await links(of: wanted)
        let dimension = measure.counting == .durations ? .seconds : wanted.by ?? wanted.only?.dimension
        let sums = try await sums(of: measure, wanted, links, by: dimension)
        var numbers = try await QuestionThread.shared.run {
            MeasuredNumbers(sums, wanted, of: measure, least: least)
        }
        numbers.linksLeftOut = links?.leftOut
        try require(wanted.only, isCounted: numbers.total.total ?? 0 > 0)
        if let base = measure.base.flatMap(Measure.named) {
            numbers.base = try await self.base(base, wanted.ofBase, least: least)
        }
        return numbers
    }

    /// Returns that of which numbers with a filter are a share. It has the same filter.
    private func base(_ base: Measure, _ wanted: NumbersRequest, least: Int) async throws
        -> MeasuredNumbers.Base
    {
        let dimension = wanted.only?.dimension
        if let dimension, !base.dimensions.contains(dimension) {
            let reason = "\(base.name) does not divide by \(dimension.rawValue)"
            return MeasuredNumbers.Base(measure: base.name, series: nil, reason: reason)
        }
        let all = try await sums(of: base, wanted, nil, by: dimension)
        return try await QuestionThread.shared.run {
            MeasuredNumbers.Base(
                measure: base.name, series: MeasuredNumbers(all, wanted, of: base, least: least).total)
        }
    }

    /// Returns the sums of a measure from a day to another, oldest first, and how they divide by one
    /// dimension. A month that became one stands at its first day.
    private func sums(
        of measure: Measure, _ wanted: NumbersRequest, _ links: TaggedLinks?, by dimension: CountDimension?
    ) async throws -> [(day: String, sum: DaySum)] {
        let span = wanted.span
        if measure.scope == .versions {
            return try await VersionNumbersStore(db: db).sums(
                of: measure, by: dimension, within: wanted.filters, span)
        }
        let rows: Statement =
            "measure = ANY(\(measure.counted)) AND day BETWEEN \(span.first)::date AND \(span.last)::date"
        if let links { return try await read(added(links.urls, rows, by: dimension)) }
        // The parts of years may be large: those of one dimension are enough.
        let part: Statement =
            dimension.map {
                "jsonb_build_object(\($0.rawValue)::text, parts -> \($0.rawValue)::text)::text"
            } ?? "NULL::text"
        let members: Statement = measure.counting == .members ? "members" : "NULL::bytea"
        let found = try await read(
            "SELECT day::text, count, \(part), \(members) FROM counts WHERE subject = \(wanted.part.subject) AND \(rows) ORDER BY day"
        )
        return measure.counting == .members ? Self.different(found) : found
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

    private func read(_ statement: Statement) async throws -> [(day: String, sum: DaySum)] {
        try await db.answers(to: statement) { row in try (day: row.next(), sum: DaySum(row: &row)) }
    }

    /// Returns a query of the sums of many subjects together, by day. Of a day and dimension the most
    /// frequent values stay, as in the sums themselves.
    private func added(_ subjects: [String], _ wanted: Statement, by dimension: CountDimension?) -> Statement
    {
        guard let dimension else {
            return """
                SELECT day::text, sum(count)::bigint, NULL::text, NULL::bytea FROM counts c
                WHERE subject = ANY(\(subjects)) AND \(wanted)
                GROUP BY day ORDER BY day
                """
        }
        return """
            WITH summed AS MATERIALIZED (
                -- The total of a row stands beside its first value, or alone.
                SELECT c.day, v.value, sum(v.count) AS count,
                       sum(c.count) FILTER (WHERE coalesce(v.place, 1) = 1) AS total
                FROM counts c
                LEFT JOIN LATERAL (\(CountStore.parts(by: dimension, in: "c.parts"))) AS v ON true
                WHERE subject = ANY(\(subjects)) AND \(wanted)
                GROUP BY c.day, v.value),
            ranked AS (
                SELECT day, value, count, total,
                       row_number() OVER (PARTITION BY day, value = '' ORDER BY count DESC NULLS LAST, value) AS rank
                FROM summed),
            bounded AS (
                SELECT day, CASE WHEN rank <= \(Int64(CountParts.mostValues)) THEN value WHEN value IS NOT NULL THEN '' END AS value,
                       sum(count) AS count, sum(total) AS total
                FROM ranked GROUP BY 1, 2)
            SELECT day::text, sum(total)::bigint,
                   json_build_object(\(dimension.rawValue)::text, json_object_agg(value, count) FILTER (WHERE value IS NOT NULL))::text,
                   NULL::bytea
            FROM bounded GROUP BY day ORDER BY day
            """
    }
}
