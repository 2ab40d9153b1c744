import Synchronization
import Web

/// Counts deliveries to webhooks, and holds the last known state of these.
package final class WebhookMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case delivered, failed, dead
    }

    private struct State {
        var counts: [Outcome: Int] = [:]
        var seen: [Seen] = []
    }

    /// The state of one endpoint.
    struct Seen: Sendable {
        var id: String
        /// How many seconds its first missing event has been waiting.
        var lag: Double
        var isFailing: Bool
        var isPaused: Bool
        var isStalled: Bool
    }

    private let state = Mutex(State())

    package init() {}

    func count(_ outcome: Outcome, _ number: Int = 1) {
        state.withLock { $0.counts[outcome, default: 0] += number }
    }

    func see(_ seen: [Seen]) {
        state.withLock { $0.seen = seen }
    }

    package func metricsText() -> String {
        let state = state.withLock { $0 }
        var text = MetricsText()
        text.family(
            "kith_webhook_deliveries_total", .counter, "Attempts to deliver an event, and events given up.")
        for outcome in Outcome.allCases {
            text.sample(
                "kith_webhook_deliveries_total", [("outcome", outcome.rawValue)], state.counts[outcome] ?? 0)
        }
        text.family(
            "kith_webhook_lag_seconds", .gauge,
            "How long the first event waits that an endpoint does not have.")
        for seen in state.seen { text.sample("kith_webhook_lag_seconds", [("webhook", seen.id)], seen.lag) }
        text.family(
            "kith_webhook_failing", .gauge, "Whether an endpoint fails, and gets only a probe now and then.")
        for seen in state.seen {
            text.sample("kith_webhook_failing", [("webhook", seen.id)], seen.isFailing ? 1 : 0)
        }
        text.family("kith_webhook_paused", .gauge, "Whether an endpoint is paused.")
        for seen in state.seen {
            text.sample("kith_webhook_paused", [("webhook", seen.id)], seen.isPaused ? 1 : 0)
        }
        text.family(
            "kith_webhook_stalled", .gauge,
            "Whether so many events wait one by one that an endpoint gets no new ones.")
        for seen in state.seen {
            text.sample("kith_webhook_stalled", [("webhook", seen.id)], seen.isStalled ? 1 : 0)
        }
        return text.text
    }
}
