import ArgumentParser
import Kith
import Postgres
import Schema

/// `kith migrate`: applies this binary's pending migrations.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Apply pending migrations.")

    @Option(help: "Stop after this version.")
    var to = Int.max

    @Flag(
        help:
            "List applied and pending migrations, and change nothing. Exits with 1 if any are pending."
    )
    var status = false

    @Flag(help: "Print the SQL that would run, and change nothing.")
    var dryRun = false

    func run() async throws {
        let db = try await Environment().database()
        let migrator = Migrator(db)
        if status {
            try await show(migrator.status())
        } else if dryRun {
            for migration in try await migrator.status().pending where migration.version <= to {
                try say("-- \(migration.fileName)\n\(migration.sql)")
            }
        } else {
            let applied = try await migrator.migrate(to: to) { try? say("applying \($0.fileName)") }
            try say(applied.isEmpty ? "the schema is up to date" : "applied \(applied.count)")
        }
        await db.close()
    }

    private func show(_ status: Migrator.Status) throws {
        for migration in status.applied { try say("applied  \(migration.fileName)") }
        for migration in status.pending { try say("pending  \(migration.fileName)") }
        if !status.pending.isEmpty { throw Failure("\(status.pending.count) pending: run `kith migrate`") }
    }
}
