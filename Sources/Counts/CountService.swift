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
            await withTaskGroup { group in
                group.addTask {
                    await Periodic(
                        "numbers are behind", every: .seconds(1), afterFailure: .seconds(5), logger: logger
                    ).run { try await counting.countAll() }
                }
                // Beside it, so that it is told also of a server that counts for long, or waits.
                group.addTask {
                    while !Task.isCancelled {
                        metrics.see(lag: try? await counting.lag())
                        try? await Task.sleep(for: .seconds(5))
                    }
                }
            }
        }
    }
}
