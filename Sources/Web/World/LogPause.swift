/// Allows one log line per time span, and counts the other events.
package struct LogPause: Sendable {
    private let time: Duration
    private var saidAt: ContinuousClock.Instant?
    private var count = 0

    package init(_ time: Duration = .seconds(10)) {
        self.time = time
    }

    /// Whether it is too soon for another line.
    func isUnder(at now: ContinuousClock.Instant) -> Bool { saidAt.map { now < $0 + time } ?? false }

    /// Returns the count of events that were not told, once the time is over. Nil if there are none.
    mutating func rest(at now: ContinuousClock.Instant) -> Int? {
        guard count > 0, !isUnder(at: now) else { return nil }
        defer { (saidAt, count) = (now, 0) }
        return count
    }

    /// When the next line may come. Nil before the first.
    var end: ContinuousClock.Instant? { saidAt.map { $0 + time } }

    /// Whether exactly one event is not told yet.
    var isFirstUntold: Bool { count == 1 }

    /// Counts an event, and returns how many there were since the last line. Nil if it is too soon for
    /// another line.
    package mutating func take(at now: ContinuousClock.Instant) -> Int? {
        count += 1
        if isUnder(at: now) { return nil }
        defer { (saidAt, count) = (now, 0) }
        return count
    }
}
