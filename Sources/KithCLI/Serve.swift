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
        if check { return try Self.printSettings() }
        let environment = try Environment()
        let db = try environment.database()
        let migrator = Migrator(db)
        if migrate { _ = try await migrator.migrate() }
        let pending = try await migrator.status().pending
        guard pending.isEmpty else { throw Failure("\(MigrationError.pending(pending.map(\.fileName)))") }
        guard try await !db.isPooledByTransaction() else {
            throw Failure(
                "a pooler lends connections to PostgreSQL by the transaction: use pool_mode = session, or none"
            )
        }

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

    private static func printSettings() throws {
        let environment = ProcessInfo.processInfo.environment
        for (name, value) in Config.shown(environment: environment) { say("\(name) = \(value)") }
        let mistakes = try App.mistakes(in: Environment(environment).config)
        guard mistakes.isEmpty else { throw Failure(mistakes.joined(separator: "\nkith: ")) }
    }
}
