internal import Synchronization

/// Finds a connection for a lane that has none while the server refuses further ones. The lane with the most
/// connections gives up one. If no lane has two, a lane that can do without gives up an idle one.
final class ConnectionBroker: Sendable {
    /// The lanes that may give up connections. Kith serves nobody without the `needed` ones.
    private let lanes = Mutex<(needed: [Inbox], others: [Inbox])>(([], []))
    /// The time until which no lane opens a further connection, since the next is for a lane that has none.
    private let wantedUntil = Atomic<Nanoseconds>(0)

    func add(needed: [Inbox], _ others: [Inbox]) { lanes.withLock { $0 = (needed, others) } }

    /// Forgets the lanes, which refer to this object.
    func close() { lanes.withLock { $0 = ([], []) } }

    var isWanted: Bool { Clock.now() < wantedUntil.load(ordering: .relaxed) }

    func free(for inbox: Inbox) {
        wantedUntil.store(Clock.after(.seconds(1)), ordering: .relaxed)
        let (needed, others) = lanes.withLock { $0 }
        let most = (needed + others).filter { $0 !== inbox }.map { ($0, $0.spare) }.max { $0.1 < $1.1 }
        if let most, most.1 > 0 { return most.0.giveUpOne() }
        // A lane that is not listed here, such as the one that watches, would give none back.
        guard (needed + others).contains(where: { $0 === inbox }) else { return }
        _ = others.first { $0 !== inbox && $0.giveUpLast() }
    }
}
