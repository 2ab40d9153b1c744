import TestSupport
import Testing

@testable import Postgres

/// Poolers that give a session another server process for each transaction.
@Suite(.inTurns) struct PoolingTests {
    /// A `Database` behind a PgBouncer that shares three connections.
    private func with(
        mode: String, _ pooler: Database.Pooler, prepared: Int = 0,
        _ body: (Database, _ direct: Database) async throws -> Void
    ) async throws {
        try await Server.withURL { url in
            let bouncer = try TestPooler(
                url, mode: mode, size: mode == "session" ? 40 : 3, prepared: prepared)
            var configuration = Database.Configuration(url: bouncer.url)
            configuration.pooler = pooler
            configuration.write.deadline = .seconds(23)
            let (database, direct) = (try Database(configuration), try Database(.init(url: url)))
            let outcome: Result<Void, any Error>
            do {
                try await waitUntil("PgBouncer answers") { (try? await database.read.rows("SELECT")) != nil }
                outcome = .success(try await body(database, direct))
            } catch {
                outcome = .failure(error)
            }
            await database.close()
            await direct.close()
            bouncer.end()
            try outcome.get()
        }
    }

    @Test func `a server without a pooler is as no setting says`() async throws {
        try await Server.withDatabase { (database) async throws in
            #expect(try await database.poolerMistake() == nil)
        }
    }

    @Test(.enabled(if: TestPooler.isInstalled))
    func `a pooler that keeps sessions together needs no setting`()
        async throws
    {
        try await with(mode: "session", .none) { (database, _) async throws in
            #expect(try await database.poolerMistake() == nil)
        }
    }

    @Test(.enabled(if: TestPooler.isInstalled))
    func `a pooler that shares by transaction is found, and so is one that loses prepared statements`()
        async throws
    {
        for (pooler, expected) in [
            (Database.Pooler.none, PoolerMistake.sharesByTransaction), (.prepared, .losesPrepared),
        ] {
            try await with(mode: "transaction", pooler) { (database, _) async throws in
                let found = try await database.poolerMistake().map { "\($0)" }
                #expect(found == "\(expected)")
            }
        }
    }

    private static let shared: [Database.Pooler] =
        TestPooler.keepsPrepared ? [.transaction, .prepared] : [.transaction]

    @Test(.enabled(if: TestPooler.isInstalled), arguments: shared)
    func `behind a pooler each transaction has its lane's settings, and leaves none behind`(
        pooler: Database.Pooler
    ) async throws {
        try await with(mode: "transaction", pooler, prepared: 100) { (database, direct) async throws in
            #expect(try await database.poolerMistake() == nil)
            try await direct.write.run("CREATE TABLE numbers (number int8 PRIMARY KEY)")
            let (lanes, limits) = ([database.read, database.write, database.lists], ["6s", "24s", "6s"])
            try await withThrowingDiscardingTaskGroup { group in
                for number in 0..<300 {
                    group.addTask {
                        let (lane, limit) = (lanes[number % 3], limits[number % 3])
                        let found = try await lane.first(
                            "SELECT current_setting('statement_timeout'), current_setting('timezone'), \(number)"
                        ) { try ($0.next(as: String.self), $0.next(as: String.self), $0.next(as: Int.self)) }
                        #expect(found.map { "\($0)" } == "\((limit, "UTC", number))")
                        let results = try await database.write.batch([
                            "INSERT INTO numbers VALUES (\(number))",
                            "SELECT current_setting('statement_timeout')",
                        ])
                        #expect(try results[1].first { try $0.next(as: String.self) } == "24s")
                    }
                }
            }
            #expect(try await direct.read.run("SELECT * FROM numbers") == 300)
            let refused = await failure { try await database.read.run("DELETE FROM numbers") }
            #expect(refused?.sqlState == "25006", "reads are read-only")
            let failed = await failure {
                try await database.write.batch(["DELETE FROM numbers", "SELECT 1 / 0"])
            }
            #expect(failed?.sqlState == "22012")
            try await database.write.run("DELETE FROM numbers WHERE number = 0")
            #expect(try await direct.read.run("SELECT * FROM numbers") == 299)
            let left = try await direct.read.query(
                """
                SELECT query FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in%'
                """
            ) { try $0.next(as: String.self) }
            #expect(left == [])
            // Sessions have no settings of their own here, so this sees what the others left.
            let session = try await database.withConnection { session in
                try await session.first("SELECT current_setting('statement_timeout')") {
                    try $0.next(as: String.self)
                }
            }
            #expect(session == "0")
        }
    }

    @Test(.enabled(if: TestPooler.isInstalled)) func `another isolation level of the role is refused`()
        async throws
    {
        try await with(mode: "transaction", .transaction) { (database, direct) async throws in
            let name = try await direct.read.first("SELECT current_database()") {
                try $0.next(as: String.self)
            }
            try await direct.withConnection { session in
                try await session.script(
                    "ALTER DATABASE \(name ?? "") SET default_transaction_isolation = 'serializable'")
                try await session.script(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )
            }
            try await waitUntil("new connections have it") {
                guard case .isolation("serializable")? = try? await database.poolerMistake() else {
                    return false
                }
                return true
            }
        }
    }
}
