import Foundation
import HTTPTypes
import Synchronization

/// Decides whether a call may go on, by what this server knows.
final class RateLimiter: Sendable {
    let config: RateLimitConfig
    private let buckets: Buckets
    private let now: @Sendable () -> Date
    private let metrics: Metrics
    /// What the other servers are to be told: few keys, for only who has used up a quarter of a quota gets here.
    private let unshared = Mutex<[RateLimitKey: Int]>([:])
    private static let mostUnshared = 10_000

    init(
        _ config: RateLimitConfig, metrics: Metrics, now: @escaping @Sendable () -> Date,
        buckets: Buckets = Buckets()
    ) {
        self.config = config
        self.metrics = metrics
        self.now = now
        self.buckets = buckets
    }

    /// Takes one call; nil where this limit is off.
    func spend(_ limit: RateLimit, _ subject: RateLimitKey.Subject) -> GCRA.Verdict? {
        guard let rate = config.limits[limit] else { return nil }
        let (key, now) = (RateLimitKey(limit: limit, subject: subject), microseconds())
        let (verdict, share) = buckets.update(key, now: now) { slot -> (GCRA.Verdict, Int) in
            if slot.fullAt <= now { slot.unshared = 0 }
            let verdict = rate.spend(&slot.fullAt, now: now)
            guard verdict.isAllowed, limit.isShared else { return (verdict, 0) }
            slot.unshared += 1
            guard slot.unshared >= max(1, rate.quota / 4) else { return (verdict, 0) }
            defer { slot.unshared = 0 }
            return (verdict, Int(slot.unshared))
        }
        if share > 0 { tellOthers([key: share]) }
        return verdict
    }

    /// Takes one call, or throws the refusal.
    @discardableResult
    func require(_ limit: RateLimit, _ subject: RateLimitKey.Subject) throws(Problem) -> GCRA.Verdict? {
        let verdict = spend(limit, subject)
        if let verdict, !verdict.isAllowed { throw refusal(limit, verdict) }
        return verdict
    }

    /// Throws the refusal where no call is left; takes none.
    func requireSome(_ limit: RateLimit, _ subject: RateLimitKey.Subject) throws(Problem) {
        let (key, now) = (RateLimitKey(limit: limit, subject: subject), microseconds())
        guard let rate = config.limits[limit], buckets.fullAt(key) != nil else { return }
        let verdict = buckets.update(key, now: now) { rate.check(&$0.fullAt, now: now) }
        if !verdict.isAllowed { throw refusal(limit, verdict) }
    }

    private func refusal(_ limit: RateLimit, _ verdict: GCRA.Verdict) -> Problem {
        metrics.limited(limit.name)
        return Problem(
            .tooManyRequests, "rate_limited", "Too many requests. Try again in \(verdict.retryAfter) s.",
            retryAfter: verdict.retryAfter, headers: headers(limit, verdict))
    }

    private func microseconds() -> Int64 { Int64(now().timeIntervalSince1970 * 1_000_000) }
}

/// What servers tell each other.
extension RateLimiter {
    func takeUnshared() -> [RateLimitKey: Int] {
        unshared.withLock { unshared in
            defer { unshared = [:] }
            return unshared
        }
    }

    /// Keys over the bound stay with this server alone.
    func tellOthers(_ calls: [RateLimitKey: Int]) {
        unshared.withLock { unshared in
            for (key, calls) in calls where unshared[key] != nil || unshared.count < Self.mostUnshared {
                unshared[key, default: 0] += calls
            }
        }
    }

    /// What all servers together let through, in microseconds until the whole quota is there again.
    func learn(_ used: [RateLimitKey: Int64]) {
        let now = microseconds()
        for (key, used) in used {
            guard let rate = config.limits[key.limit] else { continue }
            buckets.update(key, now: now) { slot in
                slot.fullAt = max(slot.fullAt, now + rate.used(now + used, now: now))
            }
        }
    }
}
