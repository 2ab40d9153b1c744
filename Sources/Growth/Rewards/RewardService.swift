package import Logging
import Postgres
import ServiceLifecycle
import Web

/// Follows events, makes rewards and gives them, after the fact: no sign-up waits for it. Of several servers
/// one works, and another takes over within half a minute if it ends.
package struct RewardService: Service {
    package let work: RewardRun
    package let metrics: RewardMetrics
    package let logger: Logger

    package init(work: RewardRun, metrics: RewardMetrics, logger: Logger) {
        self.work = work
        self.metrics = metrics
        self.logger = logger
    }

    private static let interval = Duration.seconds(1)

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var (position, taken, cleaned) = (Int64?.none, ContinuousClock.now, ContinuousClock.Instant?.none)
            var (isFailing, looked) = (false, ContinuousClock.Instant?.none)
            while true {
                // A server that does not follow looks too: if none follows, each reports it.
                if looked.map({ ContinuousClock.now - $0 > .seconds(60) }) ?? true {
                    looked = .now
                    metrics.see(try? await work.positions.look())
                }
                do {
                    let isLate = ContinuousClock.now - taken > .seconds(RewardRun.lease / 3)
                    if position == nil || isLate {
                        taken = .now
                        position = try await work.take()
                    }
                    let before = position
                    if let from = position { position = try await work.pass(from: from) }
                    // Events that wait may show that an invitee qualified in time, so clean up only when none
                    // wait.
                    if position != nil, position == before,
                        cleaned.map({ ContinuousClock.now - $0 > .seconds(3600) }) ?? true
                    {
                        cleaned = .now
                        try await work.clean()
                    }
                    isFailing = false
                } catch {
                    position = nil
                    // This is logged once for each outage.
                    if !isFailing, !Task.isCancelled {
                        logger.warning("rewards wait", metadata: ["error": "\(error.reason)"])
                    }
                    isFailing = true
                }
                try await Task.sleep(for: position == nil ? .seconds(5) : Self.interval)
            }
        }
        try? await work.positions.release(work.holder)
    }
}
