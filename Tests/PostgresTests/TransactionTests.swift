import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.inTurns) struct TransactionTests {
    private struct Refused: Error {}

    private func withTable(
        _ adjust: (inout Database.Configuration) -> Void = { _ in }, _ body: (Database) async throws -> Void
    ) async throws {
        try await Server.withDatabase(adjust) { (database) async throws in
            try await database.write.run("CREATE TABLE kept (id int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            try await body(database)
        }
    }

    private func kept(_ database: Database) async throws -> Int {
        try await database.read.run("SELECT * FROM kept")
    }

    @Test func `a transaction commits when its body returns`() async throws {
        try await withTable { (database) async throws in
            let count = try await database.transaction { transaction in
                try await transaction.run("INSERT INTO kept VALUES (1)")
                let seen = try await kept(database)
                #expect(seen == 0, "nobody sees it yet")
                return try await transaction.first("SELECT count(*) FROM kept") { try $0.next(as: Int.self) }
            }
            #expect(count == 1)
            #expect(try await kept(database) == 1)
        }
    }

    @Test func `a transaction rolls back when its body throws`() async throws {
        try await withTable { (database) async throws in
            await #expect(throws: Refused.self) {
                try await database.transaction { transaction in
                    try await transaction.run("INSERT INTO kept VALUES (1)")
                    throw Refused()
                }
            }
            #expect(try await kept(database) == 0)
            #expect(try await database.transaction { try await $0.run("INSERT INTO kept VALUES (2)") } == 1)
        }
    }

    @Test func `a deferred constraint fails the COMMIT`() async throws {
        try await withTable { (database) async throws in
            let error = await failure {
                try await database.transaction { try await $0.run("INSERT INTO kept VALUES (1), (1)") }
            }
            #expect(error?.sqlState == "23505")
            #expect(try await kept(database) == 0)
        }
    }

    @Test func `a failed statement fails the transaction even if the body ignores its error`() async throws {
        try await withTable { (database) async throws in
            let error = await failure {
                try await database.transaction { transaction in
                    try await transaction.run("INSERT INTO kept VALUES (1)")
                    _ = try? await transaction.run("SELECT 1 / 0")
                }
            }
            guard case .rolledBack = error else { return unexpected(error) }
            #expect(try await kept(database) == 0)
        }
    }

    @Test func `a session used after its body has returned does nothing`() async throws {
        try await withTable { (database) async throws in
            let kept = try await database.transaction { $0 }
            let error = await failure { try await kept.run("SELECT 1") }
            guard case .closed = error else { return unexpected(error) }
        }
    }

    @Test func `a cancelled transaction is rolled back, and makes room for the next`() async throws {
        try await withTable({ $0.exclusive.connections = 1 }) { (database) async throws in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await database.transaction { transaction in
                    try await transaction.run("INSERT INTO kept VALUES (1)")
                    start.yield()
                    try await transaction.run("SELECT pg_sleep(30)")
                }
            }
            for await _ in started { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await kept(database) == 0)
            #expect(try await database.transaction { try await $0.run("INSERT INTO kept VALUES (2)") } == 1)
        }
    }

    @Test func `a transaction whose connection is lost fails, and the next gets a new connection`()
        async throws
    {
        try await withTable { (database) async throws in
            let error = await failure {
                try await database.transaction { transaction in
                    try await transaction.run("INSERT INTO kept VALUES (1)")
                    _ = try? await transaction.run("SELECT pg_terminate_backend(pg_backend_pid())")
                    try await transaction.run("INSERT INTO kept VALUES (2)")
                }
            }
            guard case .connectionLost(mayHaveCommitted: false) = error else {
                return unexpected(error)
            }
            #expect(try await kept(database) == 0)
            #expect(try await database.transaction { try await $0.run("INSERT INTO kept VALUES (3)") } == 1)
        }
    }

    @Test func `a caller waits while all connections are lent, at most until its deadline`() async throws {
        try await withTable({
            $0.exclusive.connections = 2
            $0.exclusive.deadline = .seconds(120)
        }) { (database) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<20 {
                    group.addTask {
                        try await database.transaction {
                            _ = try await $0.run("INSERT INTO kept VALUES (\(id))")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await kept(database) == 20)
        }
        try await withTable({
            $0.exclusive.connections = 2
            $0.exclusive.deadline = .seconds(1)
        }) {
            (database) async throws in
            let error = await failure {
                try await database.withConnection { _ in
                    try await database.withConnection { _ in
                        try await database.transaction { _ in }
                    }
                }
            }
            guard case .timedOut(mayHaveCommitted: false) = error else {
                return unexpected(error)
            }
        }
    }

    @Test func `a session runs scripts, and statements that no transaction can run`() async throws {
        try await withTable { (database) async throws in
            try await database.withConnection { session in
                try await session.script(
                    "CREATE TABLE a (id int8); CREATE TABLE b (id int8); INSERT INTO a VALUES (1), (2)")
                try await session.run("CREATE INDEX CONCURRENTLY a_id ON a (id)")
                #expect(
                    await failure { try await session.script("INSERT INTO a VALUES (3); SELECT 1 / 0") }?
                        .sqlState == "22012")
                #expect(try await session.run("SELECT * FROM a WHERE id > \(0)") == 2)
                try await session.script("SELECT 1; SELECT generate_series(1, 10)")
            }
        }
    }

    @Test func `an advisory lock is released when its session ends`() async throws {
        try await withTable { (database) async throws in
            for _ in 0..<5 {
                let isLocked = try await database.withConnection { session in
                    try await session.first("SELECT pg_try_advisory_lock(7)") { try $0.next(as: Bool.self) }
                }
                #expect(isLocked == true)
            }
        }
    }
}
