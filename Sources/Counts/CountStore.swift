import Foundation
import Kernel
package import Postgres

/// Every statement that writes `counts` and `count_positions`.
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
    /// it is up to the part's end. False if another server was faster, a statement changed fewer rows than it
    /// must, or somebody changed or deleted the sums meanwhile.
    package func add(
        _ part: CountedPart, of source: String, from position: Int64
    ) async throws -> Bool {
        var sums = part.tallies.sums
        let former = try await stored(Array(sums.keys))
        if part.way != .replacing {
            for (key, former) in former { sums[key]?.merge(former) }
        }
        if part.way == .tellingApart {
            for (key, sum) in sums { sums[key]?.count = Int64(sum.members?.count ?? 0) }
        }
        let move: Statement = """
            WITH moved AS (
                UPDATE count_positions SET position = \(part.end) WHERE source = \(source) AND position = \(position)
                RETURNING 1)
            SELECT require(EXISTS (SELECT FROM moved), \(Overtaken.overtaken))
            """
        let taken: [Statement] = part.taking.map { statement, rows in
            guard let rows else { return statement }
            return """
                WITH taken AS (\(statement) RETURNING 1)
                SELECT require((SELECT count(*) FROM taken) = \(rows), \(Overtaken.overtaken))
                """
        }
        return try await db.bulk.replacing(
            [move] + taken + Self.replace(former.mapValues(\.count), with: sums))
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

    /// Waits until what is being counted is counted. Until the transaction ends nobody counts, and who does
    /// afterwards sees what was committed before.
    package static let waitForCounting: Statement = "SELECT 1 FROM count_positions FOR UPDATE"

    private func stored(_ keys: [Tally.Key]) async throws -> [Tally.Key: DaySum] {
        guard !keys.isEmpty else { return [:] }
        let rows = try await db.bulk.ofPrimary.query(
            """
            SELECT c.subject, c.measure, c.day::text, c.count, c.parts::text, c.members
            FROM counts c
            JOIN unnest(\(keys.map(\.subject)), \(keys.map(\.measure)), \(keys.map(\.day)))
                AS t (subject, measure, day)
                ON c.subject = t.subject AND c.measure = t.measure AND c.day = t.day::date
            """, Self.read)
        return Dictionary(rows) { first, _ in first }
    }

    static func read(_ row: inout Row) throws -> (Tally.Key, DaySum) {
        try (Tally.Key(row.next(), row.next(), on: row.next()), DaySum(row: &row))
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

extension CountStore {
    /// Writes sums of days of which nothing was counted, such as those of a demo. Sums that are there stay.
    package func write(_ sums: [Tally.Key: DaySum]) async throws {
        let keys = sums.keys.sorted()
        for start in stride(from: 0, to: keys.count, by: 2000) {
            let part = Array(keys[start..<min(start + 2000, keys.count)])
            let former = try await stored(part)
            let new = part.filter { former[$0] == nil }.map { ($0, sums[$0] ?? DaySum()) }
            _ = try await db.bulk.replacing(Self.replace([:], with: Dictionary(uniqueKeysWithValues: new)))
        }
    }
}
