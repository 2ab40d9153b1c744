/// The generic cell rate algorithm. It allows `quota` calls in a window on average, and as many at once. For
/// each caller it keeps one instant, `fullAt`, at which their quota is full again.
package struct GCRA: Hashable, Sendable {
    let quota: Int
    /// The length of the window in seconds.
    let window: Int
    /// How many microseconds it takes until one more call is allowed.
    let cost: Int64

    /// Nil if that is no call at all, or more than one in a microsecond.
    init?(quota: Int, window: Int) {
        guard quota > 0, window > 0, quota <= window * 1_000_000 else { return nil }
        self.quota = quota
        self.window = window
        cost = Int64(window) * 1_000_000 / Int64(quota)
    }

    /// The decision about one call.
    package struct Verdict: Equatable, Sendable {
        package var isAllowed: Bool
        /// How many calls may follow at once.
        var remaining: Int
        /// How many seconds it takes until the quota is full again.
        var untilFull: Int
        /// How many seconds it takes until the next call is allowed. It is 0 if this one was.
        var retryAfter: Int
    }

    /// Counts one call if it is allowed. Times are in microseconds.
    func spend(_ fullAt: inout Int64, now: Int64) -> Verdict {
        let used = used(fullAt, now: now)
        // This happens even if the call is refused: otherwise, after a clock was set back, the old instant
        // would stay forever.
        fullAt = now + used
        guard used + cost <= burst else { return verdict(used, isAllowed: false) }
        fullAt += cost
        return verdict(used + cost, isAllowed: true)
    }

    /// Decides as `spend` would, but counts no call. It also corrects an instant left over from before a
    /// clock was set back.
    func check(_ fullAt: inout Int64, now: Int64) -> Verdict {
        let used = used(fullAt, now: now)
        fullAt = now + used
        return verdict(used, isAllowed: used + cost <= burst)
    }

    /// Returns how many microseconds it takes until the quota is full again, at most the whole quota's worth.
    /// Neither a clock that was set back nor the calls that other servers allowed may lock anybody out for
    /// longer.
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
