import HTTPServer
import Logging
import ServiceLifecycle

/// Logs how many clients were refused because too many are connected. They reach no route that could log
/// them.
struct TurnedAwayLog: Service {
    let connections: OpenConnections
    let logger: Logger

    func run() async throws {
        logger.info("client connections are limited", metadata: ["limit": "\(connections.limit)"])
        try? await cancelWhenGracefulShutdown {
            var told = 0
            while true {
                try await Task.sleep(for: .seconds(30))
                told = tell(since: told)
            }
        }
    }

    /// - Parameter told: how many had been refused at the last line.
    func tell(since told: Int) -> Int {
        let refused = connections.sinceStart.refused
        if refused > told {
            logger.warning(
                "client connections were refused: raise KITH_MAX_CONNECTIONS or the limit of open files",
                metadata: ["refused": "\(refused - told)", "limit": "\(connections.limit)"])
        }
        return refused
    }
}
