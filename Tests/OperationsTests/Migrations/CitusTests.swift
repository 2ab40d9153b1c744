import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Operations

/// How the tables come to be spread over a Citus cluster; `make test-citus` runs it.
@Suite(.inTurns, .enabled(if: TestPostgres.isOnCitus)) struct CitusTests {
    /// A database of the cluster without tables.
    private func withDatabase(_ body: (Database, String) async throws -> Void) async throws {
        let url = try await TestPostgres.shared.database(like: "kith_empty") { _ in }
        let db = try Database(Database.Configuration(url: url))
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(db, url)) } catch { outcome = .failure(error) }
        await db.close()
        try outcome.get()
    }

    @Test func `tables are spread once, and the command says what it did`() async throws {
        try await withDatabase { _, url async throws in
            let environment = ["KITH_DATABASE_URL": url, "PGOPTIONS": "-c citus.shard_count=4"]
            let dry = try await KithCommand(["migrate", "--distribute", "--dry-run"], environment).run()
            #expect(dry.output.contains("-- 0001_") && dry.output.contains("create_distributed_table"))
            let first = try await KithCommand(["migrate", "--distribute"], environment).run()
            #expect(first.output.contains("distributed acceptances, api_keys, "), "\(first)")
            let second = try await KithCommand(["migrate", "--distribute"], environment).run()
            #expect(second.output == "the schema is up to date\nthe tables are distributed\n", "\(second)")
            let status = try await KithCommand(["migrate", "--status"], environment).run()
            #expect(status.status == 0 && status.output.contains("distributed  users\n"))
            #expect(!status.output.contains("local"))
            let nothing = try await KithCommand(["migrate", "--distribute", "--dry-run"], environment).run()
            #expect(nothing.output.isEmpty)
        }
    }

    @Test func `a filled database keeps its rows, and the coordinator stores none of them`() async throws {
        try await withDatabase { db, _ async throws in
            _ = try await Migrator(db).migrate()
            try await db.write.batch([
                "INSERT INTO users (id, uid, username) SELECT user_id('u' || n), 'u' || n, 'n' || n FROM generate_series(1, 100) n",
                "INSERT INTO usernames (name_key, user_id, state) SELECT username, id, 'active' FROM users",
                "INSERT INTO username_periods (user_id, name_key, username) SELECT id, username, username FROM users",
            ])
            let before = try await db.read.query("SELECT bytes FROM secrets ORDER BY name") {
                try $0.next(as: [UInt8].self)
            }
            let distribution = try await Migrator(db).distribute()
            #expect(distribution.isComplete && distribution.spread == Migration.tables)
            let counted = try await db.read.first(
                "SELECT count(*) FROM users JOIN username_periods ON user_id = id"
            ) {
                try $0.next(as: Int.self)
            }
            #expect(counted == 100)
            #expect(
                try await db.read.query("SELECT bytes FROM secrets ORDER BY name") {
                    try $0.next(as: [UInt8].self)
                } == before)
            let stored = try await db.read.first(
                "SELECT sum(pg_relation_size(logicalrelid))::int8 FROM pg_dist_partition"
            ) {
                try $0.next(as: Int.self)
            }
            #expect(stored == 0)
        }
    }

    @Test func `later migrations change spread tables, and spread new ones`() async throws {
        try await withDatabase { db, _ async throws in
            let earlier = Migrator(db, migrations: Array(Migration.all.prefix(4)))
            _ = try await earlier.migrate()
            try await db.withConnection { try await $0.script(Migration.distribution) }
            #expect(
                try await Migrator(db).migrate().map(\.version) == Migration.all.dropFirst(4).map(\.version))
            #expect(try await Migrator(db).status().distribution?.isComplete == true)
        }
    }

    @Test func `a server refuses tables that are spread in part, and the command goes on where it was`()
        async throws
    {
        try await withDatabase { db, url async throws in
            _ = try await Migrator(db).migrate()
            try await db.withConnection {
                try await $0.script("SELECT create_distributed_table('users', 'id', shard_count => 4)")
            }
            let refused = try await KithCommand(["serve"], ["KITH_DATABASE_URL": url]).run()
            #expect(
                refused.status == 1 && refused.error.contains("but not these: acceptances, "), "\(refused)")
            #expect(refused.error.contains("`kith migrate --distribute`"))
            #expect(try await Migrator(db).distribute().isComplete)
        }
    }
}
