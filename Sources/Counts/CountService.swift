package import Logging
import ServiceLifecycle
import Web

/// Counts what happened, within a second or two.
package struct CountService: Service {
    private let counting: Counting
    private let logger: Logger

    package init(_ counting: Counting, logger: Logger) {
        (self.counting, self.logger) = (counting, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic(
                "numbers are behind", every: .seconds(1), afterFailure: .seconds(5), logger: logger
            ).run { try await counting.countAll() }
        }
    }
}
