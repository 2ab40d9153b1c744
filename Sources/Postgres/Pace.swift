/// How long a lane takes for a request while others wait, on the average of the last.
struct Pace {
    private var each: Nanoseconds = 0
    /// When requests were taken last; nil if none waited then, or the time since tells nothing.
    private var last: Nanoseconds?

    mutating func took(_ count: Int, at now: Nanoseconds, othersWait: Bool) {
        if let last { each += ((now - last) / Nanoseconds(count) - each) / 16 }
        last = othersWait ? now : nil
    }

    /// The time until the next is taken is that of an outage.
    mutating func pause() { last = nil }

    func time(for count: Int) -> Nanoseconds { Nanoseconds(count) * each }
}
