import Synchronization

/// Holds how many offer codes were seen last, by their campaigns.
final class OfferMetrics: Sendable {
    struct Seen: Sendable {
        var campaign: String
        var free: Int
        var dealt: Int
        var stale: Int
    }

    private let seen = Mutex<[Seen]>([])

    func see(_ new: [Seen]) {
        seen.withLock { $0 = new }
    }

    func metricsText() -> String {
        var text = MetricsText()
        text.family(
            "kith_offer_codes", .gauge,
            "Offer codes of a campaign: free, dealt, or stale, which expire too soon to be dealt.")
        for one in seen.withLock({ $0 }) {
            for (state, count) in [("free", one.free), ("dealt", one.dealt), ("stale", one.stale)] {
                text.sample("kith_offer_codes", [("campaign", one.campaign), ("state", state)], count)
            }
        }
        return text.text
    }
}
