package import Logging
import ServiceLifecycle
import Web

/// Counts what happened, within a second or two.
package struct CountService: Service {
    private let counting: Counting
    private let metrics: CountMetrics
    private let logger: Logger

    package init(_ counting: Counting, metrics: CountMetrics, logger: Logger) {
        (self.counting, self.metrics, self.logger) = (counting, metrics, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic(
                "numbers are behind", every: .seconds(1), afterFailure: .seconds(5), logger: logger
            ).run {
                if try await counting.countAll() { metrics.didCountAll() }
            }
        }
    }
}
