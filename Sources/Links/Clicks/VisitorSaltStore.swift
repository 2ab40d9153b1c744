package import Foundation
package import Postgres
import Synchronization
package import Web

/// The salts of `visitor_salts`, one for each day. Each process reads today's once, for all visitors.
package final class VisitorSaltStore: Sendable {
    private typealias Salt = (day: Int, salt: [UInt8])

    private let db: Database
    private let world: World
    /// Whose days have a salt.
    private let zone: TimeZone
    private let state = Mutex((known: Salt?.none, reading: Task<[UInt8], any Error>?.none))

    package init(db: Database, world: World, zone: TimeZone) {
        (self.db, self.world, self.zone) = (db, world, zone)
    }

    /// Returns today's salt, which the first call of a day creates. Calls that come while it is read wait for
    /// it, and share its error. The next call tries again.
    func today() async throws -> [UInt8] {
        let now = world.now()
        let day = (Int(now.timeIntervalSince1970) + zone.secondsFromGMT(for: now)) / 86_400
        if let known = state.withLock({ $0.known }), known.day == day { return known.salt }
        let reading = state.withLock { state in
            if let reading = state.reading { return reading }
            let reading = Task { try await read() }
            state.reading = reading
            return reading
        }
        return try await reading.value
    }

    private func read() async throws -> [UInt8] {
        defer { state.withLock { $0.reading = nil } }
        let results = try await db.write.with(deadline: .seconds(2)).batch([
            // Visitors wait for this.
            "SET LOCAL lock_timeout = '500ms'",
            """
            INSERT INTO visitor_salts (day, salt) VALUES (\(today), \(world.randomBytes(32)))
            ON CONFLICT DO NOTHING
            """,
            """
            SELECT (day - DATE '1970-01-01')::int8, salt FROM visitor_salts WHERE day = \(today)
            """,
        ])
        // The day is that of the database, whose clock may differ from this machine's.
        let found = try results[2].first { row in
            (day: Int(try row.next(as: Int64.self)), salt: try row.next(as: [UInt8].self))
        }
        guard let found else { throw Missing() }
        state.withLock { $0.known = found }
        return found.salt
    }

    /// Returns the salts of today and yesterday. Nobody can recognise earlier taps.
    func recent() async throws -> [[UInt8]] {
        try await db.read.query("SELECT salt FROM visitor_salts WHERE day >= \(today) - 1") {
            try $0.next()
        }
    }

    /// Deletes the salts of the days before yesterday.
    package func forgetOld() async throws {
        try await db.write.run("DELETE FROM visitor_salts WHERE day < \(today) - 1")
    }

    private var today: Statement { "(now() AT TIME ZONE \(zone.identifier))::date" }

    /// The error that another session deleted today's salt within the batch.
    struct Missing: Error {}
}
