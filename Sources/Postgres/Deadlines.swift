internal import Synchronization

/// Has requests whose deadlines must be kept.
protocol DeadlineSource: AnyObject, Sendable {
    /// Ends what is due at `now`; returns the earliest deadline left, or `Clock.never`.
    func expire(at now: Nanoseconds) -> Nanoseconds
}

/// Keeps every deadline on one thread, whatever the connections are doing.
///
/// It looks only when the earliest deadline it knows of is due, so a request that is answered in time costs
/// one comparison.
final class Deadlines: Sendable {
    private struct Watched { weak var source: (any DeadlineSource)? }

    private let sources = Mutex<[Watched]>([])
    private let next = Atomic<Nanoseconds>(Clock.never)
    private let isStopped = Atomic<Bool>(false)
    private let wakeup = Wakeup()

    func watch(_ source: any DeadlineSource) {
        sources.withLock { sources in
            sources.removeAll { $0.source == nil }
            sources.append(Watched(source: source))
        }
    }

    /// Something waits until `deadline` at the longest.
    func expect(_ deadline: Nanoseconds) {
        if lower(to: deadline) { wakeup.signal() }
    }

    func start() {
        _ = Thread.start { [self] in
            while !isStopped.load(ordering: .acquiring) { turn() }
        }
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        wakeup.signal()
    }

    private func turn() {
        _ = wakeup.wait(for: 0, on: -1, until: next.load(ordering: .acquiring))
        let now = Clock.now()
        guard next.load(ordering: .acquiring) <= now else { return }
        // Before the look: what is added during it must lower the mark again.
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
