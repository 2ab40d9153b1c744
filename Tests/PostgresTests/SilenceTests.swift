import Foundation
import Postgres
import TestSupport
import Testing

/// Messages that are silently lost, and a process without descriptors.
@Suite(.inTurns) struct SilenceTests {
    private func withProxy(
        _ adjust: (inout Database.Configuration) -> Void, _ body: (Database, Proxy) async throws -> Void
    ) async throws {
        try await Server.withURL { (url) async throws in
            let proxy = try Proxy(to: url)
            defer { proxy.close() }
            var configuration = Database.Configuration(url: proxy.url(instead: url))
            configuration.write.connections = 1
            adjust(&configuration)
            let database = try Database(configuration)
            try await database.write.with(deadline: .seconds(60)).batch([
                "CREATE TABLE notes (id int8 PRIMARY KEY, n int8)", "INSERT INTO notes VALUES (1, 0)",
            ])
            try await body(database, proxy)
            await database.close()
        }
    }

    @Test(arguments: [false, true])
    func `a batch whose end was lost releases its locks when its connection ends`(
        andTheNextOneIsLost: Bool
    ) async throws {
        try await withProxy({
            $0.write.deadline = .seconds(2)
            $0.write.lockTimeout = .zero
            $0.silence = .seconds(600)
            $0.grace = .milliseconds(200)
            $0.drain = .milliseconds(200)
        }) { (database, proxy) async throws in
            proxy.loseNext(.commit, by: .silence)
            if andTheNextOneIsLost { proxy.cutNextTermination() }
            let error = await failure {
                try await database.write.batch(["UPDATE notes SET n = 100 WHERE id = 1"])
            }
            guard case .timedOut(mayHaveCommitted: true) = error else { return unexpected(error) }
            try await database.write.with(deadline: .seconds(60)).run(
                "UPDATE notes SET n = n + 1 WHERE id = 1")
            let n = try await database.read.first("SELECT n FROM notes") { try $0.next(as: Int.self) }
            #expect(n == 1)
        }
    }

    @Test func `a batch whose end was lost releases its locks long before its deadline`()
        async throws
    {
        try await withProxy({ $0.silence = .milliseconds(500) }) { (database, proxy) async throws in
            proxy.loseNext(.commit, by: .silence)
            let write = database.write.with(deadline: .seconds(60))
            let error = await failure { try await write.batch(["UPDATE notes SET n = 100 WHERE id = 1"]) }
            guard case .connectionLost(mayHaveCommitted: true) = error else { return unexpected(error) }
            try await database.walks.with(deadline: .seconds(60)).run("SELECT * FROM notes FOR UPDATE")
            let n = try await database.read.first("SELECT n FROM notes") { try $0.next(as: Int.self) }
            #expect(n == 0)
        }
    }

    @Test func `a batch whose answer was lost is reported as perhaps committed, and was committed`()
        async throws
    {
        try await withProxy({ $0.silence = .milliseconds(500) }) { (database, proxy) async throws in
            proxy.loseNext(.answer, by: .silence)
            let write = database.write.with(deadline: .seconds(60))
            let error = await failure { try await write.batch(["UPDATE notes SET n = 100 WHERE id = 1"]) }
            guard case .connectionLost(mayHaveCommitted: true) = error else { return unexpected(error) }
            let n = try await database.read.first("SELECT n FROM notes") { try $0.next(as: Int.self) }
            #expect(n == 100)
        }
    }

    @Test func `reads continue over new connections after all old ones fell silent`() async throws {
        try await withProxy({ $0.silence = .milliseconds(500) }) { (database, proxy) async throws in
            let lanes = [database.landings, database.read, database.lists].map {
                $0.with(deadline: .seconds(60))
            }
            for lane in lanes { try await lane.run("SELECT 1") }
            proxy.forget()
            for lane in lanes { #expect(try await lane.run("SELECT 1") == 1) }
        }
    }

    @Test func `a session that fell silent ends, and another can take its lock`() async throws {
        try await withProxy({ $0.silence = .milliseconds(500) }) { (database, proxy) async throws in
            let lost = await failure {
                try await database.withConnection { session in
                    try await session.run("SELECT pg_advisory_lock(7)")
                    proxy.forget()
                    try await session.run("SELECT 1")
                }
            }
            guard case .connectionLost(mayHaveCommitted: true) = lost else { return unexpected(lost) }
            try await database.walks.with(deadline: .seconds(60)).run("SELECT pg_advisory_xact_lock(7)")
        }
    }

    @Test func `slow statements, locks, batches, copies and scripts are not ended`() async throws {
        try await Server.withDatabase({
            $0.silence = .milliseconds(500)
            $0.write = .init(connections: 2, deadline: .seconds(120), lockTimeout: .zero)
        }) { (database) async throws in
            try await database.write.run("CREATE TABLE notes (id int8 PRIMARY KEY, n int8)")
            try await database.write.run("INSERT INTO notes VALUES (1, 0)")
            async let read = database.read.run("SELECT pg_sleep(1.3)")
            async let batch = database.write.batch([
                "UPDATE notes SET n = 1 WHERE id = 1", "SELECT pg_sleep(0.9)", "SELECT pg_sleep(0.9)",
            ])
            async let waiting = database.write.run("UPDATE notes SET n = n + 1 WHERE id = 1")
            try await database.withConnection { session in
                var rows = 1
                let copied = try await session.copy("COPY notes FROM STDIN") {
                    rows += 1
                    try await Task.sleep(for: .milliseconds(400))
                    return rows < 6 ? Array("\(rows)\t0\n".utf8) : nil
                }
                #expect(copied == 4)
                try await session.script("SELECT pg_sleep(0.9); SELECT pg_sleep(0.9)")
            }
            #expect(try await read == 1)
            #expect(try await batch.count == 3)
            #expect(try await waiting == 1)
            for lane in [database.statistics.write, database.statistics.read] {
                #expect(lane.connects == lane.connectionsUp, "no connection was lost")
            }
        }
    }

    @Test func `a cancel that never returns ends its connection, not its lane`() async throws {
        try await withProxy({ $0.drain = .milliseconds(200) }) { (database, proxy) async throws in
            proxy.swallowCancels()
            let error = await failure {
                try await database.write.with(deadline: .milliseconds(300)).run("SELECT pg_sleep(0.6)")
            }
            guard case .timedOut = error else { return unexpected(error) }
            let write = database.write.with(deadline: .seconds(60))
            #expect(try await write.run("UPDATE notes SET n = 1 WHERE id = 1") == 1)
        }
    }

    @Test func `a process without descriptors refuses calls, survives, and works again when it has some`()
        async throws
    {
        try await Server.withURL { (url: String) async throws in
            _ = await #expect(processExitsWith: .success) { [url = url as String] in
                let database = try Database(.init(url: url))
                try await database.ping()
                var limit = rlimit()
                let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                getrlimit(files, &limit)
                limit.rlim_cur = 64
                setrlimit(files, &limit)
                var taken: [Int32] = []
                while case let file = open("/dev/null", O_RDONLY), file >= 0 { taken.append(file) }
                try await database.ping()
                guard case .unavailable = await failure({ try await database.write.run("SELECT 1") }) else {
                    throw CancellationError()
                }
                for file in taken { close(file) }
                try await database.write.run("SELECT 1")
                await database.close()
            }
        }
    }
}
