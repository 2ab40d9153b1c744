import Foundation

/// Decides when to fetch keys again, by a record of fetches and failures on a clock that never steps. It does
/// no I/O.
struct JWKSRefresh {
    typealias Instant = ContinuousClock.Instant

    /// The minimum time between two fetches. Otherwise a flood of invented key ids would reach the provider.
    static let pause: Duration = .seconds(60)
    /// The minimum time between two fetches while there are no keys. It is shorter, since no caller can be
    /// verified until there are some.
    static let pauseWithoutKeys: Duration = .seconds(10)
    /// How long keys are used while the provider is unreachable.
    static let maxAge: Duration = .seconds(24 * 3600)
    /// How long after their expiry keys are still used while new ones are fetched.
    static let grace: Duration = .seconds(60)

    private var fetched: (at: Instant, freshUntil: Instant)?
    private var tried: Instant?
    private var failed: Instant?

    enum Decision: Equatable {
        /// Use the keys.
        case use
        /// Use the keys, and fetch new ones meanwhile.
        case useAndFetch
        /// Wait for a fetch, the running one if there is one, then look again.
        case fetch
        /// Do not fetch: no other keys are available now.
        case giveUp
    }

    /// Decides what to do for a token, by whether its key is among the known ones.
    func decision(knowsKey: Bool, at now: Instant) -> Decision {
        guard knowsKey, hasKeys(at: now), let fetched else { return mayFetch(at: now) ? .fetch : .giveUp }
        guard now >= fetched.freshUntil else { return .use }
        // After a while without calls the provider may have withdrawn a key. But once a fetch has failed,
        // waiting for the next would only slow down every caller.
        let hasFailed = failed.map { $0 >= fetched.freshUntil } ?? false
        if now >= fetched.freshUntil + Self.grace, !hasFailed { return .fetch }
        return mayFetch(at: now) ? .useAndFetch : .use
    }

    /// Whether the last fetch failed.
    var isFailing: Bool { failed != nil }

    func hasKeys(at now: Instant) -> Bool {
        fetched.map { now < $0.at + Self.maxAge } ?? false
    }

    private func mayFetch(at now: Instant) -> Bool { wait(at: now) <= .zero }

    private func wait(at now: Instant) -> Duration {
        guard let tried else { return .zero }
        return now.duration(to: tried + (hasKeys(at: now) ? Self.pause : Self.pauseWithoutKeys))
    }

    /// Returns how long until the provider can be asked for a key that is not among the known ones. Nil if
    /// the known keys are newer than the token, so that they show that the provider has no such key. So
    /// invented ids, which keep fetches waiting, delay no token that is older than the keys.
    /// - Parameters:
    ///   - age: how long ago the token was issued, by a clock that may differ by the leeway.
    ///   - call: when this was asked for. Keys that came since then are new enough.
    func postponement(ofTokenIssued age: Duration, since call: Instant, at now: Instant) -> Duration? {
        guard let fetched, fetched.at < call,
            age <= fetched.at.duration(to: now) + .seconds(TokenRules.leeway)
        else { return nil }
        return max(wait(at: now), .seconds(1))
    }

    mutating func begin(at now: Instant) {
        tried = now
    }

    /// - Parameter maxAge: the provider's value. It is limited to 1 minute to 24 hours.
    mutating func succeed(at now: Instant, maxAge: Duration) {
        fetched = (now, now + min(max(maxAge, Self.pause), Self.maxAge))
        failed = nil
    }

    mutating func fail(at now: Instant) {
        failed = now
    }

    /// Reads `max-age` of a Cache-Control header (RFC 9111 §5.2.2.1). It is 1 hour if there is none.
    /// `no-store` and the like are ignored: the pause between two fetches applies in any case.
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
