import Foundation
import Kernel
package import Postgres

/// Every statement on `counts` and `count_positions`.
package struct CountStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// How far a source was counted. Throws a `MissingPosition` if somebody deleted its row.
    package func position(of source: String) async throws -> Int64 {
        let found = try await db.bulk.ofPrimary.first(
            "SELECT position FROM count_positions WHERE source = \(source)"
        ) { try $0.next(as: Int64.self) }
        guard let found else { throw MissingPosition(source: source) }
        return found
    }

    /// Adds a part of a source to its sums, once: only if the source was counted up to a position, and then
    /// it is up to the part's end. False if another server was faster, or a statement changed fewer rows than
    /// it must.
    package func add(
        _ part: CountedPart, of source: String, from position: Int64
    ) async throws -> Bool {
        var sums = part.tallies.sums
        if part.way != .replacing {
            for (key, former) in try await stored(Array(sums.keys)) { sums[key]?.merge(former) }
        }
        if part.way == .tellingApart {
            for (key, sum) in sums { sums[key]?.count = Int64(sum.members?.count ?? 0) }
        }
        let move: Statement = """
            WITH moved AS (
                UPDATE count_positions SET position = \(part.end) WHERE source = \(source) AND position = \(position)
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM moved), \(Outcome.overtaken))
            """
        let taken: [Statement] = part.taking.map { statement, rows in
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
    /// - Parameter more: a query of further rows: measure, day, count, parts and members.
    package func sums(
        of subject: String, _ measures: [String], days: Int, _ policy: CountPolicy, and more: Statement
    ) async throws -> [Tally.Key: DaySum] {
        let rows = try await db.read.query(
            """
            SELECT \(subject)::text, m.* FROM (
                SELECT measure, day::text, count, parts::text, members FROM counts
                WHERE subject = \(subject) AND measure = ANY(\(measures)) AND day > \(policy.today) - \(Int64(days))::int
                UNION ALL
                \(more)) AS m (measure, day, count, parts, members)
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
            SELECT c.subject, c.measure, c.day::text, c.count, c.parts::text, c.members
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
            INSERT INTO counts (subject, measure, day, count, parts, members)
            SELECT t.subject, t.measure, t.day::date, t.count, nullif(t.parts, '{}')::jsonb, nullif(decode(t.members, 'base64'), '')
            FROM unnest(\(sums.map(\.key.subject)), \(sums.map(\.key.measure)), \(sums.map(\.key.day)),
                        \(sums.map(\.sum.count)), \(sums.map(\.sum.parts.json)),
                        \(sums.map { Data($0.sum.members?.bytes ?? []).base64EncodedString() })) AS t (subject, measure, day, count, parts, members)
            ON CONFLICT (subject, measure, day)
                DO UPDATE SET count = excluded.count, parts = excluded.parts, members = excluded.members
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
    /// - Parameter levels: the measures of which a month keeps what was last.
    package func keepMonths(_ policy: CountPolicy, levels: Set<String> = []) async throws {
        let month = try await db.bulk.first(
            "SELECT date_trunc('month', \(policy.today) - \(Int64(policy.days))::int)::date::text"
        ) { try $0.next(as: String.self) }
        while let month {
            let subjects = try await subjects(before: month)
            if subjects.isEmpty { return }
            try await merge(subjects, before: month, levels)
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

    private func merge(
        _ subjects: [String], before month: String, _ levels: Set<String>
    ) async throws {
        let old: Statement = "subject = ANY(\(subjects)) AND day < \(month)::date"
        let rows = try await db.bulk.ofPrimary.query(
            "SELECT subject, measure, day::text, count, parts::text, members FROM counts WHERE \(old) ORDER BY day",
            Self.read)
        var months: [Tally.Key: DaySum] = [:]
        for (key, sum) in rows {
            let month = Tally.Key(key.subject, key.measure, on: "\(key.day.prefix(7))-01")
            if levels.contains(key.measure) {
                months[month] = sum
            } else {
                months[month, default: DaySum()].merge(sum)
            }
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
    /// Reads count, parts as text, and members. Throws an `UnreadableSum` if somebody else wrote them.
    package init(row: inout Row) throws {
        count = try row.next()
        if let text = try row.next(as: String?.self) {
            guard let read = CountParts(json: text) else { throw UnreadableSum() }
            parts = read
        }
        if let bytes = try row.next(as: [UInt8]?.self) {
            guard let read = Sketch(bytes: bytes) else { throw UnreadableSum() }
            members = read
        }
    }
}

/// The error that `count_positions` says nothing of a source, so that nobody knows what of it was counted.
struct MissingPosition: Error, CustomStringConvertible {
    let source: String

    var description: String { "count_positions has no row for \(source): insert it with the last position" }
}

/// The error that a row of `counts` does not hold what Kith wrote. Nothing is counted until it is corrected
/// or deleted, so that nothing is lost in silence.
struct UnreadableSum: Error, CustomStringConvertible {
    var description: String { "a row of counts has parts or members that Kith did not write" }
}

extension CountPolicy {
    /// Returns the day of a time, in SQL.
    package func day(of time: Statement) -> Statement {
        "(\(time) AT TIME ZONE \(zone.identifier))::date"
    }

    package var today: Statement { day(of: "now()") }
}
