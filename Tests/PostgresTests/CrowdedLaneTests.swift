import Foundation
import Postgres
import TestSupport
import Testing

/// Lanes whose requests wait for a lock, for a silent server, or behind too many others.
@Suite(.inTurns) struct CrowdedLaneTests {
    private func withTable(
        _ adjust: (inout Database.Configuration) -> Void = { _ in }, _ body: (Database) async throws -> Void
    ) async throws {
        try await Server.withDatabase(adjust) { (database) async throws in
            try await database.write.run(
                "CREATE TABLE notes (id int8 PRIMARY KEY, n int8 NOT NULL DEFAULT 0)")
            try await database.write.run("INSERT INTO notes SELECT i FROM generate_series(1, 100) i")
            try await body(database)
        }
    }

    private func waitingForLocks(_ database: Database) async throws -> Int {
        try await database.bulk.run(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
    }

    @Test func `reads that wait for a lock do not block other reads`() async throws {
        try await withTable({
            // Only a free connection can answer.
            $0.read.lockTimeout = .seconds(60)
            $0.read.deadline = .seconds(120)
        }) { (database) async throws in
            try await database.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE notes IN ACCESS EXCLUSIVE MODE")
                let blocked = (0..<12).map { _ in Task { try await database.read.run("SELECT * FROM notes") }
                }
                try await waitUntil { try await waitingForLocks(database) > 0 }
                for id in 1...100 {
                    #expect(try await database.read.first("SELECT \(id)") { try $0.next(as: Int.self) } == id)
                }
                try await session.script("ROLLBACK")
                for task in blocked { #expect(try await task.value == 100) }
            }
        }
    }

    @Test func `reads refused for a lock do not delay the others of their group again`() async throws {
        try await withTable({ ($0.read.deadline, $0.read.line) = (.seconds(60), .seconds(60)) }) {
            (database) async throws in
            try await database.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE notes IN ACCESS EXCLUSIVE MODE")
                async let blocked = withTaskGroup(of: String?.self) { group in
                    for _ in 0..<12 {
                        group.addTask {
                            await failure { try await database.read.run("SELECT * FROM notes") }?.sqlState
                        }
                    }
                    return await group.reduce(into: Set<String?>()) { $0.insert($1) }
                }
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for id in 0..<100 {
                        group.addTask {
                            try await database.read.first("SELECT \(id)") { try $0.next(as: Int.self) }
                        }
                    }
                    for try await id in group { #expect(id != nil) }
                }
                #expect(await blocked == ["55P03"])
                try await session.script("ROLLBACK")
            }
        }
    }

    @Test(arguments: [false, true])
    func `very many reads of a locked table do not make the lane refuse other reads`(areOnLists: Bool)
        async throws
    {
        try await withTable { (database) async throws in
            let lane = areOnLists ? database.lists : database.read
            try await database.write.run("CREATE TABLE locked (id int8)")
            try await database.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE")
                var (blocked, free): ([Task<PostgresError?, Never>], [Task<Int, any Error>]) = ([], [])
                for id in 1...600 {
                    blocked.append(Task { await failure { try await lane.run("SELECT * FROM locked") } })
                    free.append(Task { try await lane.run("SELECT * FROM notes WHERE id = \(id % 100 + 1)") })
                    try await Task.sleep(for: .milliseconds(5))
                }
                for task in free { #expect(try await task.value == 1) }
                var outcomes: [String: Int] = [:]
                for task in blocked {
                    outcomes[await task.value.map(\.description) ?? "none", default: 0] += 1
                }
                #expect(
                    Set(outcomes.keys) == ["database error 55P03", "database overloaded"], "\(outcomes)")
                try await session.script("ROLLBACK")
            }
            try await waitUntil { (try? await lane.run("SELECT * FROM locked")) == 0 }
            func groups() -> Int {
                areOnLists ? database.statistics.lists.groups : database.statistics.read.groups
            }
            let before = groups()
            await withTaskGroup { group in
                for _ in 0..<300 {
                    group.addTask { _ = try? await lane.run("SELECT * FROM locked") }
                }
            }
            #expect(groups() - before < 150, "the reads share groups again")
        }
    }

    @Test func `reads whose callers left are cancelled, even if they share a group`()
        async throws
    {
        try await withTable({ $0.read.connections = 1 }) { (database) async throws in
            try await database.ping()
            let slow = (0..<4).map { _ in Task { try await database.read.run("SELECT pg_sleep(600)") } }
            try await waitUntil { database.statistics.read.inFlight > 0 }
            for task in slow { task.cancel() }
            for task in slow { _ = await task.result }
            try await database.read.with(deadline: .seconds(60)).run("SELECT 1")
            #expect(database.statistics.read.connects == 1)
        }
    }

    @Test func `requests with one key run one at a time, and the other connections stay free`() async throws {
        try await withTable({ $0.write = .init(connections: 4, deadline: .seconds(120), lockTimeout: .zero) })
        {
            (database) async throws in
            try await database.withConnection { session in
                try await session.script("BEGIN; UPDATE notes SET n = 0 WHERE id = 1")
                let hot = database.write.with(key: "hot")
                let held = (0..<20).map { _ in
                    Task { try await hot.run("UPDATE notes SET n = n + 1 WHERE id = 1") }
                }
                try await waitUntil { try await waitingForLocks(database) > 0 }
                for id in 2...40 {
                    try await database.write.run("UPDATE notes SET n = n + 1 WHERE id = \(id)")
                    try await database.write.with(key: id).run("UPDATE notes SET n = n + 1 WHERE id = \(id)")
                }
                #expect(try await waitingForLocks(database) == 1)
                try await session.script("COMMIT")
                for task in held { #expect(try await task.value == 1) }
            }
            #expect(try await database.read.run("SELECT 1 FROM notes WHERE n = 2") == 39)
            #expect(try await database.read.run("SELECT 1 FROM notes WHERE n = 20 AND id = 1") == 1)
        }
    }

    @Test func `a full lane refuses requests at once, and one key cannot fill it`()
        async throws
    {
        let seconds = Duration.seconds(600)
        try await withTable({
            $0.write = .init(
                connections: 1, deadline: seconds, lockTimeout: .zero, waiting: 40, line: seconds)
        }) { (database) async throws in
            let blocker = Task { try await database.write.run("SELECT pg_sleep(600)") }
            try await waitUntil("the blocker runs") {
                database.statistics.write.inFlight == 1 && database.statistics.write.waiting == 0
            }
            let write = database.write
            var waiting: [Task<Int, any Error>] = []
            for number in 1...40 {
                let lane = number <= 10 ? write.with(key: "hot") : write
                waiting.append(Task { try await lane.run("SELECT 1") })
                try await waitUntil("\(number) wait") { database.statistics.write.waiting == number }
                guard number == 10 else { continue }
                guard case .overloaded = await failure({ try await write.with(key: "hot").run("SELECT 1") })
                else { return unexpected(nil) }
            }
            guard case .overloaded = await failure({ try await write.run("SELECT 1") }) else {
                return unexpected(nil)
            }
            #expect(database.statistics.write.refused == 2)
            blocker.cancel()
            for task in waiting { #expect(try await task.value == 1) }
        }
    }

    @Test func `a lane that answers nobody refuses new requests`() async throws {
        try await withTable({ $0.write = .init(connections: 1, deadline: .seconds(30), lockTimeout: .zero) })
        {
            (database) async throws in
            let blocker = Task {
                try await database.write.with(deadline: .seconds(600)).run("SELECT pg_sleep(600)")
            }
            try await waitUntil { database.statistics.write.inFlight == 1 }
            let first = Task { try await database.write.with(deadline: .seconds(600)).run("SELECT 1") }
            try await waitUntil { database.statistics.write.waiting == 1 }
            // At first some wait until their deadline.
            try await waitUntil {
                let error = await failure {
                    try await database.write.with(deadline: .milliseconds(1)).run("SELECT 1")
                }
                guard case .overloaded = error else { return false }
                return true
            }
            blocker.cancel()
            #expect(try await first.value == 1)
            #expect(try await database.write.run("SELECT 1") == 1)
        }
    }

    @Test func `a lane that answers all the time refuses who would wait longer than its line may be`()
        async throws
    {
        try await withTable({
            $0.write = .init(
                connections: 1, deadline: .seconds(600), lockTimeout: .zero, line: .seconds(4))
        }) { (database) async throws in
            let write = database.write
            let line = (0..<400).map { _ in Task { try await write.run("SELECT pg_sleep(0.02)") } }
            try await waitUntil { database.statistics.write.waiting > 300 }
            try await waitUntil {
                let error = await failure {
                    try await write.with(deadline: .milliseconds(1)).run("SELECT 1")
                }
                guard case .overloaded = error else { return false }
                return true
            }
            // The first in line has not waited for so long yet.
            #expect(database.statistics.write.waiting > 210)
            for task in line { #expect(try await task.value == 1) }
            #expect(try await write.run("SELECT 1") == 1)
        }
    }

    @Test func `a line that an outage left is no reason to refuse requests`() async throws {
        try await withTable({
            $0.write = .init(connections: 1, deadline: .seconds(600), lockTimeout: .zero, line: .seconds(1))
        }) { (database) async throws in
            let write = database.write
            let lost = Task { try await write.run("SELECT pg_sleep(601)") }
            try await waitUntil { database.statistics.write.inFlight == 1 }
            let line = (0..<30).map { _ in Task { try await write.run("SELECT pg_sleep(0.02)") } }
            try await waitUntil { database.statistics.write.waiting == 30 }
            try await database.bulk.run("SELECT pg_sleep(1.5)")
            let connects = database.statistics.write.connects
            try await database.bulk.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(601)'")
            try await waitUntil { database.statistics.write.connects > connects }
            #expect(try await write.run("SELECT 1") == 1)
            for task in line { #expect(try await task.value == 1) }
            _ = await lost.result
        }
    }

    @Test(arguments: ["40001", "40P01", "CIINF"])
    func `a write that meets a deadlock, a serialization failure or a moved shard is retried`(state: String)
        async throws
    {
        try await withTable { (database) async throws in
            try await database.write.batch([
                "CREATE SEQUENCE tries",
                """
                CREATE FUNCTION fail(times int8, state text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('tries') <= times THEN RAISE EXCEPTION USING ERRCODE = state, MESSAGE = 'again'; END IF;
                END $$
                """,
            ])
            let sum = try await database.write.batch([
                "UPDATE notes SET n = n + 1 WHERE id = 1", "SELECT fail(3, \(state))",
                "SELECT n FROM notes WHERE id = 1",
            ])
            #expect(try sum[2].first { try $0.next(as: Int.self) } == 1)
            #expect(sum.count == 3)
            try await database.write.run("SELECT setval('tries', 1, false)")
            try await database.write.run("SELECT fail(5, \(state))")
            #expect(database.statistics.write.retried == 8)
            try await database.write.run("SELECT setval('tries', 1, false)")
            #expect(
                await failure { try await database.write.run("SELECT fail(6, \(state))") }?.sqlState == state)
            try await database.write.run("SELECT setval('tries', 1, false)")
            let session = await failure {
                try await database.transaction { try await $0.run("SELECT fail(1, \(state))") }
            }
            #expect(session?.sqlState == state, "only the caller can retry a transaction of its own")
        }
    }
}
