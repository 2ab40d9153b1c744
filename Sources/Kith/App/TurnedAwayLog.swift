import Logging
import ServiceLifecycle

/// Says in the log that clients are refused because so many are connected: they come no further than that.
struct TurnedAwayLog: Service {
    let connections: OpenConnections
    let logger: Logger

    func run() async throws {
        logger.info("connections of clients are limited", metadata: ["limit": "\(connections.limit)"])
        try? await cancelWhenGracefulShutdown {
            var told = 0
            while true {
                try await Task.sleep(for: .seconds(30))
                told = tell(since: told)
            }
        }
    }

    /// - Parameter told: how many were refused when it was said last.
    func tell(since told: Int) -> Int {
        let refused = connections.sinceStart.refused
        if refused > told {
            logger.warning(
                "connections of clients were refused: raise KITH_MAX_CONNECTIONS or the limit of open files",
                metadata: ["refused": "\(refused - told)", "limit": "\(connections.limit)"])
        }
        return refused
    }
}
