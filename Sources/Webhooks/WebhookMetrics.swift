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
            "kith_webhook_deliveries_total", .counter, "Attempts to deliver an event, and events given up.",
            by: "outcome", Outcome.allCases.map { ($0.rawValue, state.counts[$0] ?? 0) })
        text.family(
            "kith_webhook_lag_seconds", .gauge,
            "How long the first event waits that an endpoint does not have.", by: "webhook",
            state.seen.map { ($0.id, $0.lag) })
        text.family(
            "kith_webhook_failing", .gauge, "Whether an endpoint fails, and gets only a probe now and then.",
            by: "webhook", state.seen.map { ($0.id, $0.isFailing ? 1 : 0) })
        text.family(
            "kith_webhook_paused", .gauge, "Whether an endpoint is paused.", by: "webhook",
            state.seen.map { ($0.id, $0.isPaused ? 1 : 0) })
        text.family(
            "kith_webhook_stalled", .gauge,
            "Whether so many events wait one by one that an endpoint gets no new ones.", by: "webhook",
            state.seen.map { ($0.id, $0.isStalled ? 1 : 0) })
        return text.text
    }
}
