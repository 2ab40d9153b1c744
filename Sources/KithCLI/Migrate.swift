import ArgumentParser
import Operations
import Postgres
import Schema

/// `kith migrate`: applies this binary's pending migrations.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Apply pending migrations.")

    @Option(help: "Stop after this version.")
    var to: Int?

    @Flag(
        help: """
            Then spread the tables over the workers of the Citus cluster whose coordinator KITH_DATABASE_URL names. \
            Until all rows are copied, writes wait.
            """)
    var distribute = false

    @Flag(
        help:
            "List applied and pending migrations, and change nothing. Exits with 1 if any are pending."
    )
    var status = false

    @Flag(help: "Print the SQL that would run, and change nothing.")
    var dryRun = false

    func run() async throws {
        let db = try await Environment().database(holdingSessionOf: "migrate")
        let migrator = Migrator(db)
        if status {
            try await show(migrator.status())
        } else if dryRun {
            try await print(migrator.status())
        } else {
            // This refuses before anything is changed.
            let before = distribute ? try await migrator.cluster(migrator.status()).spread : []
            let applied = try await migrator.migrate(to: to ?? .max) { try? say("\($0)") }
            try say(applied.isEmpty ? "the schema is up to date" : "applied \(applied.count)")
            if distribute {
                let new = try await migrator.distribute().spread.filter { !before.contains($0) }
                try say(
                    new.isEmpty ? "the tables are distributed" : "distributed \(new.joined(separator: ", "))")
            }
        }
        await db.close()
    }

    private func show(_ status: Migrator.Status) throws {
        for migration in status.applied { try say("applied  \(migration.fileName)") }
        for migration in status.pending { try say("pending  \(migration.fileName)") }
        for name in status.newer { try say("newer    \(name)") }
        if let distribution = status.distribution {
            for name in distribution.spread { try say("distributed  \(name)") }
            for name in distribution.local { try say("local  \(name)") }
        }
        if !status.pending.isEmpty { throw Failure("\(status.pending.count) pending: run `kith migrate`") }
        if let partial = status.distribution?.mistake { throw Failure("\(partial)") }
    }

    private func print(_ status: Migrator.Status) throws {
        for migration in status.pending where migration.version <= to ?? .max {
            try put("-- \(migration.fileName)\n\(migration.sql)")
        }
        let isDistributed = status.distribution?.isBegun == true
        guard distribute || isDistributed, status.distribution?.isComplete != true || !status.pending.isEmpty
        else { return }
        try put("-- distribute.sql\n\(Migration.distribution)")
    }
}
