import Foundation
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

@testable import Kernel
@testable import Operations

/// Migrations that meet a table in use, or another migrator.
@Suite(.inTurns) struct MigratorLockTests {
    /// A database with the first two migrations, and one more connection to it.
    private func withDatabase(_ body: (Database, Session) async throws -> Void) async throws {
        let url = try await TestPostgres.shared.database()
        let (db, other) = (
            try Database(Database.Configuration(url: url)), try Database(Database.Configuration(url: url))
        )
        _ = try await Migrator(db).migrate(to: 2)
        try await other.withConnection { try await body(db, $0) }
        await db.close()
        await other.close()
    }

    @Test func `a migration whose table is in use is tried again until it is free, and says so`() async throws
    {
        try await withDatabase { (db, session) async throws in
            try await session.script("BEGIN; LOCK TABLE users IN ROW EXCLUSIVE MODE")
            let told = Mutex<[String]>([])
            let migrating = Task {
                try await Migrator(db).migrate(to: 3) { progress in told.withLock { $0.append("\(progress)") }
                }
            }
            try await waitUntil("it was told twice") {
                told.withLock { $0.count { $0.contains("in use") } } >= 2
            }
            try await session.script("COMMIT")
            #expect(try await migrating.value.map(\.version) == [3])
            #expect(told.withLock { $0.first } == "applying 0003_usernames.sql")
        }
    }

    @Test func `it gives up in the end, and nothing of it is left`() async throws {
        try await withDatabase { (db, session) async throws in
            try await session.script("BEGIN; LOCK TABLE users IN ROW EXCLUSIVE MODE")
            let error = await #expect(throws: PostgresError.self) {
                try await Migrator(db, patience: .zero).migrate(to: 3)
            }
            #expect(error?.sqlState == "55P03")
            try await session.script("COMMIT")
            #expect(try await Migrator(db).status().applied.map(\.version) == [1, 2])
        }
    }

    @Test func `it waits less than reads at first, and never for two seconds`() {
        let waits = (0..<20).compactMap { attempt in
            Migrator.settings(attempt).firstMatch(of: /lock_timeout = (\d+);/).flatMap { Int($0.1) }
        }
        let ofReads = Database.Configuration(url: "").read.lockTimeout
        #expect(Duration.milliseconds(waits[0]) < ofReads)
        #expect(waits.count == 20 && waits == waits.sorted() && waits.last == 1500)
    }

    @Test func `a migrator that waits for another says which process that is`() async throws {
        try await withDatabase { (db, session) async throws in
            let process = try await session.first("SELECT pg_try_advisory_lock(1802073192), pg_backend_pid()")
            {
                _ = try $0.next(as: Bool.self)
                return try $0.next(as: Int.self)
            }
            let told = Mutex<[String]>([])
            let migrating = Task {
                try await Migrator(db).migrate(to: 3) { progress in told.withLock { $0.append("\(progress)") }
                }
            }
            try await waitUntil("it waits") { told.withLock { !$0.isEmpty } }
            let text = "waiting: another migrator is at work (PostgreSQL process \(try #require(process)))"
            #expect(told.withLock { $0 } == [text])
            try await session.script("SELECT pg_advisory_unlock(1802073192)")
            #expect(try await migrating.value.map(\.version) == [3])
        }
    }
}
