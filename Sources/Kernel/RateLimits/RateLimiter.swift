package import Foundation
import HTTPTypes
import Synchronization
package import Web

/// Decides whether a call is allowed, by what this server knows.
package final class RateLimiter: Sendable {
    let config: RateLimitConfig
    private let buckets: Buckets
    private let now: @Sendable () -> Date
    private let metrics: Metrics
    /// Calls that the other servers must be told of. Their keys are few, since a key is shared only once it
    /// has used a quarter of its quota.
    private let unshared = Mutex<[RateLimitKey: Unshared]>([:])
    private static let mostUnshared = 10_000

    /// Calls that the other servers do not know of.
    struct Unshared {
        var calls: Int
        /// When the quota would have been full again without these calls, in microseconds. They count from
        /// then, not from when they are shared; otherwise each exchange would delay the caller's
        /// `Retry-After`.
        var since: Int64
    }

    package init(
        _ config: RateLimitConfig, metrics: Metrics, now: @escaping @Sendable () -> Date,
        buckets: Buckets = Buckets()
    ) {
        self.config = config
        self.metrics = metrics
        self.now = now
        self.buckets = buckets
    }

    /// Counts one call. Nil if this limit is off.
    package func spend(_ limit: RateLimit, _ subject: RateLimitKey.Subject) -> GCRA.Verdict? {
        guard let rate = config.limits[limit] else { return nil }
        let (key, now) = (RateLimitKey(limit: limit, subject: subject), microseconds())
        let (verdict, share, fullAt) = buckets.update(key, now: now) { slot -> (GCRA.Verdict, Int, Int64) in
            if slot.fullAt <= now { slot.unshared = 0 }
            let verdict = rate.spend(&slot.fullAt, now: now)
            guard verdict.isAllowed, limit.isShared else { return (verdict, 0, slot.fullAt) }
            slot.unshared += 1
            guard slot.unshared >= max(1, rate.quota / 4) else { return (verdict, 0, slot.fullAt) }
            defer { slot.unshared = 0 }
            return (verdict, Int(slot.unshared), slot.fullAt)
        }
        if share > 0 { tellOthers([key: Unshared(calls: share, since: fullAt - Int64(share) * rate.cost)]) }
        return verdict
    }

    /// Counts one call, or throws the refusal.
    @discardableResult
    package func require(_ limit: RateLimit, _ subject: RateLimitKey.Subject) throws(Problem) -> GCRA.Verdict?
    {
        let verdict = spend(limit, subject)
        if let verdict, !verdict.isAllowed { throw refusal(limit, verdict) }
        return verdict
    }

    /// Throws the refusal if no call is left, but counts none.
    package func requireSome(_ limit: RateLimit, _ subject: RateLimitKey.Subject) throws(Problem) {
        if let verdict = peek(limit, subject), !verdict.isAllowed { throw refusal(limit, verdict) }
    }

    /// Whether no call is left. It counts none.
    func isSpent(_ limit: RateLimit, _ subject: RateLimitKey.Subject) -> Bool {
        peek(limit, subject).map { !$0.isAllowed } ?? false
    }

    private func peek(_ limit: RateLimit, _ subject: RateLimitKey.Subject) -> GCRA.Verdict? {
        let (key, now) = (RateLimitKey(limit: limit, subject: subject), microseconds())
        guard let rate = config.limits[limit], buckets.fullAt(key) != nil else { return nil }
        return buckets.update(key, now: now) { rate.check(&$0.fullAt, now: now) }
    }

    private func refusal(_ limit: RateLimit, _ verdict: GCRA.Verdict) -> Problem {
        metrics.limited(limit.name)
        return Problem(
            .tooManyRequests, "rate_limited", "Too many requests. Try again in \(verdict.retryAfter) s.",
            retryAfter: verdict.retryAfter, headers: headers(limit, verdict))
    }

    func microseconds() -> Int64 { Int64(now().timeIntervalSince1970 * 1_000_000) }
}

/// The exchange with other servers.
extension RateLimiter {
    typealias Calls = (key: RateLimitKey, value: Unshared)

    func takeUnshared() -> [RateLimitKey: Unshared] {
        unshared.withLock { unshared in
            defer { unshared = [:] }
            return unshared
        }
    }

    /// Keeps calls for the next exchange. Keys beyond the limit are not shared.
    func tellOthers(_ calls: some Collection<Calls>) {
        unshared.withLock { unshared in
            for (key, more) in calls where unshared[key] != nil || unshared.count < Self.mostUnshared {
                let before = unshared[key] ?? Unshared(calls: 0, since: more.since)
                unshared[key] = Unshared(
                    calls: before.calls + more.calls, since: min(before.since, more.since))
            }
        }
    }

    /// Takes over what all servers together have used, in microseconds until the quota is full again.
    /// - Parameter now: an instant in microseconds, no later than when that was read.
    func learn(_ used: [RateLimitKey: Int64], at now: Int64) {
        for (key, used) in used {
            guard let rate = config.limits[key.limit] else { continue }
            buckets.update(key, now: now) { slot in
                slot.fullAt = max(slot.fullAt, now + rate.used(now + used, now: now))
            }
        }
    }
}
