internal import Synchronization

/// Finds a connection for a lane that has none while the server refuses further ones: the lane with the most gives up one.
final class Spares: Sendable {
    private let lanes = Mutex<[Inbox]>([])
    /// Until when no lane opens a further connection: the next is for one that has none.
    private let wantedUntil = Atomic<Nanoseconds>(0)

    func add(_ inboxes: [Inbox]) { lanes.withLock { $0 += inboxes } }

    /// Forgets the lanes, which know this.
    func close() { lanes.withLock { $0 = [] } }

    var isWanted: Bool { Clock.now() < wantedUntil.load(ordering: .relaxed) }

    func free(for inbox: Inbox) {
        wantedUntil.store(Clock.after(.seconds(1)), ordering: .relaxed)
        let others = lanes.withLock { $0 }.filter { $0 !== inbox }
        others.map { ($0, $0.spare) }.max { $0.1 < $1.1 }?.0.giveUpOne()
    }
}
