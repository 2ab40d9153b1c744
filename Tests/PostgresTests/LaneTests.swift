import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.inTurns) struct LaneTests {
    /// Creates a table of a thousand rows.
    private func withNumbers(_ body: (Database) async throws -> Void) async throws {
        try await Server.withDatabase { (database) async throws in
            try await database.write.batch([
                "CREATE TABLE numbers (id int8 PRIMARY KEY, name text NOT NULL)",
                "INSERT INTO numbers SELECT i, 'n' || i FROM generate_series(1, 1000) i",
            ])
            try await body(database)
        }
    }

    @Test func `a bad statement among hundreds of reads fails only its own call`() async throws {
        try await withNumbers { (database) async throws in
            let wrong = await withTaskGroup(of: Bool.self) { group in
                for id in 1...600 {
                    group.addTask {
                        switch id % 7 {
                        case 0:
                            await failure { try await database.read.run("SELECT 1 / \(id - id)") }?.sqlState
                                == "22012"
                        case 3:
                            await failure { try await database.read.run("SELECT nothing") }?.sqlState
                                == "42703"
                        default:
                            (try? await database.read.first("SELECT name FROM numbers WHERE id = \(id)") {
                                try $0.next(as: String.self)
                            }) == "n\(id)"
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 0 : 1) }
            }
            #expect(wrong == 0)
            let read = database.statistics.read
            #expect(read.groups < read.requests / 2, "the reads shared groups")
            #expect(read.groupSizes.reduce(0, +) == read.groups)
            #expect(read.errors["22"] == 85 && read.errors["42"] == 86)
            #expect(read.waiting == 0)
        }
    }

    @Test func `a unique violation among hundreds of writes and reads fails only its own call`() async throws
    {
        try await withNumbers { (database) async throws in
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for id in 901...1100 {
                    group.addTask {
                        do {
                            try await database.write.run("INSERT INTO numbers VALUES (\(id), 'new')")
                            return "inserted"
                        } catch let error as PostgresError {
                            return error.sqlState ?? "\(error)"
                        }
                    }
                    group.addTask {
                        let name = try await database.read.first(
                            "SELECT name FROM numbers WHERE id = \(id - 900)"
                        ) {
                            try $0.next(as: String.self)
                        }
                        return name == "n\(id - 900)" ? "read" : "wrong"
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["inserted": 100, "23505": 100, "read": 200])
        }
    }

    @Test func `a batch takes effect as a whole or not at all`() async throws {
        try await withNumbers { (database) async throws in
            let error = await failure {
                try await database.write.batch([
                    "UPDATE numbers SET name = 'changed' WHERE id = 1",
                    "INSERT INTO numbers VALUES (2, 'twice')",
                    "SELECT 1",
                ])
            }
            guard case .server(let refusal) = error else { return unexpected(error) }
            #expect(refusal.sqlState == "23505" && refusal.statementIndex == 1)
            let rows = try await database.write.batch([
                "SELECT name FROM numbers WHERE id = 1", "UPDATE numbers SET name = 'x' WHERE id < 4",
            ])
            let name = try rows[0].first { try $0.next(as: String.self) }
            #expect(name == "n1")
            #expect(rows.count == 2 && rows[1].affected == 3)
        }
    }

    @Test func `a guard's error has its message and the index of its statement`() async throws {
        try await withNumbers { (database) async throws in
            try await database.write.run(
                """
                CREATE FUNCTION require(met boolean, outcome text) RETURNS void LANGUAGE plpgsql AS
                $$ BEGIN IF NOT met THEN RAISE EXCEPTION USING ERRCODE = 'KITH1', MESSAGE = outcome; END IF; END $$
                """)
            for _ in 0..<3 {
                let error = await failure {
                    try await database.write.batch([
                        "SELECT require(true, 'fine')", "UPDATE numbers SET name = 'lost' WHERE id = 1",
                        "SELECT require(false, \("username_taken"))", "DELETE FROM numbers",
                    ])
                }
                guard case .server(let refusal) = error else { return unexpected(error) }
                #expect(refusal.sqlState == "KITH1" && refusal.message == "username_taken")
                #expect(refusal.statementIndex == 2)
            }
            #expect(try await database.read.run("SELECT 1 FROM numbers WHERE name LIKE 'n%'") == 1000)
        }
    }

    @Test func `a deferred constraint fails a batch at its COMMIT and a single write at its end`()
        async throws
    {
        try await Server.withDatabase { (database) async throws in
            try await database.write.run("CREATE TABLE once (id int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            try await database.write.run("INSERT INTO once VALUES (1)")
            let batch = await failure { try await database.write.batch(["INSERT INTO once VALUES (1)"]) }
            #expect(batch?.sqlState == "23505")
            let single = await failure { try await database.write.run("INSERT INTO once VALUES (1)") }
            #expect(single?.sqlState == "23505")
            #expect(try await database.read.run("SELECT * FROM once") == 1)
            #expect(try await database.write.run("INSERT INTO once VALUES (2)") == 1)
        }
    }

    @Test func `hundreds of requests in flight send and receive megabytes`() async throws {
        try await Server.withDatabase({ ($0.read.deadline, $0.read.line) = (.seconds(60), .seconds(60)) }) {
            (database) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        // Small enough for two to share a group: the server answers the first before it reads
                        // the second.
                        let sent = [UInt8](repeating: UInt8(index), count: 900_000)
                        let back = try await database.read.first("SELECT \(sent)") {
                            try $0.next(as: [UInt8].self)
                        }
                        #expect(back?.count == sent.count && back?.last == sent.last)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `small requests receive big answers`() async throws {
        try await Server.withDatabase({ ($0.read.deadline, $0.read.line) = (.seconds(60), .seconds(60)) }) {
            (database) async throws in
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        try await database.read.first("SELECT repeat('x', \(Int32(1 << 20)))") {
                            try $0.next(as: String.self).utf8.count
                        }
                    }
                }
                for try await size in group { #expect(size == 1 << 20) }
            }
        }
    }

    @Test func `a write on the read lane is refused`() async throws {
        try await withNumbers { (database) async throws in
            #expect(await failure { try await database.read.run("DELETE FROM numbers") }?.sqlState == "25006")
            #expect(try await database.read.run("SELECT 1 FROM numbers") == 1000)
        }
    }

    @Test func `a BEGIN left open in a lane is rolled back`() async throws {
        try await Server.withDatabase({ $0.write.connections = 1 }) { (database) async throws in
            try await database.write.run("CREATE TABLE left_open (id int8)")
            try await database.write.run("BEGIN")
            try await database.write.run("INSERT INTO left_open VALUES (1)")
            #expect(
                try await database.read.run("SELECT * FROM left_open") == 1,
                "the INSERT ran in a transaction of its own")
        }
    }

    @Test func `a stale plan is prepared again after its table changed`() async throws {
        try await withNumbers { (database) async throws in
            let all: Statement = "SELECT * FROM numbers WHERE id = \(1)"
            for lane in [database.read, database.write] { _ = try await lane.rows(all) }
            try await database.write.run("ALTER TABLE numbers ADD COLUMN extra int8 DEFAULT 7")
            for lane in [database.read, database.write] {
                let extra = try await lane.first(all) { row in
                    _ = try (row.next(as: Int.self), row.next(as: String.self))
                    return try row.next(as: Int.self)
                }
                #expect(extra == 7)
            }
            try await database.write.run("ALTER TABLE numbers DROP COLUMN extra")
            #expect(try await database.write.batch(["SELECT 1", all]).count == 2)
        }
    }

    @Test func `more statements than a connection keeps prepared still run`() async throws {
        // While the server is silent for a moment, the lane would open another, which has prepared nothing.
        try await Server.withDatabase({ $0.read.connections = 1 }) { (database) async throws in
            for number in 0..<1100 {
                let sql = Statement(text: "SELECT \(number % 550)::int8")
                #expect(try await database.read.first(sql) { try $0.next(as: Int.self) } == number % 550)
            }
            let held = try await database.read.first("SELECT count(*) FROM pg_prepared_statements") {
                try $0.next(as: Int.self)
            }
            #expect((490...501).contains(held ?? 0))
        }
    }

    @Test func `two databases in one process do not mix`() async throws {
        try await Server.withDatabase { one in
            try await Server.withDatabase { other in
                try await one.write.run("CREATE TABLE only_here (id int8)")
                #expect(
                    await failure { try await other.read.run("SELECT * FROM only_here") }?.sqlState == "42P01"
                )
                #expect(try await one.read.run("SELECT * FROM only_here") == 0)
            }
        }
    }

    @Test func `the server has the lane's limits`() async throws {
        try await Server.withDatabase { (database) async throws in
            func setting(_ name: String, _ lane: Lane) async throws -> String? {
                try await lane.first("SELECT current_setting(\(name))") { try $0.next() }
            }
            #expect(try await setting("statement_timeout", database.read) == "6s")
            #expect(try await setting("lock_timeout", database.write) == "1500ms")
            #expect(try await setting("idle_in_transaction_session_timeout", database.walks) == "5s")
            #expect(try await setting("application_name", database.walks) == "kith walks")
            let session = try await database.withConnection { session in
                try await session.first("SELECT current_setting('statement_timeout')") {
                    try $0.next(as: String.self)
                }
            }
            #expect(session == "0")
        }
    }

    @Test func `requests that wait for one key do not make the lane refuse others`() async throws {
        try await Server.withDatabase({
            $0.write = .init(connections: 2, deadline: .seconds(20), lockTimeout: .zero)
        }) { (database) async throws in
            let write = database.write.with(deadline: .seconds(600))
            let blocker = Task { try await write.with(key: 1).run("SELECT pg_sleep(600)") }
            try await waitUntil { database.statistics.write.inFlight == 1 }
            let second = Task { try await write.with(key: 1).run("SELECT 1") }
            try await waitUntil { database.statistics.write.waiting == 1 }
            // Without a free connection the lane would refuse requests now.
            try await database.bulk.run("SELECT pg_sleep(1.2)")
            #expect(try await write.with(key: 2).run("SELECT 1") == 1)
            // Nor if the others are at work, too.
            try await database.withConnection { session in
                try await session.script("SELECT pg_advisory_lock(1)")
                let third = Task { try await write.with(key: 3).run("SELECT pg_advisory_xact_lock(1)") }
                try await waitUntil { database.statistics.write.inFlight == 2 }
                let fourth = Task { try await write.with(key: 4).run("SELECT 1") }
                try await waitUntil { database.statistics.write.waiting == 2 }
                try await session.script("SELECT pg_advisory_unlock(1)")
                for task in [third, fourth] { #expect(try await task.value == 1) }
            }
            blocker.cancel()
            #expect(try await second.value == 1)
        }
    }
}
