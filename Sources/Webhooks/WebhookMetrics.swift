import Foundation
import Synchronization
import Web

/// Counts deliveries to webhooks, and holds the last known state of these.
package final class WebhookMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case delivered, failed, dead
    }

    private struct State {
        var counts: [Outcome: Int] = [:]
        var seen: [Webhook] = []
    }

    private let state = Mutex(State())

    package init() {}

    func count(_ outcome: Outcome, _ number: Int = 1) {
        state.withLock { $0.counts[outcome, default: 0] += number }
    }

    func see(_ seen: [Webhook]) {
        state.withLock { $0.seen = seen }
    }

    package func metricsText() -> String {
        let state = state.withLock { $0 }
        var text = MetricsText()
        text.family(
            "kith_webhook_deliveries_total", .counter, "Attempts to deliver an event, and events given up.",
            by: "outcome", Outcome.allCases.map { ($0.rawValue, state.counts[$0] ?? 0) })
        func family<Value: CustomStringConvertible>(
            _ name: String, _ help: String, _ value: (Webhook) -> Value
        ) {
            let values = state.seen.map { ($0.id.uuidString.lowercased(), value($0)) }
            text.family(name, .gauge, help, by: "webhook", values)
        }
        family("kith_webhook_lag_seconds", "How long the first event waits that an endpoint does not have.") {
            $0.lag
        }
        family("kith_webhook_failing", "Whether an endpoint fails, and gets only a probe now and then.") {
            $0.failingSince == nil ? 0 : 1
        }
        family("kith_webhook_paused", "Whether an endpoint is paused.") { $0.pausedAt == nil ? 0 : 1 }
        family(
            "kith_webhook_stalled",
            "Whether so many events wait one by one that an endpoint gets no new ones."
        ) {
            $0.isStalled ? 1 : 0
        }
        return text.text
    }
}
