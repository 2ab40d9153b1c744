import EmbeddedPostgres
import Foundation
import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Operations

/// The migrator, on empty databases and on databases that something else has changed.
@Suite(.inTurns) struct MigratorTests {
    private func withDatabase(_ body: (Database, String) async throws -> Void) async throws {
        let url = try await TestPostgres.shared.database()
        let db = try Database(Database.Configuration(url: url))
        do {
            try await body(db, url)
        } catch {
            await db.close()
            throw error
        }
        await db.close()
    }

    private static let folder = RepositoryFile.root.appending(path: "sql/migrations")

    private func checksums(_ db: Database) async throws -> [String?] {
        try await db.read.query("SELECT sha256 FROM schema_migrations ORDER BY version") { try $0.next() }
    }

    private func tables(_ db: Database) async throws -> Set<String> {
        Set(
            try await db.read.query("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'") {
                try $0.next(as: String.self)
            })
    }

    @Test func `the list is the folder, in order, without gaps`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(Migration.all.map(\.fileName) == files)
        #expect(Migration.all.map(\.version) == Array(1...files.count))
        for migration in Migration.all {
            let file = Self.folder.appending(path: migration.fileName)
            #expect(try String(contentsOf: file, encoding: .utf8) == migration.sql)
            let entry = "(version, name) VALUES (\(migration.version), '\(migration.name)');"
            #expect(migration.sql.contains("INSERT INTO schema_migrations \(entry)"))
        }
    }

    @Test func `an empty database comes to the latest schema, and a second time nothing is done`()
        async throws
    {
        try await withDatabase { (db, _) async throws in
            let migrator = Migrator(db)
            #expect(try await migrator.status().pending.count == Migration.all.count)
            #expect(try await tables(db).isEmpty, "asking for the status changes nothing")
            #expect(try await migrator.migrate().map(\.version) == Migration.all.map(\.version))
            #expect(try await migrator.migrate().isEmpty)
            let status = try await migrator.status()
            #expect(status.pending.isEmpty && status.applied.count == Migration.all.count)
            #expect(try await checksums(db) == Migration.all.map(\.sha256))
            #expect(try await tables(db).isSuperset(of: ["users", "usernames", "relationships", "invites"]))
        }
    }

    @Test func `it migrates up to a version, and on from there`() async throws {
        try await withDatabase { (db, _) async throws in
            #expect(try await Migrator(db).migrate(to: 2).map(\.version) == [1, 2])
            #expect(try await Migrator(db).migrate(to: 2).isEmpty)
            #expect(try await Migrator(db).status().pending.first?.version == 3)
            #expect(try await Migrator(db).migrate().first?.version == 3)
        }
    }

    @Test func `concurrent migrators wait for each other, and each migration is applied once`() async throws {
        try await withDatabase { (_, url) async throws in
            let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let db = try Database(Database.Configuration(url: url))
                        let applied = try await Migrator(db).migrate()
                        await db.close()
                        return applied.map(\.version)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(applied == Migration.all.map(\.version))
        }
    }

    @Test func `a schema applied by hand is up to date, and its checksums are filled in`() async throws {
        try await withDatabase { (db, url) async throws in
            for migration in Migration.all { try await applyByHand(migration, url, db) }
            #expect(try await checksums(db).allSatisfy { $0 == nil })
            #expect(try await Migrator(db).status().pending.isEmpty)
            #expect(try await Migrator(db).migrate().isEmpty)
            #expect(try await checksums(db) == Migration.all.map(\.sha256))
        }
    }

    /// Applies it with `psql -f` as an operator would, or over the driver if there is no psql.
    private func applyByHand(_ migration: Migration, _ url: String, _ db: Database) async throws {
        let psql = ["/usr/bin/psql", "/usr/local/bin/psql", "/opt/homebrew/bin/psql"].first(
            where: FileManager.default.isExecutableFile)
        guard let psql else {
            return try await db.withConnection { try await $0.script(migration.sql) }
        }
        let process = Process()
        process.executableURL = URL(filePath: psql)
        let file = Self.folder.appending(path: migration.fileName).path
        process.arguments = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", file, url]
        try process.run()
        process.waitForExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `migrations applied by hand are continued by kith`() async throws {
        try await withDatabase { (db, url) async throws in
            for migration in Migration.all.prefix(2) { try await applyByHand(migration, url, db) }
            #expect(try await Migrator(db).migrate().first?.version == 3)
            #expect(try await checksums(db) == Migration.all.map(\.sha256))
        }
    }

    @Test func `another checksum is refused by status and migrate, and nothing is changed`() async throws {
        try await withDatabase { (db, _) async throws in
            _ = try await Migrator(db).migrate(to: 3)
            try await db.write.run("UPDATE schema_migrations SET sha256 = 'other' WHERE version = 2")
            // As in a database of a commit before.
            try await db.write.run("ALTER TABLE schema_migrations DROP COLUMN serves")
            await #expect(throws: MigrationError.changed("0002_users.sql")) {
                try await Migrator(db).status()
            }
            await #expect(throws: MigrationError.changed("0002_users.sql")) {
                try await Migrator(db).migrate()
            }
            #expect(try await checksums(db).count == 3)
            #expect(try await checksums(db)[1] == "other")
        }
    }

    @Test func `a migration with another name is refused, also if psql applied it and it has no checksum`()
        async throws
    {
        try await withDatabase { (db, _) async throws in
            _ = try await Migrator(db).migrate(to: 3)
            try await db.write.run(
                "UPDATE schema_migrations SET name = 'other', sha256 = NULL WHERE version = 3")
            await #expect(throws: MigrationError.changed("0003_usernames.sql")) {
                try await Migrator(db).migrate()
            }
            #expect(try await checksums(db) == [Migration.all[0].sha256, Migration.all[1].sha256, nil])
        }
    }

    @Test func `a database of a newer kith is refused with advice`() async throws {
        try await withDatabase { (db, _) async throws in
            _ = try await Migrator(db).migrate()
            let next = Migration.all.count + 1
            try await db.write.run("INSERT INTO schema_migrations (version, name) VALUES (\(next), 'future')")
            let error = MigrationError.unknown(version: next, name: "future")
            await #expect(throws: error) { try await Migrator(db).status() }
            await #expect(throws: error) { try await Migrator(db).migrate() }
            #expect(error.description.contains("\(next) (future)"))
            #expect(error.description.contains("use a newer kith. Until 0.1.0"))
        }
    }

    @Test
    func `a newer migration that says so lets an older kith start beside it, and one that does not, not`()
        async throws
    {
        try await withDatabase { (db, url) async throws in
            _ = try await Migrator(db).migrate()
            let (last, next) = (Migration.all.count, Migration.all.count + 1)
            func enter(_ version: Int, serves: Int?) async throws {
                try await db.write.run(
                    "INSERT INTO schema_migrations (version, name, serves) VALUES (\(version), 'future', \(serves))"
                )
            }
            try await enter(next, serves: last)
            try await enter(next + 1, serves: last)
            let status = try await Migrator(db).status()
            #expect(status.newer == ["00\(next)_future.sql", "00\(next + 1)_future.sql"])
            #expect(try await Migrator(db).migrate().isEmpty)
            let shown = try await KithCommand(["migrate", "--status"], ["KITH_DATABASE_URL": url]).run()
            #expect(shown.status == 0 && shown.output.contains("newer    00\(next)_future.sql"))
            let older = Migrator(db, migrations: Array(Migration.all.dropLast()))
            await #expect(throws: MigrationError.self, "it ends before what the migration serves") {
                try await older.status()
            }
            try await enter(next + 2, serves: nil)
            await #expect(throws: MigrationError.unknown(version: next + 2, name: "future")) {
                try await Migrator(db).status()
            }
        }
    }

    @Test func `a kith that lacks a migration does not start, whatever a newer one serves`() async throws {
        try await withDatabase { (db, _) async throws in
            _ = try await Migrator(db).migrate(to: 3)
            try await db.write.run(
                "INSERT INTO schema_migrations (version, name, serves) VALUES (99, 'future', 1)")
            await #expect(throws: MigrationError.unknown(version: 99, name: "future")) {
                try await Migrator(db).status()
            }
        }
    }

    @Test func `a database with a gap is refused with advice`() async throws {
        try await withDatabase { (db, _) async throws in
            _ = try await Migrator(db).migrate(to: 2)
            try await db.write.run(
                "INSERT INTO schema_migrations (version, name) VALUES (4, 'relationships')")
            await #expect(throws: MigrationError.skipped(before: 4)) { try await Migrator(db).migrate() }
        }
    }

    @Test func `an older kith is refused, too`() async throws {
        try await withDatabase { (db, _) async throws in
            _ = try await Migrator(db).migrate()
            let older = Migrator(db, migrations: Array(Migration.all.dropLast()))
            await #expect(throws: MigrationError.self) { try await older.migrate() }
        }
    }

    @Test func `a failing migration leaves nothing half-done, and those before it stay`() async throws {
        try await withDatabase { (db, _) async throws in
            _ = try await Migrator(db).migrate(to: 2)
            try await db.write.run("CREATE TABLE username_periods (in_the_way int)")
            await #expect(throws: PostgresError.self) { try await Migrator(db).migrate() }
            #expect(try await Migrator(db).status().applied.map(\.version) == [1, 2])
            #expect(try await !tables(db).contains("usernames"), "its first table is gone again")
            try await db.write.run("DROP TABLE username_periods")
            #expect(try await Migrator(db).migrate().first?.version == 3, "and the lock is free")
        }
    }

    @Test func `a migration fails on a table in use, and does not block others by waiting`()
        async throws
    {
        try await withDatabase { (db, url) async throws in
            _ = try await Migrator(db).migrate(to: 1)
            let other = try Database(Database.Configuration(url: url))
            try await other.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE")
                let migrating = Task { try await Migrator(db).migrate() }
                try await waitUntil("it waits") {
                    try await session.first(
                        "SELECT FROM pg_locks WHERE NOT granted AND relation = 'schema_migrations'::regclass"
                    ) { _ in true } == true
                }
                try await session.script("ROLLBACK")
                #expect(try await migrating.value.first?.version == 2)
            }
            await other.close()
        }
    }
}
