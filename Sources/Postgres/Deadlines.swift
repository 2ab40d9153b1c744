internal import Synchronization

/// A holder of requests with deadlines.
protocol DeadlineSource: AnyObject, Sendable {
    /// Ends the requests due at `now`. Returns the earliest deadline left, or `Clock.never`.
    func expire(at now: Nanoseconds) -> Nanoseconds
}

/// Enforces all deadlines on one thread, even while the connections are blocked.
///
/// It looks only when the earliest known deadline is due, so a request answered in time costs one comparison.
/// A look visits all waiting requests, so it happens at most every 20 ms.
final class Deadlines: Sendable {
    private struct Watched { weak var source: (any DeadlineSource)? }

    private let sources = Mutex<[Watched]>([])
    private let next = Atomic<Nanoseconds>(Clock.never)
    private let isStopped = Atomic<Bool>(false)
    private let wakeup: Wakeup
    private let lastLook = Atomic<Nanoseconds>(0)

    /// Nil if the process has no descriptor left.
    init?() {
        guard let wakeup = Wakeup() else { return nil }
        self.wakeup = wakeup
    }

    func watch(_ source: any DeadlineSource) {
        sources.withLock { sources in
            sources.removeAll { $0.source == nil }
            sources.append(Watched(source: source))
        }
    }

    /// Tells the thread that a request waits until `deadline` at most.
    func expect(_ deadline: Nanoseconds) {
        if lower(to: deadline) { wakeup.signal() }
    }

    /// Starts the thread. False if the system gives none.
    func start() -> Bool {
        Thread.start { [self] in
            while !isStopped.load(ordering: .acquiring) { turn() }
        }
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeup.signal()
    }

    private func turn() {
        let mayLookAt = lastLook.load(ordering: .relaxed) + 20_000_000
        _ = wakeup.wait(for: 0, on: -1, until: max(next.load(ordering: .acquiring), mayLookAt))
        let now = Clock.now()
        guard next.load(ordering: .acquiring) <= now, now >= mayLookAt else { return }
        lastLook.store(now, ordering: .relaxed)
        // Reset the mark before the look: a deadline added during the look must lower it again.
        next.store(Clock.never, ordering: .sequentiallyConsistent)
        let sources = sources.withLock { $0.compactMap(\.source) }
        for source in sources { _ = lower(to: source.expire(at: now)) }
    }

    private func lower(to deadline: Nanoseconds) -> Bool {
        var known = next.load(ordering: .sequentiallyConsistent)
        while deadline < known {
            let (exchanged, original) = next.compareExchange(
                expected: known, desired: deadline, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            known = original
        }
        return false
    }
}
