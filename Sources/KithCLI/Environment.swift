import Foundation
import Kith
import Logging
import Postgres

/// What the commands share: settings from the environment, and the database they name.
struct Environment {
    let config: Config
    let logger: Logger

    /// - Parameter developmentKey: whose tokens are believed where the environment names no provider.
    init(
        _ environment: [String: String] = ProcessInfo.processInfo.environment,
        developmentKey: DevelopmentKey? = nil
    ) throws {
        do {
            var config = try Config(environment: environment)
            if let developmentKey, config.auth.jwks == nil, config.auth.firebaseProject == nil {
                config.auth = developmentKey.config
            }
            self.config = config
        } catch let error as ConfigError {
            throw Failure(error.description)
        }
        logger = Logs.logger(config.server)
    }

    func database() throws -> Database {
        guard !config.database.url.isEmpty else {
            throw Failure("set KITH_DATABASE_URL to the URL of a PostgreSQL database, or run `kith dev`")
        }
        var configuration = Database.Configuration(url: config.database.url)
        configuration.write.connections = config.database.writers
        let log = DatabaseLog(logger)
        do {
            return try config.database.open(configuration) { log.note($0) }
        } catch let error as ConfigError {
            throw Failure(error.description)
        }
    }
}
