import ArgumentParser
import Foundation
import Kernel
import Kith
import Logging
import Operations
import Postgres
import Web

/// `kith serve`: runs the service.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the API and the pages.")

    @Flag(help: "First apply pending migrations.")
    var migrate = false

    @Flag(help: "Print the settings, with secrets masked, and every error in them, and do not serve.")
    var check = false

    func run() async throws {
        if check { return try await Self.printSettings() }
        Self.ignoreSignals()
        let environment = try Environment()
        environment.warnOfUnknownSettings()
        let db =
            migrate
            ? try await environment.database(holdingSessionOf: "serve --migrate")
            : try environment.databaseOfSettings()
        // Connect before anything else takes the connections.
        try await db.connect()
        if let mistake = try await db.poolerMistake() { throw Failure(mistake.advice) }
        let migrator = Migrator(db)
        if migrate {
            _ = try await migrator.migrate {
                environment.logger.notice("migrating", metadata: ["step": "\($0)"])
            }
        }
        let status = try await migrator.status()
        guard status.pending.isEmpty else {
            throw Failure("\(MigrationError.pending(status.pending.map(\.fileName)))")
        }
        if !status.newer.isEmpty {
            environment.logger.warning(
                "the schema is newer than this kith, which may serve beside it",
                metadata: ["newer": "\(status.newer.joined(separator: ", "))"])
        }
        if let mistake = status.distribution?.mistake { throw Failure("\(mistake)") }
        if let warning = status.distribution?.warning { environment.logger.warning("\(warning)") }
        try await environment.requireZone(of: db)
        let (config, logger) = (environment.config, environment.logger)
        try await Server(Self.app(config, db, logger), logger: logger).run {
            logger.info(
                "serving",
                metadata: [
                    "listen": "\(config.server.listen)", "ops": "\(config.server.opsListen)",
                    "links": "\(config.server.linkURL)", "version": "\(BuildInfo.version)",
                    "commit": "\(BuildInfo.commit)", "migration": "\(BuildInfo.migration)",
                ])
        }
        await db.close()
        logger.info("stopped")
    }

    /// Ignores signals that ask other services to reopen logs or reload settings. Kith does neither, and by
    /// default they would end it.
    private static func ignoreSignals() {
        for name in [SIGHUP, SIGUSR1, SIGUSR2] { signal(name, SIG_IGN) }
    }

    private static func app(_ config: Config, _ db: Database, _ logger: Logger) async throws -> App {
        do {
            return try await App.checked(config, db: db, logger: logger)
        } catch let error as ConfigError {
            throw failure(error.mistakes)
        }
    }

    private static func failure(_ mistakes: [String]) -> Failure {
        Failure(mistakes.joined(separator: "\nkith: "))
    }

    private static func printSettings() async throws {
        let environment = ProcessInfo.processInfo.environment
        for (name, value) in Config.shown(environment: environment) { try say("\(name) = \(value)") }
        for gap in Config.gaps(in: environment) { try say("warning: \(gap)") }
        let unknown = Config.unknown(environment: environment).map {
            "\($0.name) is not a setting: did you mean \($0.nearest)?"
        }
        let mistakes = unknown + (await App.mistakes(in: environment))
        guard mistakes.isEmpty else { throw failure(mistakes) }
    }
}
