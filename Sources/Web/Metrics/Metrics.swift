import Synchronization

/// Counts requests, landings and refusals, for the text format of Prometheus (exposition format 0.0.4).
package final class Metrics: Sendable {
    private struct Counts {
        var requests: [RequestKey: Histogram] = [:]
        var landings: [Int: Int] = [:]
        var limited: [String: Int] = [:]
        var taps: [Tap: Int] = [:]
        var clicks: [Clicked: Int] = [:]
        var policies: [String: Int] = [:]
    }

    /// What happened to an invite whose visitor went on to a store.
    package enum Tap: String, CaseIterable {
        /// The invite waits for the app.
        case left
        /// Too many taps came from the address.
        case limited
        /// The database did not take the invite.
        case lost
    }

    /// What happened to the record of a click.
    package enum Clicked: String, CaseIterable {
        case kept
        /// The database did not take the record.
        case lost
    }

    fileprivate struct RequestKey: Hashable {
        var method: String
        var route: String
        var status: Int
    }

    private let counts = Mutex(Counts())
    private let limits: [String]

    /// - Parameter limits: the names of all rate limits.
    package init(limits: [String] = []) {
        self.limits = limits
    }

    package func answered(_ method: String, _ route: String, status: Int, in duration: Duration) {
        let key = RequestKey(method: method, route: route, status: status)
        counts.withLock { $0.requests[key, default: Histogram()].add(duration) }
    }

    /// Counts a link decided by a row of the landing table.
    package func landed(row: Int) {
        counts.withLock { $0.landings[row, default: 0] += 1 }
    }

    /// Counts a request refused by this limit.
    package func limited(_ limit: String) {
        counts.withLock { $0.limited[limit, default: 0] += 1 }
    }

    package func tapped(_ tap: Tap) {
        counts.withLock { $0.taps[tap, default: 0] += 1 }
    }

    package func clicked(_ click: Clicked) {
        counts.withLock { $0.clicks[click, default: 0] += 1 }
    }

    /// Counts an answer about updates, or an app whose version cannot be read: one of `policyAnswers`.
    package func countPolicyAnswer(_ answer: String) {
        counts.withLock { $0.policies[answer, default: 0] += 1 }
    }

    private static let policyAnswers = ["none", "soft", "hard", "block", "unreadable"]

    /// Returns the requests by route and status with their latencies, and the landing decisions.
    package func text() -> String {
        let counts = counts.withLock { $0 }
        var text = MetricsText()
        text.family(
            "kith_http_request_duration_seconds", .histogram,
            "Time from the head of a request to its response.")
        for (key, histogram) in counts.requests.sorted(by: { $0.key.order < $1.key.order }) {
            text.histogram(
                "kith_http_request_duration_seconds",
                [("method", key.method), ("route", key.route), ("status", String(key.status))],
                bounds: Histogram.bounds, buckets: histogram.buckets, sum: histogram.sum)
        }
        text.family("kith_landings_total", .counter, "Links decided, by the row of the landing table.")
        for row in 1...9 {
            text.sample(
                "kith_landings_total", [("row", String(row)), ("outcome", Self.outcomes[row - 1])],
                counts.landings[row] ?? 0)
        }
        text.family(
            "kith_rate_limited_total", .counter, "Requests refused, by rate limit.", by: "limit",
            limits.map { ($0, counts.limited[$0] ?? 0) })
        text.family(
            "kith_taps_total", .counter, "Invites whose visitors went on to a store, by what became of them.",
            by: "invite", Tap.allCases.map { ($0.rawValue, counts.taps[$0] ?? 0) })
        text.family(
            "kith_clicks_total", .counter, "Visits of links, by what became of their record.", by: "record",
            Clicked.allCases.map { ($0.rawValue, counts.clicks[$0] ?? 0) })
        text.family(
            "kith_policy_answers_total", .counter, "Answers to apps about updates.", by: "answer",
            Self.policyAnswers.map { ($0, counts.policies[$0] ?? 0) })
        return text.text
    }

    private static let outcomes = [
        "current_name", "past_name", "severed_name", "link_mismatch", "never_a_name", "inviter_inactive",
        "unknown_uid", "name_only", "not_found",
    ]
}

extension Metrics.RequestKey {
    fileprivate var order: String { "\(route) \(method) \(status)" }
}

/// Durations in fixed buckets.
struct Histogram: Sendable {
    /// The upper bounds of the buckets, in seconds.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private(set) var buckets = [Int](repeating: 0, count: Self.bounds.count + 1)
    private(set) var sum = 0.0

    mutating func add(_ duration: Duration) {
        let parts = duration.components
        let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
        sum += seconds
        buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }
}
