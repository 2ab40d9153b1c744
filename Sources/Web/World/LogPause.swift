/// Allows one line of the log in some time, and counts the others.
package struct LogPause: Sendable {
    private let time: Duration
    private var saidAt: ContinuousClock.Instant?
    private var count = 0

    package init(_ time: Duration = .seconds(10)) {
        self.time = time
    }

    /// Whether it is too soon for another line.
    func isUnder(at now: ContinuousClock.Instant) -> Bool { saidAt.map { now < $0 + time } ?? false }

    /// What was counted and not told, once the time is over; nil if that is nothing.
    mutating func rest(at now: ContinuousClock.Instant) -> Int? {
        guard count > 0, !isUnder(at: now) else { return nil }
        defer { (saidAt, count) = (now, 0) }
        return count
    }

    /// When the next line may be; nil before the first.
    var end: ContinuousClock.Instant? { saidAt.map { $0 + time } }

    /// Whether this is the first event that is not told at once.
    var isFirstUntold: Bool { count == 1 }

    /// How many events there were since the last line, including this one; nil if it is too soon for another.
    package mutating func take(at now: ContinuousClock.Instant) -> Int? {
        count += 1
        if isUnder(at: now) { return nil }
        defer { (saidAt, count) = (now, 0) }
        return count
    }
}
