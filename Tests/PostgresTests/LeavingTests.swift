import Foundation
import Postgres
import TestSupport
import Testing

/// Callers that leave before their answer comes: cancelled, or past their deadline.
@Suite(.inTurns) struct LeavingTests {
    /// Writes over one connection, so that a stray cancel would hit the next statement.
    private func withTable(_ body: (Database) async throws -> Void) async throws {
        try await Server.withDatabase({ $0.write.connections = 1 }) { (database) async throws in
            try await database.write.run("CREATE TABLE notes (id int8)")
            try await body(database)
        }
    }

    private func waitUntilAsleep(_ database: Database) async throws {
        try await waitUntil("it sleeps") {
            try await database.read.run(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
            )
                > 0
        }
    }

    @Test func `a cancelled write returns at once, is stopped, and the next one runs`() async throws {
        try await withTable { (database) async throws in
            for round in 0..<10 {
                let task = Task {
                    try await database.write.batch(["INSERT INTO notes VALUES (0)", "SELECT pg_sleep(30)"])
                }
                try await waitUntilAsleep(database)
                let start = ContinuousClock.now
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
                #expect(ContinuousClock.now - start < .seconds(5))
                #expect(try await database.write.run("INSERT INTO notes VALUES (\(round + 1))") == 1)
                #expect(ContinuousClock.now - start < .seconds(10))
            }
            #expect(try await database.read.run("SELECT * FROM notes WHERE id = 0") == 0)
            #expect(try await database.read.run("SELECT * FROM notes") == 10)
            #expect(database.statistics.write.connects == 1, "the connection stayed")
        }
    }

    @Test func `a write past its deadline ends, and its cancel does not hit the next one`() async throws {
        try await withTable { (database) async throws in
            for _ in 0..<10 {
                let start = ContinuousClock.now
                let error = await failure {
                    try await database.write.with(deadline: .milliseconds(50)).run("SELECT pg_sleep(30)")
                }
                // On a busy machine it may not have been sent.
                guard case .timedOut = error else { return unexpected(error) }
                #expect(ContinuousClock.now - start < .seconds(20), "less than the 30 s of the statement")
                for id in 0..<5 { try await database.write.run("INSERT INTO notes VALUES (\(id))") }
            }
            #expect(try await database.read.run("SELECT * FROM notes") == 50)
            #expect(database.statistics.write.connects == 1)
        }
    }

    @Test func `a read past its deadline does not affect others in its group`() async throws {
        try await Server.withDatabase({ $0.read.connections = 1 }) { (database) async throws in
            try await database.ping()
            async let slow = failure {
                try await database.read.with(deadline: .milliseconds(300)).run("SELECT pg_sleep(2)")
            }
            try await waitUntil("it has called") {
                database.statistics.read.inFlight + database.statistics.read.waiting > 0
            }
            async let neighbour = database.read.first("SELECT \(5)") { try $0.next(as: Int.self) }
            let error = await slow
            guard case .timedOut(mayHaveCommitted: false) = error else { return unexpected(error) }
            #expect(try await neighbour == 5)
            #expect(database.statistics.read.connects == 1)
            #expect(database.statistics.read.expired == 1)
        }
    }

    @Test func `a request that leaves before it is sent writes nothing`() async throws {
        try await withTable { (database) async throws in
            let blocker = Task { try await database.write.run("SELECT pg_sleep(30)") }
            try await waitUntilAsleep(database)
            let late = await failure {
                try await database.write.with(deadline: .milliseconds(50)).run("INSERT INTO notes VALUES (1)")
            }
            guard case .timedOut(mayHaveCommitted: false) = late else { return unexpected(late) }
            let cancelled = Task { try await database.write.run("INSERT INTO notes VALUES (2)") }
            try await waitUntil("it waits") { database.statistics.write.waiting > 0 }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            blocker.cancel()
            _ = await blocker.result
            #expect(try await database.write.run("SELECT * FROM notes") == 0)
        }
    }

    @Test func `a task cancelled before the call sends nothing`() async throws {
        try await withTable { (database) async throws in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await database.write.run("INSERT INTO notes VALUES (1)")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await database.write.run("SELECT * FROM notes") == 0)
        }
    }

    @Test func `the connection still works after hundreds of callers left at random moments`() async throws {
        try await withTable { (database) async throws in
            let acknowledged = await withTaskGroup(of: Int.self) { group in
                for id in 1...400 {
                    group.addTask {
                        let task = Task { try await database.write.run("INSERT INTO notes VALUES (\(id))") }
                        if id % 2 == 0 {
                            for _ in 0..<Int.random(in: 0...500) { await Task.yield() }
                            task.cancel()
                        }
                        return (try? await task.value) ?? 0
                    }
                    group.addTask {
                        let task = Task { try await database.read.run("SELECT \(id)") }
                        if id % 3 == 0 { task.cancel() }
                        _ = await task.result
                        return 0
                    }
                }
                return await group.reduce(0, +)
            }
            let written = try await database.read.run("SELECT DISTINCT id FROM notes")
            #expect(acknowledged >= 200 && written >= acknowledged && written <= 400)
            #expect(database.statistics.write.connects == 1)
        }
    }
}
