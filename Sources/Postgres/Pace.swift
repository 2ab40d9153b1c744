/// How long a lane takes for a request while others wait: an average of the latest requests.
struct Pace {
    private var each: Nanoseconds = 0
    /// When requests were taken last. Nil if none waited then, or if the time since then says nothing about
    /// the pace.
    private var last: Nanoseconds?

    mutating func took(_ count: Int, at now: Nanoseconds, othersWait: Bool) {
        if let last { each += ((now - last) / Nanoseconds(count) - each) / 16 }
        last = othersWait ? now : nil
    }

    /// Leaves out the time until the next request is taken, because it belongs to an outage.
    mutating func pause() { last = nil }

    func time(for count: Int) -> Nanoseconds { Nanoseconds(count) * each }
}
