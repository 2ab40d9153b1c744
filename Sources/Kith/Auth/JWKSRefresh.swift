import Foundation

/// When keys are fetched again: a pure record of what was fetched and tried, on a clock that never steps.
struct JWKSRefresh {
    typealias Instant = ContinuousClock.Instant

    /// Between two fetches, whatever asks for them; or else a flood of invented key ids would be passed on
    /// to the provider.
    static let pause: Duration = .seconds(60)
    /// The same while there are no keys at all: every caller is shut out until there are.
    static let pauseWithoutKeys: Duration = .seconds(10)
    /// How long keys are used while the provider cannot be reached.
    static let maxAge: Duration = .seconds(24 * 3600)
    /// So long after they ran out, callers no longer pass while new ones are on their way.
    static let grace: Duration = .seconds(60)

    private var fetched: (at: Instant, freshUntil: Instant)?
    private var tried: Instant?
    private var failed: Instant?

    enum Decision: Equatable {
        /// The keys are good, nothing to do.
        case use
        /// The keys are good; others should be fetched meanwhile.
        case useAndFetch
        /// Wait for a fetch, the one under way if there is one, then look again.
        case fetch
        /// The keys are all there is for now.
        case giveUp
    }

    /// What to do for a token whose key is among the keys held, or is not.
    func decision(knowsKey: Bool, at now: Instant) -> Decision {
        guard knowsKey, hasKeys(at: now), let fetched else { return mayFetch(at: now) ? .fetch : .giveUp }
        guard now >= fetched.freshUntil else { return .use }
        // Nobody asked for a while: the provider may have withdrawn a key in that time. Once a fetch has
        // failed, waiting for the next would only make every caller slow.
        let hasFailed = failed.map { $0 >= fetched.freshUntil } ?? false
        if now >= fetched.freshUntil + Self.grace, !hasFailed { return .fetch }
        return mayFetch(at: now) ? .useAndFetch : .use
    }

    func hasKeys(at now: Instant) -> Bool {
        fetched.map { now < $0.at + Self.maxAge } ?? false
    }

    private func mayFetch(at now: Instant) -> Bool {
        tried.map { now >= $0 + (hasKeys(at: now) ? Self.pause : Self.pauseWithoutKeys) } ?? true
    }

    mutating func begin(at now: Instant) {
        tried = now
    }

    /// - Parameter maxAge: what the provider said; taken as 1 minute to 24 hours.
    mutating func succeed(at now: Instant, maxAge: Duration) {
        fetched = (now, now + min(max(maxAge, Self.pause), Self.maxAge))
        failed = nil
    }

    mutating func fail(at now: Instant) {
        failed = now
    }

    /// `max-age` of a Cache-Control header (RFC 9111 §5.2.2.1); 1 hour if it says nothing. Without
    /// regard to `no-store` and the like: the pause between two fetches holds in any case.
    static func maxAge(_ cacheControl: String?) -> Duration {
        for directive in (cacheControl ?? "").lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard parts.count == 2, parts[0] == "max-age" else { continue }
            guard let seconds = Double(parts[1].trimmingCharacters(in: ["\""])), seconds.isFinite else {
                break
            }
            return .seconds(min(max(seconds, 0), 1e9))
        }
        return .seconds(3600)
    }
}
