import Synchronization
import Web

/// When this server last found that all is counted.
package final class CountMetrics: Sendable {
    private let counted = Mutex(ContinuousClock.now)

    package init() {}

    func didCountAll() {
        counted.withLock { $0 = .now }
    }

    package func metricsText() -> String {
        let behind = counted.withLock { $0.duration(to: .now) }
        var text = MetricsText()
        text.family(
            "kith_counts_lag_seconds", .gauge, "How long ago all visits and events were counted.",
            Double(behind.components.seconds))
        return text.text
    }
}
