import Foundation
import Kernel
package import Postgres

/// Every statement that writes `counts` and `count_positions`.
package struct CountStore: Sendable {
    package var db: Database
    /// Tells operators of sums that could not be read. Their counts stay, and how they divide begins anew.
    let report: @Sendable (_ unreadable: [Tally.Key]) -> Void

    package init(db: Database, report: @escaping @Sendable (_ unreadable: [Tally.Key]) -> Void = { _ in }) {
        (self.db, self.report) = (db, report)
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
    /// it is up to the part's end. False if another server is or was faster, a statement changed fewer rows
    /// than it must, or somebody changed or deleted the sums meanwhile.
    package func add(
        _ part: CountedPart, of source: String, from position: Int64
    ) async throws -> Bool {
        // Who comes second is refused here, and not by the guards of the transaction: each refusal of those
        // is an error in PostgreSQL's log.
        guard let hold = try await hold(source, at: position) else { return false }
        do {
            if try await write(part, of: source, from: position) { return true }
        } catch {
            await release(source, hold)
            throw error
        }
        await release(source, hold)
        return false
    }

    /// Keeps other servers from counting a source that was counted up to a position, and returns until when:
    /// so long they wait if this one ends meanwhile. Nil if one of them is at it, or has moved the position.
    private func hold(_ source: String, at position: Int64) async throws -> Date? {
        try await db.bulk.first(
            """
            UPDATE count_positions SET held_until = now() + interval '10 seconds'
            WHERE source = \(source) AND position = \(position) AND (held_until IS NULL OR held_until < now())
            RETURNING held_until
            """
        ) { try $0.next(as: Date.self) }
    }

    /// Lets other servers count a source, but not beside one that holds it by now.
    private func release(_ source: String, _ hold: Date) async {
        // Also if the server stops, so that another one goes on at once.
        _ = await Task {
            try? await db.bulk.run(
                "UPDATE count_positions SET held_until = NULL WHERE source = \(source) AND held_until = \(hold)"
            )
        }.value
    }

    private func write(_ part: CountedPart, of source: String, from position: Int64) async throws -> Bool {
        var sums = part.tallies.sums
        let former = try await stored(Array(sums.keys))
        if part.way != .replacing {
            for (key, former) in former { sums[key]?.merge(former) }
        }
        if part.way == .tellingApart {
            for (key, sum) in sums {
                // The count of one whose members could not be read stays until there are more.
                sums[key]?.count = max(former[key]?.count ?? 0, Int64(sum.members?.count ?? 0))
            }
        }
        let move: Statement = """
            WITH moved AS (
                UPDATE count_positions SET position = \(part.end), held_until = NULL
                WHERE source = \(source) AND position = \(position)
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
        let isWritten = try await db.bulk.replacing(
            [move] + taken + Self.replace(former.mapValues(\.count), with: sums))
        if isWritten { tell(former) }
        return isWritten
    }

    /// Reports which of some sums that were replaced could not be read.
    func tell(_ former: [Tally.Key: DaySum]) {
        let unreadable = former.filter { !$0.value.isWhole }.keys.sorted()
        if !unreadable.isEmpty { report(unreadable) }
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
            FROM (SELECT t.subject, t.measure, t.day::date AS day
                  FROM unnest(\(keys.map(\.subject)), \(keys.map(\.measure)), \(keys.map(\.day)))
                      AS t (subject, measure, day)) AS g
            JOIN counts c ON \(Self.isGiven)
            """, Self.read)
        return Dictionary(rows) { first, _ in first }
    }

    static func read(_ row: inout Row) throws -> (Tally.Key, DaySum) {
        try (Tally.Key(row.next(), row.next(), on: row.next()), DaySum(row: &row))
    }
}

extension DaySum {
    /// Reads count, parts as text, and members.
    package init(row: inout Row) throws {
        count = try row.next()
        if let text = try row.next(as: String?.self) {
            let read = CountParts(json: text)
            (parts, isWhole) = (read ?? CountParts(), read != nil)
        }
        if let bytes = try row.next(as: [UInt8]?.self) {
            members = Sketch(bytes: bytes)
            isWhole = isWhole && members != nil
        }
    }
}

/// The error that `count_positions` says nothing of a source, so that nobody knows what of it was counted.
struct MissingPosition: Error, CustomStringConvertible {
    let source: String

    var description: String { "count_positions has no row for \(source): insert it with the last position" }
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
