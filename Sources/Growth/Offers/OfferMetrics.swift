import Synchronization
import Web

/// Holds the latest counts of offer codes, by their campaigns.
package final class OfferMetrics: Sendable {
    private let seen = Mutex<[OfferStore.Pool]>([])

    package init() {}

    func see(_ new: [OfferStore.Pool]) {
        seen.withLock { $0 = new }
    }

    package func metricsText() -> String {
        var text = MetricsText()
        text.family(
            "kith_offer_codes", .gauge,
            "Offer codes of a campaign: free, dealt, or stale, which expire too soon to be dealt.")
        for one in seen.withLock({ $0 }) {
            for (state, count) in [("free", one.free), ("dealt", one.dealt), ("stale", one.stale)] {
                text.sample(
                    "kith_offer_codes", [("campaign", one.campaign.key.text), ("state", state)], count)
            }
        }
        return text.text
    }
}
