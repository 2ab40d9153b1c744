/// Allows one line of the log in some time, and counts the others.
struct LogPause: Sendable {
    private let time: Duration
    private var saidAt: ContinuousClock.Instant?
    private var count = 0

    init(_ time: Duration = .seconds(10)) {
        self.time = time
    }

    /// How many events there were since the last line, including this one; nil if it is too soon for another.
    mutating func take(at now: ContinuousClock.Instant) -> Int? {
        count += 1
        if let saidAt, now < saidAt + time { return nil }
        defer { (saidAt, count) = (now, 0) }
        return count
    }
}
