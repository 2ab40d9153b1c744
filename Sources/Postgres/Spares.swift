internal import Synchronization

/// Finds a connection for a lane that has none while the server refuses further ones: the lane with the most gives up one, or, if
/// none has two, a lane that can do without gives up an idle one.
final class Spares: Sendable {
    /// Without those that are needed nobody is served.
    private let lanes = Mutex<(needed: [Inbox], others: [Inbox])>(([], []))
    /// Until when no lane opens a further connection: the next is for one that has none.
    private let wantedUntil = Atomic<Nanoseconds>(0)

    func add(needed: [Inbox], _ others: [Inbox]) { lanes.withLock { $0 = (needed, others) } }

    /// Forgets the lanes, which know this.
    func close() { lanes.withLock { $0 = ([], []) } }

    var isWanted: Bool { Clock.now() < wantedUntil.load(ordering: .relaxed) }

    func free(for inbox: Inbox) {
        wantedUntil.store(Clock.after(.seconds(1)), ordering: .relaxed)
        let (needed, others) = lanes.withLock { $0 }
        let most = (needed + others).filter { $0 !== inbox }.map { ($0, $0.spare) }.max { $0.1 < $1.1 }
        if let most, most.1 > 0 { return most.0.giveUpOne() }
        // A lane that is not here, as that which watches, would give none back.
        guard (needed + others).contains(where: { $0 === inbox }) else { return }
        _ = others.first { $0 !== inbox && $0.giveUpLast() }
    }
}
