import Synchronization
import Web

/// How far counting is behind, and what it could not read.
package final class CountMetrics: Sendable {
    private struct State {
        /// For how many seconds the oldest waited when it was looked at.
        var lag = 0.0
        var lookedAt = ContinuousClock.now
        /// Whether nobody could look since.
        var isBlind = false
        var unreadable = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// - Parameter lag: for how many seconds the oldest waits that nobody has counted. Nil if the database
    ///   does not say it.
    func see(lag: Double?) {
        state.withLock { state in
            state.isBlind = lag == nil
            if let lag { (state.lag, state.lookedAt) = (max(0, lag), .now) }
        }
    }

    package func couldNotRead(_ sums: Int) { state.withLock { $0.unreadable += sums } }

    package func metricsText() -> String {
        let state = state.withLock { $0 }
        // While nobody can look, what waited then still waits.
        let blind = state.isBlind ? state.lookedAt.duration(to: .now) : .zero
        var text = MetricsText()
        text.family(
            "kith_counts_lag_seconds", .gauge,
            "How long the oldest visit or event has waited that nobody has counted yet, whichever server counts.",
            Int(state.lag) + Int(blind.components.seconds))
        text.family(
            "kith_counts_unreadable_total", .counter,
            "Sums that could not be read: their counts stay, and how they divide begins anew.",
            state.unreadable)
        return text.text
    }
}
