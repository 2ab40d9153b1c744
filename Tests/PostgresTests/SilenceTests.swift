import Foundation
import Postgres
import Testing

/// What gets lost on the way without a word, and a process that is given nothing any more.
@Suite struct SilenceTests {
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

    @Test func `a batch that lost its end on the way lets go of its locks when its connection is left`()
        async throws
    {
        try await withProxy({
            $0.write.deadline = .seconds(2)
            $0.write.lockTimeout = .zero
            $0.grace = .milliseconds(200)
            $0.drain = .milliseconds(200)
        }) { (database, proxy) async throws in
            proxy.swallowNextCommit()
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

    @Test func `a process without a descriptor refuses calls, lives, and works again when it has some`()
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
