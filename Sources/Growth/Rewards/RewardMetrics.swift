import Synchronization
import Web

/// Holds how far rewards were behind at the last look, and how many waited.
package final class RewardMetrics: Sendable {
    package struct Seen: Sendable {
        /// The age of the first event that is not followed, in seconds.
        var lag: Double
        /// Rewards within their hold, rewards whose hold is over, and rewards that wait for an operator.
        var held: Int
        var due: Int
        var flagged: Int
    }

    private let seen = Mutex<Seen?>(nil)

    package init() {}

    func see(_ new: Seen?) {
        seen.withLock { $0 = new }
    }

    package func metricsText() -> String {
        guard let seen = seen.withLock({ $0 }) else { return "" }
        var text = MetricsText()
        text.family(
            "kith_reward_lag_seconds", .gauge,
            "How long the first event waits that rewards have not followed.", seen.lag)
        text.family(
            "kith_rewards_waiting", .gauge,
            "Rewards in their hold, due behind it, or flagged, which wait for an operator.", by: "state",
            [("held", seen.held), ("due", seen.due), ("flagged", seen.flagged)])
        return text.text
    }
}
