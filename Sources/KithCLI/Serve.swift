import ArgumentParser
import Foundation
import Kith
import Logging
import Postgres

/// `kith serve`: the service.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the API and the pages.")

    @Flag(help: "Migrate first, where the schema is older.")
    var migrate = false

    @Flag(help: "Print the settings as read, secrets masked, and what is wrong with them; serve nothing.")
    var check = false

    func run() async throws {
        if check { return try await Self.printSettings() }
        Self.ignoreSignals()
        let environment = try Environment()
        for unknown in Config.unknown(environment: ProcessInfo.processInfo.environment) {
            environment.logger.warning(
                "unknown setting", metadata: ["name": "\(unknown.name)", "nearest": "\(unknown.nearest)"])
        }
        let db = try environment.databaseOfSettings()
        let migrator = Migrator(db)
        if migrate { _ = try await migrator.migrate() }
        let pending = try await migrator.status().pending
        guard pending.isEmpty else { throw Failure("\(MigrationError.pending(pending.map(\.fileName)))") }
        guard try await !db.isPooledByTransaction() else {
            throw Failure(
                "a pooler lends connections to PostgreSQL by the transaction: use pool_mode = session, or none"
            )
        }
        try await Self.refuse(App.mistakes(in: environment.config))

        let (config, logger) = (environment.config, environment.logger)
        try await Server(App(config, db: db, logger: logger), logger: logger).run {
            logger.info(
                "serving",
                metadata: [
                    "listen": "\(config.server.listen)", "ops": "\(config.server.opsListen)",
                    "links": "\(config.server.linkURL)",
                ])
        }
        await db.close()
        logger.info("stopped")
    }

    /// Those that others send to have logs or settings read anew: neither is of use here, and the default is to end.
    private static func ignoreSignals() {
        for name in [SIGHUP, SIGUSR1, SIGUSR2] { signal(name, SIG_IGN) }
    }

    private static func refuse(_ mistakes: [String]) throws {
        guard mistakes.isEmpty else { throw Failure(mistakes.joined(separator: "\nkith: ")) }
    }

    private static func printSettings() async throws {
        let environment = ProcessInfo.processInfo.environment
        for (name, value) in Config.shown(environment: environment) { try say("\(name) = \(value)") }
        let unknown = Config.unknown(environment: environment).map {
            "\($0.name) is no setting: is \($0.nearest) meant?"
        }
        do {
            let mistakes = try await App.mistakes(in: Config(environment: environment))
            try refuse(unknown + mistakes)
        } catch let error as ConfigError {
            try refuse(unknown + error.mistakes)
        }
    }
}
