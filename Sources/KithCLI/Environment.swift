import Counts
import Foundation
import Kernel
import Kith
import Logging
import Postgres

/// What the commands share: settings from the environment, and the database they name.
struct Environment {
    let config: Config
    let logger: Logger

    /// - Parameter dev: the folder of the `kith dev` that begins. If it is nil, the folder of a `kith dev`
    ///   that runs beside this command counts, if there is one.
    init(_ environment: [String: String] = ProcessInfo.processInfo.environment, dev: DevFolder? = nil) throws
    {
        let running = dev == nil ? DevFolder.running(unless: environment) : nil
        let dev = dev ?? running
        var environment = environment
        for (setting, file) in [
            ("KITH_LINK_URL", DevFolder.RunningFile.linkURL), ("KITH_CONSOLE_URL", .consoleURL),
        ]
        where running != nil && !environment.keys.contains(where: { $0.hasPrefix(setting) }) {
            environment[setting] = DevFolder.text(of: file)
        }
        try dev?.addSettings(to: &environment)
        do {
            var config = try Config(environment: environment)
            if let dev {
                if config.auth.jwks == nil, config.auth.firebaseProject == nil {
                    config.auth = try dev.key().config
                }
                // If any free port is taken (0), nobody knows which port to write in links.
                if config.app.linkDomains == nil, !config.server.linkURL.hasSuffix(":0") {
                    config.app.linkDomains = "\(config.server.linkURL)/l"
                }
            }
            self.config = config
        } catch let error as ConfigError {
            throw Failure(error.description)
        }
        logger = LineLogHandler.logger(config.server)
    }

    /// Warns of unknown settings, for a command that serves: a name may have been mistyped.
    func warnOfUnknownSettings() {
        for unknown in Config.unknown(environment: ProcessInfo.processInfo.environment) {
            logger.warning(
                "unknown setting", metadata: ["name": "\(unknown.name)", "nearest": "\(unknown.nearest)"])
        }
    }

    /// Refuses to count the days of another zone than the database's sums are of, or of one that PostgreSQL
    /// does not know. A database without sums is of this zone from now on.
    func requireZone(of db: Database) async throws {
        if let mistake = try await CountStore(db: db).mistake(in: config.counts) {
            throw Failure(mistake)
        }
    }

    /// Returns the database of KITH_DATABASE_URL. Without that setting it is the one of the `kith dev` that
    /// runs in this folder.
    func database() async throws -> Database {
        if let database = try await databaseOfDev() { return database }
        return try databaseOfSettings()
    }

    /// Returns the database for a command that holds a session of its own for long.
    func database(holdingSessionOf command: String) async throws -> Database {
        guard config.database.pooler == .none else {
            throw Failure(
                "`kith \(command)` needs sessions of its own: name PostgreSQL itself in KITH_DATABASE_URL, not the "
                    + "pooler, and do not set KITH_DATABASE_POOLER")
        }
        return try await database()
    }

    /// Returns the database of KITH_DATABASE_URL.
    func databaseOfSettings() throws -> Database {
        guard !config.database.url.isEmpty else {
            throw Failure("set KITH_DATABASE_URL to the URL of a PostgreSQL database, or run `kith dev`")
        }
        return try open(config.database.url, DatabaseLog(logger))
    }

    /// Returns the database of a running `kith dev`. Nil if it does not answer, since a killed `kith dev`
    /// leaves its file.
    private func databaseOfDev() async throws -> Database? {
        guard config.database.url.isEmpty, let url = DevFolder.text(of: .databaseURL) else {
            return nil
        }
        let database = try open(url, nil)
        do {
            try await database.ping()
            return database
        } catch {
            await database.close()
            return nil
        }
    }

    private func open(_ url: String, _ log: DatabaseLog?) throws -> Database {
        var settings = config.database
        settings.url = url
        do {
            return try settings.open(settings.driver) { log?.note($0) }
        } catch let error as ConfigError {
            throw Failure(error.description)
        }
    }
}
