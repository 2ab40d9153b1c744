/// Allows one line of the log every ten seconds, and counts the others.
struct LogPause: Sendable {
    private var saidAt: ContinuousClock.Instant?
    private var count = 0

    /// How many events there were since the last line, including this one; nil if it is too soon for another.
    mutating func take(at now: ContinuousClock.Instant) -> Int? {
        count += 1
        if let saidAt, now < saidAt + .seconds(10) { return nil }
        defer { (saidAt, count) = (now, 0) }
        return count
    }
}
