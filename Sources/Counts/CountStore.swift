import Foundation
import Kernel
package import Postgres

/// Every statement on `counts` and `count_positions`.
package struct CountStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// How far a source was counted. Zero if nothing of it was.
    package func position(of source: String) async throws -> Int64 {
        try await db.bulk.ofPrimary.first("SELECT position FROM count_positions WHERE source = \(source)") {
            try $0.next()
        } ?? 0
    }

    /// Adds tallies to their sums, once: only if the source was counted up to a position, and then it is up
    /// to the next. False if another server was faster, or a statement changed fewer rows than it must.
    /// - Parameter taking: the statements that take away what is counted, and how many rows they must change.
    ///   Nil: any number.
    package func add(
        _ tallies: [Tally], of source: String, from position: Int64, to next: Int64,
        taking: [(statement: Statement, rows: Int?)] = []
    ) async throws -> Bool {
        var sums = tallies.sums
        for (key, former) in try await stored(Array(sums.keys)) { sums[key]?.merge(former) }
        let move: Statement = """
            WITH moved AS (
                UPDATE count_positions SET position = \(next) WHERE source = \(source) AND position = \(position)
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM moved), \(Outcome.overtaken))
            """
        let taken: [Statement] = taking.map { statement, rows in
            guard let rows else { return statement }
            return """
                WITH taken AS (\(statement) RETURNING 1)
                SELECT require((SELECT count(*) FROM taken) = \(rows), \(Outcome.overtaken))
                """
        }
        let done = try await db.bulk.batch(
            [move] + taken + (sums.isEmpty ? [] : [Self.write(sums)]), unless: Outcome.overtaken)
        return done != nil
    }

    /// Returns the sums of a subject of the last days, including today.
    /// - Parameter more: a query of further rows: measure, day, count, parts and sketch.
    package func sums(
        of subject: String, _ measures: [String], days: Int, _ policy: CountPolicy, and more: Statement
    ) async throws -> [Tally.Key: DaySum] {
        let rows = try await db.read.query(
            """
            SELECT \(subject)::text, m.* FROM (
                SELECT measure, day::text, count, parts, sketch FROM counts
                WHERE subject = \(subject) AND measure = ANY(\(measures)) AND day > \(policy.today) - \(Int64(days))::int
                UNION ALL
                \(more)) AS m (measure, day, count, parts, sketch)
            WHERE m.day > (\(policy.today) - \(Int64(days))::int)::text
            """, Self.read)
        return rows.reduce(into: [:]) { sums, row in sums[row.0, default: DaySum()].merge(row.1) }
    }

    /// Returns the statement that deletes all sums of subjects.
    /// - Parameter subjects: an array of them.
    package static func forget(subjects: Statement) -> Statement {
        "DELETE FROM counts WHERE subject = ANY(\(subjects))"
    }

    private func stored(_ keys: [Tally.Key]) async throws -> [(Tally.Key, DaySum)] {
        guard !keys.isEmpty else { return [] }
        return try await db.bulk.ofPrimary.query(
            """
            SELECT c.subject, c.measure, c.day::text, c.count, c.parts, c.sketch
            FROM counts c
            JOIN unnest(\(keys.map(\.subject)), \(keys.map(\.measure)), \(keys.map(\.day)))
                AS t (subject, measure, day)
                ON c.subject = t.subject AND c.measure = t.measure AND c.day = t.day::date
            """, Self.read)
    }

    private static func write(_ sums: [Tally.Key: DaySum]) -> Statement {
        // Rows are written in one order, so that two writers never wait for each other.
        let sums = sums.sorted { $0.key < $1.key }.map { key, sum in
            var sum = sum
            sum.parts.bound()
            return (key: key, sum: sum)
        }
        return """
            INSERT INTO counts (subject, measure, day, count, parts, sketch)
            SELECT t.subject, t.measure, t.day::date, t.count, nullif(t.parts, '{}'), nullif(decode(t.sketch, 'base64'), '')
            FROM unnest(\(sums.map(\.key.subject)), \(sums.map(\.key.measure)), \(sums.map(\.key.day)),
                        \(sums.map(\.sum.total)), \(sums.map(\.sum.parts.json)),
                        \(sums.map { Data($0.sum.sketch?.bytes ?? []).base64EncodedString() })) AS t (subject, measure, day, count, parts, sketch)
            ON CONFLICT (subject, measure, day)
                DO UPDATE SET count = excluded.count, parts = excluded.parts, sketch = excluded.sketch
            """
    }

    private static func read(_ row: inout Row) throws -> (Tally.Key, DaySum) {
        try (Tally.Key(row.next(), row.next(), on: row.next()), DaySum(row: &row))
    }

    private enum Outcome: String, GuardOutcome {
        case overtaken
    }
}

/// Old days become months.
extension CountStore {
    private static let isInMonth: Statement = "extract(day FROM day) <> 1"

    /// Merges the sums of each month that ended long enough ago into one, for some subjects at a time.
    package func keepMonths(_ policy: CountPolicy) async throws {
        let month = try await db.bulk.first(
            "SELECT date_trunc('month', \(policy.today) - \(Int64(policy.days))::int)::date::text"
        ) { try $0.next(as: String.self) }
        while let month {
            let subjects = try await subjects(before: month)
            if subjects.isEmpty { return }
            try await merge(subjects, before: month)
        }
    }

    /// Returns some subjects that have sums of days before a month.
    private func subjects(before month: String) async throws -> [String] {
        try await db.bulk.ofPrimary.query(
            """
            SELECT DISTINCT subject FROM (
                SELECT subject FROM counts WHERE day < \(month)::date AND \(Self.isInMonth) ORDER BY day LIMIT 500) AS old
            """
        ) { try $0.next() }
    }

    private func merge(_ subjects: [String], before month: String) async throws {
        let old: Statement = "subject = ANY(\(subjects)) AND day < \(month)::date"
        let rows = try await db.bulk.ofPrimary.query(
            "SELECT subject, measure, day::text, count, parts, sketch FROM counts WHERE \(old)", Self.read)
        var months: [Tally.Key: DaySum] = [:]
        for (key, sum) in rows {
            months[.init(key.subject, key.measure, on: "\(key.day.prefix(7))-01"), default: DaySum()].merge(
                sum)
        }
        let days = rows.filter { !$0.0.day.hasSuffix("-01") }.count
        try await db.bulk.batch(
            [
                // What one server has merged, another does not find.
                "SELECT pg_advisory_xact_lock(hashtext('counts'))",
                """
                WITH gone AS (DELETE FROM counts WHERE \(old) AND \(Self.isInMonth) RETURNING 1)
                SELECT require((SELECT count(*) FROM gone) = \(days), \(Outcome.overtaken))
                """,
                Self.write(months),
            ], unless: Outcome.overtaken)
    }
}

extension DaySum {
    /// Reads count, parts and sketch.
    package init(row: inout Row) throws {
        count = try row.next()
        parts = try row.next(as: String?.self).flatMap(CountParts.init(json:)) ?? CountParts()
        sketch = try row.next(as: [UInt8]?.self).flatMap(Sketch.init(bytes:))
    }
}

extension CountPolicy {
    /// Returns the day of a time, in SQL.
    package func day(of time: Statement) -> Statement {
        "(\(time) AT TIME ZONE \(zone.identifier))::date"
    }

    package var today: Statement { day(of: "now()") }
}
