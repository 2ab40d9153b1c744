/// How long to wait before the next attempt to connect: doubles from 50 ms to 500 ms, with jitter, so that
/// many servers do not reconnect to a restarted database at the same instant.
struct Backoff {
    private var failures = 0

    /// Returns the wait before the next attempt. It is zero before the first.
    ///
    /// `random` is from 0 to 1.
    mutating func next(random: Double = .random(in: 0...1)) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .zero }
        let milliseconds = min(500, 50 * Double(1 << min(failures - 1, 10)))
        return .milliseconds(Int64(milliseconds * (0.5 + 0.5 * random)))
    }

    mutating func reset() {
        failures = 0
    }
}
