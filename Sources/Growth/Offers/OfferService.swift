package import Foundation
package import Logging
import Postgres
import ServiceLifecycle
import Web

/// Tells operators when few codes are left, and when codes expire unused.
package struct OfferService: Service {
    package let store: OfferStore
    package let metrics: OfferMetrics
    package let now: @Sendable () -> Date
    package let logger: Logger

    package init(
        store: OfferStore, metrics: OfferMetrics, now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        self.store = store
        self.metrics = metrics
        self.now = now
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await Periodic("offer codes are not counted", every: .seconds(60), logger: logger).run {
                do { try await look() } catch {
                    metrics.see([])
                    throw error
                }
            }
        }
    }

    func look() async throws {
        let pools = try await store.pools()
        metrics.see(pools)
        for pool in pools {
            let campaign: Logger.Metadata = ["campaign": "\(pool.campaign.key.text)", "left": "\(pool.free)"]
            if pool.free >= pool.campaign.lowWater {
                if pool.isLow { try await store.endLow(pool) }
            } else if !pool.isLow, pool.hasCodes, try await store.tellLow(pool) {
                logger.warning("few offer codes are left: import more", metadata: campaign)
            }
            let until = now() + Double(OfferCampaign.daysToTell) * 86_400
            if let first = pool.firstUntold, try await store.tellExpiring(pool, first: first, until: until) {
                logger.warning("offer codes expire soon, and nobody has them", metadata: campaign)
            }
        }
    }
}
