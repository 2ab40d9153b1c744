import Crypto
import Foundation
package import Postgres
package import Schema

/// Applies this binary's pending migrations to a database, one after the other.
package struct Migrator: Sendable {
    /// An arbitrary number for the lock of all migrators, which wait for each other to release it.
    private static let lock = 0x6B_69_74_68

    let db: Database
    let migrations: [Migration]
    /// How long a migration is tried again while its tables are in use.
    let patience: Duration

    package init(
        _ db: Database, migrations: [Migration] = Migration.all, patience: Duration = .seconds(300)
    ) {
        (self.db, self.migrations, self.patience) = (db, migrations, patience)
    }

    /// Progress that the operator is told.
    package enum Progress: Sendable, CustomStringConvertible {
        case applying(Migration)
        /// A table of the migration is in use. The migration is tried again.
        case locked(Migration)
        /// Another migrator works on this database.
        case waiting(pid: Int?)

        package var description: String {
            switch self {
            case .applying(let migration): "applying \(migration.fileName)"
            case .locked(let migration):
                "\(migration.fileName) waits for a table that is in use, as by pg_dump or a long transaction: trying again"
            case .waiting(let pid):
                "waiting: another migrator is at work\(pid.map { " (PostgreSQL process \($0))" } ?? "")"
            }
        }
    }

    /// This binary's migrations, by whether the database has them.
    package struct Status: Sendable {
        package var applied: [Migration] = []
        package var pending: [Migration] = []
        /// Newer migrations that this binary does not know but can run beside.
        package var newer: [String] = []
        /// How the tables are distributed. Nil on a PostgreSQL without Citus.
        package var distribution: Distribution?
    }

    /// Creates the database if it does not exist. The name may have letters only.
    package static func createDatabase(_ name: String, with admin: Database) async throws {
        try await admin.withConnection { session in
            let exists = try await session.first("SELECT FROM pg_database WHERE datname = \(name)") { _ in
                true
            }
            if exists == nil { try await session.script("CREATE DATABASE \(name)") }
        }
    }

    package func status() async throws -> Status {
        try await db.withConnection { try await status($0) }
    }

    /// Applies pending migrations up to a version, each in its own transaction, and returns them. If the
    /// tables are spread over Citus, the new ones are spread too. If two calls run at once, the second waits,
    /// and then finds nothing to do.
    package func migrate(to version: Int = .max, progress: @Sendable (Progress) -> Void = { _ in })
        async throws
        -> [Migration]
    {
        try await alone(progress) { session in
            let current = try await status(session)
            let isDistributed = current.distribution?.isBegun == true
            if isDistributed { _ = try cluster(current) }
            let pending = current.pending.filter { $0.version <= version }
            for migration in current.applied { try await session.script(seal(migration)) }
            for migration in pending {
                progress(.applying(migration))
                try await applyWhenFree(migration, session, progress)
            }
            if isDistributed { try await session.script(Migration.distribution) }
            return pending
        }
    }

    /// Spreads the tables over the workers of a Citus cluster, except those that are already spread.
    package func distribute() async throws -> Distribution {
        try await alone({ _ in }) { session in
            _ = try cluster(await status(session))
            try await session.script(Migration.distribution)
            let distribution = try cluster(await status(session))
            if let mistake = distribution.mistake { throw mistake }
            return distribution
        }
    }

    /// Returns the cluster over which tables can be spread. Throws if there is none.
    package func cluster(_ status: Status) throws -> Distribution {
        guard let distribution = status.distribution else { throw DistributionError.noCitus }
        if let obstacle = distribution.obstacle { throw obstacle }
        return distribution
    }

    /// Runs `body` while no other migrator works on this database.
    private nonisolated(nonsending) func alone<T>(
        _ progress: @Sendable (Progress) -> Void,
        _ body: nonisolated(nonsending) (Session) async throws -> T
    ) async throws -> T {
        try await db.withConnection { session in
            try await waitUntilAlone(session, progress)
            let value = try await body(session)
            try await session.script("SELECT pg_advisory_unlock(\(Self.lock))")
            return value
        }
    }

    /// Waits by asking again and again: a waiting statement would itself hold up a `CREATE INDEX
    /// CONCURRENTLY` of the other migrator.
    private func waitUntilAlone(_ session: Session, _ progress: @Sendable (Progress) -> Void) async throws {
        guard try await !isAlone(session) else { return }
        progress(.waiting(pid: try await other(session)))
        repeat { try await Task.sleep(for: .milliseconds(200)) } while try await !isAlone(session)
    }

    private func isAlone(_ session: Session) async throws -> Bool {
        try await session.first("SELECT pg_try_advisory_lock(\(Self.lock)::int8)") { try $0.next() } ?? false
    }

    /// Returns the process of the other migrator. Nil if it has just ended.
    private func other(_ session: Session) async throws -> Int? {
        try await session.first(
            """
            SELECT pid::int8 FROM pg_locks
            WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = \(Self.lock) AND objsubid = 1
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        ) { try $0.next() }
    }

    /// Applies a migration, and tries again with pauses if a table is in use: while it waits for a lock, all
    /// calls on the table wait behind it.
    private func applyWhenFree(
        _ migration: Migration, _ session: Session, _ progress: @Sendable (Progress) -> Void
    ) async throws {
        let end = ContinuousClock.now + patience
        for attempt in 0... {
            do {
                return try await apply(migration, session, attempt)
            } catch let error as PostgresError
                where error.sqlState == "55P03" && migration.runsInTransaction && ContinuousClock.now < end
            {
                // A session keeps its transaction, even a failed one.
                try await session.script("ROLLBACK")
                progress(.locked(migration))
                try await Task.sleep(for: .seconds(min(15, 1 << min(attempt, 4))))
            }
        }
    }

    private func apply(_ migration: Migration, _ session: Session, _ attempt: Int) async throws {
        let seal = seal(migration)
        try await session.script(
            migration.runsInTransaction
                ? "BEGIN; \(Self.settings(attempt))\n\(migration.sql);\n\(seal) COMMIT;" : migration.sql)
        if !migration.runsInTransaction { try await session.script(seal) }
    }

    /// Returns the settings of an attempt. At first it waits for a lock for less time than reads do, so that
    /// none of them fails behind it, and later for up to 1.5 seconds.
    // Without the second setting Citus refuses to change functions and tables in one transaction. PostgreSQL
    // ignores it.
    static func settings(_ attempt: Int) -> String {
        let wait = min(1500, 150 << min(attempt, 4))
        return
            "SET LOCAL lock_timeout = \(wait); SET LOCAL citus.multi_shard_modify_mode = 'sequential';"
    }

    /// Records a migration's checksum, even if it was applied with psql.
    private func seal(_ migration: Migration) -> String {
        """
        UPDATE schema_migrations SET sha256 = '\(migration.sha256)'
        WHERE version = \(migration.version) AND sha256 IS NULL;
        """
    }

    private func status(_ session: Session) async throws -> Status {
        var rest = migrations[...]
        var status = Status()
        for (version, name, sha256, serves) in try await appliedRows(session) {
            if rest.isEmpty, let serves, let last = migrations.last?.version, last >= serves {
                status.newer.append(Migration.fileName(version, name))
                continue
            }
            guard let migration = rest.popFirst(), migration.version == version else {
                throw migrations.contains { $0.version == version }
                    ? MigrationError.skipped(before: version) : .unknown(version: version, name: name)
            }
            // A migration that psql applied has a name, but no checksum yet.
            guard name == migration.name, sha256 == nil || sha256 == migration.sha256 else {
                throw MigrationError.changed(migration.fileName)
            }
            status.applied.append(migration)
        }
        status.pending = Array(rest)
        status.distribution = try await DistributionStore(db: session).read()
        return status
    }

    private func appliedRows(_ session: Session) async throws -> [(Int, String, String?, Int?)] {
        let exists = try await session.first("SELECT to_regclass('schema_migrations') IS NOT NULL") {
            try $0.next(as: Bool.self)
        }
        guard exists == true else { return [] }
        return try await session.query(
            // Databases from before this column existed must be refused in words, too.
            """
            SELECT version, name, sha256, (to_jsonb(m) ->> 'serves')::int FROM schema_migrations m ORDER BY version
            """
        ) { try ($0.next(), $0.next(), $0.next(), $0.next()) }
    }
}

/// Why a database does not match this binary.
package enum MigrationError: Error, CustomStringConvertible, Equatable {
    case unknown(version: Int, name: String)
    case skipped(before: Int)
    case changed(String)
    case pending([String])

    package var description: String {
        switch self {
        case .unknown(let version, let name):
            "the database has migration \(version) (\(name)), which this kith does not know: use a newer kith. "
                + Self.beforeRelease
        case .skipped(let version):
            "the database has migration \(version), but not all before it: apply those with psql, in order"
        case .changed(let file):
            "the database was migrated with a different \(file) than this kith's. \(Self.beforeRelease)"
        case .pending(let files):
            "the schema is older than this kith (missing: \(files.joined(separator: ", "))): run `kith migrate`"
        }
    }

    /// A hint to be removed with 0.1.0: from then on migrations are only added.
    private static let beforeRelease =
        "Until 0.1.0 no kith upgrades the database of another commit: use the kith that made it, or a new, "
        + "empty database, which `kith import` can fill"
}

extension Migration {
    package var fileName: String { Self.fileName(version, name) }

    static func fileName(_ version: Int, _ name: String) -> String {
        let digits = String(version)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + "\(digits)_\(name).sql"
    }

    var sha256: String {
        SHA256.hash(data: Array(sql.utf8)).map { byte in
            let hex = String(byte, radix: 16)
            return hex.count == 1 ? "0\(hex)" : hex
        }.joined()
    }
}
