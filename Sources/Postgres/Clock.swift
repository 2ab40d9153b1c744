#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Instants in nanoseconds of the monotonic clock: they must fit into an atomic.
typealias Nanoseconds = Int64

enum Clock {
    static let never = Nanoseconds.max

    static func now() -> Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }

    static func after(_ duration: Duration) -> Nanoseconds {
        let (sum, overflow) = now().addingReportingOverflow(duration.nanoseconds)
        return overflow ? never : sum
    }

    /// Milliseconds until `instant`, as `poll` takes them: rounded up, -1 for never.
    static func milliseconds(until instant: Nanoseconds) -> Int32 {
        guard instant != never else { return -1 }
        return Int32(clamping: max(0, (instant - now() + 999_999) / 1_000_000))
    }
}

extension Duration {
    var nanoseconds: Nanoseconds {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? Clock.never : product + attoseconds / 1_000_000_000
    }

    var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
