package import Foundation
package import Postgres
import Synchronization
package import Web

/// The salts of `visitor_salts`, by which visitors and people are told apart: one a day and one a month. Each
/// process reads today's once, for all.
package final class SaltStore: Sendable {
    /// How long the same person has the same hash.
    package enum Span: String, Sendable {
        case day, month
    }

    /// A salt, and the number of the day on which it was read.
    private typealias Salt = (day: Int, salt: [UInt8])

    private struct State {
        var known: [Span: Salt] = [:]
        var reading: [Span: Task<[UInt8], any Error>] = [:]
    }

    private let db: Database
    private let world: World
    /// Whose days have a salt.
    private let zone: TimeZone
    private let state = Mutex(State())

    package init(db: Database, world: World, zone: TimeZone) {
        (self.db, self.world, self.zone) = (db, world, zone)
    }

    /// Returns the first day of the span that is now, such as `2026-11-01`.
    package func first(of span: Span) -> String {
        let day = DaySpan.day(of: world.now(), in: zone)
        return span == .day ? day : "\(day.prefix(7))-01"
    }

    /// Returns today's salt, which the first call of a day creates. Calls that come while it is read wait for
    /// it, and share its error. The next call tries again.
    package func today(_ span: Span = .day) async throws -> [UInt8] {
        let now = world.now()
        let day = (Int(now.timeIntervalSince1970) + zone.secondsFromGMT(for: now)) / 86_400
        if let known = state.withLock({ $0.known[span] }), known.day == day { return known.salt }
        let reading = state.withLock { state in
            if let reading = state.reading[span] { return reading }
            let reading = Task { try await read(span) }
            state.reading[span] = reading
            return reading
        }
        return try await reading.value
    }

    private func read(_ span: Span) async throws -> [UInt8] {
        defer { state.withLock { $0.reading[span] = nil } }
        let first: Statement = span == .day ? today : "date_trunc('month', \(today))::date"
        let results = try await db.write.with(deadline: .seconds(2)).batch([
            // Visitors wait for this.
            "SET LOCAL lock_timeout = '500ms'",
            """
            INSERT INTO visitor_salts (day, span, salt) VALUES (\(first), \(span.rawValue), \(world.randomBytes(32)))
            ON CONFLICT DO NOTHING
            """,
            """
            SELECT (\(today) - DATE '1970-01-01')::int8, salt FROM visitor_salts
            WHERE day = \(first) AND span = \(span.rawValue)
            """,
        ])
        // The day is that of the database, whose clock may differ from this machine's.
        let found = try results[2].first { row in
            (day: Int(try row.next(as: Int64.self)), salt: try row.next(as: [UInt8].self))
        }
        guard let found else { throw Missing() }
        state.withLock { $0.known[span] = found }
        return found.salt
    }

    /// Returns the salts of today and yesterday. Nobody can recognise earlier taps.
    package func recent() async throws -> [[UInt8]] {
        try await db.read.query("SELECT salt FROM visitor_salts WHERE day >= \(today) - 1 AND span = 'day'") {
            try $0.next()
        }
    }

    /// Deletes the salts of the days before yesterday, and of the months before yesterday's.
    package func forgetOld() async throws {
        try await db.write.run(
            """
            DELETE FROM visitor_salts
            WHERE span = 'day' AND day < \(today) - 1
               OR span = 'month' AND day < date_trunc('month', \(today) - 1)::date
            """)
    }

    private var today: Statement { "(now() AT TIME ZONE \(zone.identifier))::date" }

    /// The error that another session deleted today's salt within the batch.
    struct Missing: Error {}
}
