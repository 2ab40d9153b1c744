/// The generic cell rate algorithm: `quota` calls in a window on the average, and as many at once. All it has to
/// know of a caller is one instant, `fullAt`, at which their whole quota is there again.
struct GCRA: Hashable, Sendable {
    let quota: Int
    /// Seconds.
    let window: Int
    /// Microseconds in which one call is earned back.
    let cost: Int64

    /// Nil where it would be more than a call in a microsecond, or none.
    init?(quota: Int, window: Int) {
        guard quota > 0, window > 0, quota <= window * 1_000_000 else { return nil }
        self.quota = quota
        self.window = window
        cost = Int64(window) * 1_000_000 / Int64(quota)
    }

    /// What one call met.
    struct Verdict: Equatable, Sendable {
        var isAllowed: Bool
        /// So many more calls may follow at once.
        var remaining: Int
        /// Seconds until the whole quota is there again.
        var untilFull: Int
        /// Seconds until the next call is allowed; 0 where it is now.
        var retryAfter: Int
    }

    /// Takes one call, where there is room. Times are in microseconds.
    func spend(_ fullAt: inout Int64, now: Int64) -> Verdict {
        let used = used(fullAt, now: now)
        // Also where it is refused: else a clock that was set back would meet the old instant for ever.
        fullAt = now + used
        guard used + cost <= burst else { return verdict(used, isAllowed: false) }
        fullAt += cost
        return verdict(used + cost, isAllowed: true)
    }

    /// What a call would meet; takes none. As `spend` it forgets an instant that a clock set back left behind.
    func check(_ fullAt: inout Int64, now: Int64) -> Verdict {
        let used = used(fullAt, now: now)
        fullAt = now + used
        return verdict(used, isAllowed: used + cost <= burst)
    }

    /// Microseconds until the whole quota is there again. Never more than the quota is worth: neither a clock that
    /// was set back nor what other servers let through may shut anybody out for longer.
    func used(_ fullAt: Int64, now: Int64) -> Int64 {
        fullAt <= now ? 0 : min(fullAt.subtractingReportingOverflow(now).partialValue, burst)
    }

    private var burst: Int64 { cost * Int64(quota) }

    private func verdict(_ used: Int64, isAllowed: Bool) -> Verdict {
        Verdict(
            isAllowed: isAllowed, remaining: Int((burst - used) / cost), untilFull: Self.seconds(used),
            retryAfter: isAllowed ? 0 : Self.seconds(used + cost - burst))
    }

    private static func seconds(_ microseconds: Int64) -> Int {
        Int((microseconds + 999_999) / 1_000_000)
    }
}
