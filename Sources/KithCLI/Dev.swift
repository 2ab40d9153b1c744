import ArgumentParser
import EmbeddedPostgres
import Foundation
import Kith
import Postgres

/// `kith dev`: everything at once for a first look or for work on an app, with a PostgreSQL of its own.
struct Dev: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Serve on this machine with a PostgreSQL of its own, a demo world, and keys to sign in with.",
        discussion: """
            While it runs, `key`, `username`, `verify`, `import` and `migrate` work on its database, unless \
            KITH_DATABASE_URL is set: its URL is in the file database-url of the folder (.kith, or KITH_DEV_FOLDER).
            """)

    func run() async throws {
        let folder = try DevFolder()
        var environment = ProcessInfo.processInfo.environment
        environment["KITH_LOG_FORMAT"] = environment["KITH_LOG_FORMAT"] ?? "text"
        let postgres = try await Self.postgres(in: folder, for: &environment)
        do {
            let url = postgres == nil ? nil : environment["KITH_DATABASE_URL"]
            try await serve(
                Environment(environment, developmentKey: folder.key()), in: folder, ownDatabase: url)
        } catch {
            await postgres?.end()
            throw error
        }
        await postgres?.end()
    }

    /// Starts one under the folder, unless the environment names a database.
    private static func postgres(
        in folder: DevFolder, for environment: inout [String: String]
    ) async throws -> EmbeddedPostgres? {
        guard environment["KITH_DATABASE_URL"] == nil, environment["KITH_DATABASE_URL_FILE"] == nil else {
            return nil
        }
        let postgres = try await start(in: "\(folder.path)/postgres")
        let admin = try Database(Database.Configuration(url: postgres.url()))
        try await Migrator.createDatabase("kith", with: admin)
        await admin.close()
        environment["KITH_DATABASE_URL"] = postgres.url(database: "kith")
        return postgres
    }

    /// In a folder that PostgreSQL can reach: as root it runs as another user, who may not look into
    /// root's home.
    private static func start(in directory: String) async throws -> EmbeddedPostgres {
        do {
            try say("starting PostgreSQL in \(directory) …")
            return try await EmbeddedPostgres.start(directory: directory, durable: true)
        } catch EmbeddedPostgresError.unreachable {
            let other = "/var/tmp/kith\(directory.replacing("/", with: "-"))"
            try say("PostgreSQL's user cannot reach it: starting in \(other) …")
            return try await EmbeddedPostgres.start(directory: other, durable: true)
        }
    }

    /// - Parameter ownDatabase: the URL that other commands shall find while this serves.
    private func serve(
        _ environment: Environment, in folder: DevFolder, ownDatabase: String?
    ) async throws {
        let (config, logger, db) = (
            environment.config, environment.logger, try environment.databaseOfSettings()
        )
        for migration in try await Migrator(db).migrate() { try say("applied \(migration.fileName)") }
        let app = try App(config, db: db, logger: logger)
        let links = try await DemoData(app).make()
        let token = try await folder.key().sign(uid: "demo-ken")
        if let ownDatabase { try DevFolder.DatabaseFile(folder.path).write(ownDatabase) }
        defer { if ownDatabase != nil { DevFolder.DatabaseFile(folder.path).remove() } }
        try await Server(app, logger: logger).run {
            try? Self.greet(config, links, token: token)
        }
        await db.close()
    }

    private static func greet(_ config: Config, _ links: [DemoData.Link], token: String) throws {
        try say("\nKith is up at http://\(config.server.listen) — click:\n")
        for link in links { try say("  \(link.url)\n      \(link.shows)\n") }
        try say(
            """
            Call the API as Ken, who joined by her link (other users: `kith token --uid U`):

              curl -H "Authorization: Bearer \(token)" http://\(config.server.listen)/v1/friends

            Metrics and health: http://\(config.server.opsListen)/metrics
            The five-minute tour is in README.md. Ctrl-C stops; the data stays.

            """)
    }
}

/// `kith token`: an ID token of `kith dev`.
struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print an ID token for a user, signed with the key of `kith dev`.")

    @Option(help: "The uid, any text of 1 to 128 characters.")
    var uid: String

    func run() async throws {
        try say(await DevFolder().key().sign(uid: uid))
    }
}

/// `.kith/`, or what `KITH_DEV_FOLDER` names: the data and the signing key of `kith dev`.
struct DevFolder {
    let path: String

    /// Whether it is there or not.
    static var named: String {
        let name = ProcessInfo.processInfo.environment["KITH_DEV_FOLDER"] ?? ".kith"
        return URL(filePath: name, directoryHint: .isDirectory).path
    }

    init() throws {
        path = Self.named
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func key() throws -> DevelopmentKey {
        try DevelopmentKey(folder: URL(filePath: path, directoryHint: .isDirectory))
    }

    /// Where other commands find the database of a `kith dev` that runs.
    struct DatabaseFile {
        private let path: String

        init(_ folder: String) {
            path = "\(folder)/database-url"
        }

        /// Nil without such a file.
        var url: String? { try? String(contentsOfFile: path, encoding: .utf8) }

        func write(_ url: String) throws {
            remove()
            guard
                FileManager.default.createFile(
                    atPath: path, contents: Data(url.utf8), attributes: [.posixPermissions: 0o600])
            else { throw Failure("'\(path)' cannot be written") }
        }

        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }
}
