/// From which number on the visits are looked for that wait. While a transaction of somebody else is open for
/// long, PostgreSQL keeps all that were counted meanwhile, and each look would read through them.
///
/// A visit may be committed after others with higher numbers, but hardly ten seconds later. So a look begins
/// with what was the first that waited ten seconds ago. Each minute one begins with the first number that
/// there is, and finds what was committed later still.
struct ClickBound {
    private static let patience = Duration.seconds(10)
    private static let pause = Duration.seconds(60)

    /// Before it, none that was committed in time waits.
    private(set) var from: Int64 = 0
    /// What was the first that waited, and when.
    private var seen: (first: Int64, at: ContinuousClock.Instant)?
    private var beganAnewAt: ContinuousClock.Instant?

    /// Returns the number with which a look begins.
    mutating func begin(at now: ContinuousClock.Instant) -> Int64 {
        if let last = beganAnewAt, now - last < Self.pause { return from }
        beganAnewAt = now
        return 0
    }

    /// Learns the first of those that wait.
    mutating func found(_ first: Int64, at now: ContinuousClock.Instant) {
        from = min(from, first)
        if let seen, seen.first <= first {
            guard now - seen.at >= Self.patience else { return }
            from = seen.first
        }
        seen = (first, now)
    }
}
