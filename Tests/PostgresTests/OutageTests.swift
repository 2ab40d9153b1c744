import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// Broken connections and servers that go away.
@Suite(.inTurns) struct OutageTests {
    private static let terminateOthers: Statement = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> 'kith walks'
        """

    @Test func `under load a broken connection fails no read, and every write's answer is true`() async throws
    {
        try await Server.withDatabase { (database) async throws in
            try await database.write.run("CREATE TABLE notes (id int8 NOT NULL)")
            let strikes = Strikes()
            let killer = Task {
                var answered = 0
                while !Task.isCancelled {
                    // A read survives only a few losses: let those that run again finish first.
                    try await waitUntil("reads are answered") {
                        database.statistics.read.requests > answered + 64
                    }
                    try await database.walks.run(OutageTests.terminateOthers)
                    await strikes.add()
                    answered = database.statistics.read.requests
                }
            }
            let outcomes = try await withThrowingTaskGroup(of: [Int: String].self) { group in
                for worker in 0..<32 {
                    group.addTask { try await work(database, worker, until: strikes) }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
            }
            killer.cancel()
            _ = await killer.result
            let rows = try await database.read.query("SELECT id FROM notes") { try $0.next(as: Int.self) }
            let written = Set(rows)
            #expect(rows.count == written.count, "nothing was written twice")
            for (id, outcome) in outcomes {
                switch outcome {
                case "done": #expect(written.contains(id), "\(id) was acknowledged")
                case "not": #expect(!written.contains(id), "\(id) was said not to be written")
                default: #expect(outcome == "maybe")
                }
            }
            #expect(database.statistics.read.connects > 7, "connections did break")
        }
    }

    private actor Strikes {
        private(set) var count = 0

        func add() { count += 1 }
    }

    private func work(_ database: Database, _ worker: Int, until strikes: Strikes) async throws -> [Int:
        String]
    {
        var outcomes: [Int: String] = [:]
        for round in 0..<1000 {
            if round >= 30, await strikes.count >= 8 { break }
            let id = worker * 1000 + round
            let found = try await database.read.first("SELECT \(id)") { try $0.next(as: Int.self) }
            #expect(found == id)
            do {
                if round % 2 == 0 {
                    try await database.write.run("INSERT INTO notes VALUES (\(id))")
                } else {
                    try await database.write.batch(["INSERT INTO notes VALUES (\(id))", "SELECT 1"])
                }
                outcomes[id] = "done"
            } catch let error as PostgresError {
                guard case .connectionLost = error else { throw error }
                outcomes[id] = error.mayHaveCommitted ? "maybe" : "not"
            }
        }
        return outcomes
    }

    @Test(arguments: [false, true])
    func `a stopped server is noticed within seconds, and a started one is used without a restart`(
        crashes: Bool
    )
        async throws
    {
        let server = try await EmbeddedPostgres.start()
        let database = try Database(patient(server.url()))
        try await database.write.run("CREATE TABLE notes (id int8)")
        try await database.transaction { _ = try await $0.run("INSERT INTO notes VALUES (1)") }
        try await database.ping()
        if crashes { try await server.kill() } else { try await server.stop() }
        for lane in [database.read, database.write] {
            let start = ContinuousClock.now
            let error = await failure { try await lane.run("SELECT 1") }
            guard case .unavailable = error else { return unexpected(error) }
            #expect(ContinuousClock.now - start < .seconds(40), "not the minute that a call may take")
        }
        let start = ContinuousClock.now
        let error = await failure { try await database.transaction { _ = try await $0.run("SELECT 1") } }
        guard case .unavailable = error else { return unexpected(error) }
        #expect(ContinuousClock.now - start < .seconds(40), "not the minute that a call may take")
        try await server.start()
        while await failureOrNil({ try await database.ping() }) != nil {}
        // The temporary server may have lost the table in its crash, since it runs without fsync.
        try await database.write.run("CREATE TABLE IF NOT EXISTS notes (id int8)")
        #expect(try await database.write.run("INSERT INTO notes VALUES (2)") == 1)
        #expect(try await database.transaction { try await $0.run("SELECT * FROM notes") } >= 1)
        await database.close()
        await server.end()
    }

    /// A configuration with long deadlines, so that only the outage itself can end a call.
    private func patient(_ url: String) -> Database.Configuration {
        var configuration = Database.Configuration(url: url)
        configuration.read.deadline = .seconds(60)
        configuration.write.deadline = .seconds(60)
        configuration.exclusive.deadline = .seconds(60)
        return configuration
    }

    private func failureOrNil(_ body: () async throws -> Void) async -> (any Error)? {
        do { try await body() } catch { return error }
        return nil
    }

    @Test func `a call without a connection fails quickly, with the reason`() async throws {
        let database = try Database(patient("postgresql:///none?host=/tmp/no-such-folder"))
        let start = ContinuousClock.now
        guard case .unavailable(let reason) = await failure({ try await database.ping() }) else {
            return unexpected(nil)
        }
        #expect(reason.contains("No such file"))
        #expect(database.statistics.read.connectFailures > 0)
        #expect(ContinuousClock.now - start < .seconds(40), "not the minute that a call may take")
        await database.close()
        #expect(throws: PostgresError.self) { try Database(.init(url: "postgresql://[")) }
    }

    @Test func `a dead host among several is skipped`() async throws {
        try await Server.withURL { (url) async throws in
            let hosts = url.replacing("host=", with: "host=/tmp/no-such-folder,").replacing(
                "&port=5432", with: "")
            let database = try Database(.init(url: hosts + "&target_session_attrs=read-write"))
            #expect(try await database.write.run("SELECT 1") == 1)
            await database.close()
        }
    }

    @Test func `a host that swallows packets is skipped, too`() async throws {
        try await Server.withURL { (url) async throws in
            // A listener with a full queue answers no SYN.
            let (listener, port) = try Loopback.listener(backlog: 0)
            let fillers = try (0..<4).map { _ in try Loopback.connection(to: port, waits: false) }
            defer { for descriptor in fillers + [listener] { close(descriptor) } }
            let hosts = url.replacing("host=", with: "host=127.0.0.1,")
                .replacing("port=5432", with: "port=\(port),5432")
            var configuration = Database.Configuration(url: hosts)
            configuration.connectTimeout = .milliseconds(300)
            let database = try Database(configuration)
            #expect(try await database.write.run("SELECT 1") == 1)
            await database.close()
        }
    }

    @Test func `a connection to a silent server ends after the grace period`() async throws {
        try await Server.withDatabase({
            $0.write.connections = 1; $0.grace = .milliseconds(200)
        }) {
            (database) async throws in
            let found = try await database.write.first("SELECT pg_backend_pid()") {
                try $0.next(as: Int32.self)
            }
            let backend = try #require(found)
            kill(backend, SIGSTOP)
            defer { kill(backend, SIGCONT) }
            let error = await failure {
                try await database.write.with(deadline: .milliseconds(200)).run("SELECT 1")
            }
            guard case .timedOut(mayHaveCommitted: true) = error else { return unexpected(error) }
            #expect(try await database.write.run("SELECT 1") == 1)
            #expect(database.statistics.write.connects == 2)
        }
    }

    @Test func `the driver leaves a primary that became read-only`() async throws {
        let server = try await EmbeddedPostgres.start()
        let database = try Database(.init(url: server.url()))
        try await database.write.run("CREATE TABLE notes (id int8)")
        try await database.write.run("ALTER SYSTEM SET default_transaction_read_only = on")
        try await database.write.run("SELECT pg_reload_conf()")
        var refused = 0
        while await failureOrNil({ try await database.write.run("INSERT INTO notes VALUES (1)") }) == nil {}
        for _ in 0..<3
        where await failure({ try await database.write.run("INSERT INTO notes VALUES (1)") })?.sqlState
            == "25006"
        {
            refused += 1
        }
        #expect(refused == 3)
        let connects = database.statistics.write.connects
        #expect(connects >= 3)
        try await database.withConnection { session in
            try await session.script("SET default_transaction_read_only = off")
            try await session.run("ALTER SYSTEM RESET default_transaction_read_only")
            try await session.run("SELECT pg_reload_conf()")
        }
        while await failureOrNil({ try await database.write.run("INSERT INTO notes VALUES (2)") }) != nil {}
        await database.close()
        await server.end()
    }

    @Test func `close waits for running calls, and later calls fail as closed`() async throws {
        try await Server.withDatabase { (database) async throws in
            try await database.write.run("CREATE TABLE notes (id int8)")
            let writes = (0..<20).map { id in
                Task {
                    try await database.write.batch([
                        "INSERT INTO notes VALUES (\(id))", "SELECT pg_sleep(0.02)",
                    ])
                }
            }
            try await waitUntil("all have called") {
                let statistics = database.statistics.write
                // One more has made the table.
                return statistics.requests >= 2 && statistics.requests + statistics.waiting > writes.count
            }
            await database.close()
            for write in writes { _ = try await write.value }
            for lane in [database.read, database.write] {
                guard case .closed = await failure({ try await lane.run("SELECT 1") }) else {
                    return unexpected(nil)
                }
            }
            guard case .closed = await failure({ try await database.transaction { _ in } }) else {
                return unexpected(nil)
            }
        }
    }

    @Test func `close does not wait forever`() async throws {
        try await Server.withDatabase({ $0.drain = .milliseconds(200) }) { (database) async throws in
            let stuck = Task { try await database.bulk.run("SELECT pg_sleep(20)") }
            try await waitUntil("it is under way") { database.statistics.bulk.inFlight > 0 }
            let start = ContinuousClock.now
            await database.close()
            #expect(ContinuousClock.now - start < .seconds(15), "less than the 20 s of the statement")
            let error = await failure { try await stuck.value }
            guard case .connectionLost(mayHaveCommitted: true) = error else { return unexpected(error) }
        }
    }
}
