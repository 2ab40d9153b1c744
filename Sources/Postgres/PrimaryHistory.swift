/// What place of its write-ahead log the primary had reached at what time.
///
/// A standby that has reached a place has everything committed by that time. Its own clock and the time of
/// its last replayed record would not do: while nothing is written, that time grows old without any lag.
struct PrimaryHistory: Sendable {
    private let maxAge: Duration
    private var history: String?
    private var times: [(time: Nanoseconds, position: WALPosition)] = []
    /// Why the primary does not say where it is.
    var trouble: String?

    /// - Parameter maxAge: how long the noted times are of use.
    init(maxAge: Duration) {
        self.maxAge = maxAge
    }

    /// Notes where the primary was at `time`, or a moment later.
    mutating func note(_ primary: PrimaryPosition, at time: Nanoseconds) {
        if history != primary.history { times = [] }
        history = primary.history
        trouble = nil
        times.removeAll { time - $0.time > maxAge.nanoseconds }
        times.append((time, primary.position))
    }

    /// Returns the last time at which the primary was no further.
    func lastTime(before position: WALPosition) -> Nanoseconds? {
        times.last { $0.position <= position }?.time
    }

    /// Returns why the standby is of no use. Nil if it is of use.
    func trouble(with standby: StandbyPosition) -> String? {
        guard let history else { return trouble ?? "the primary was not asked yet" }
        guard standby.isStandby else { return "it is no standby, or was promoted" }
        guard standby.history == history else { return "it is a standby of another database" }
        guard !standby.isCoordinator else { return "it is a part of a Citus cluster" }
        return standby.replayed == nil ? "it replays no write-ahead log" : nil
    }

    /// Says that a standby which was fresh at `time` is too far behind. Nil if it is not.
    func lag(since time: Nanoseconds?) -> String? {
        if let time, Clock.now() - time <= maxAge.nanoseconds { return nil }
        return trouble ?? "it is more than \(maxAge.components.seconds) s behind the primary"
    }
}
