internal import Synchronization

/// A look from another session at a process that says nothing.
///
/// A process that waits for its client, while that waits for it, never got the end of what it was sent, or its
/// answer was lost. No timeout of the server runs then, and it keeps its locks.
final class Look: Sendable {
    /// Outer nil: the look is not back yet. Inner nil: it did not see the process wait for its client.
    private let seen = Mutex<String??>(nil)

    var isBack: Bool { seen.withLock { $0 != nil } }
    /// When the process began what it did last, if it waits for its client.
    var waitingAfter: String? { seen.withLock { $0 ?? nil } }

    func begin(at backend: Backend, through watch: Lane, then wake: @escaping @Sendable () -> Void) {
        Task {
            let rows = try? await watch.query(backend.waitsForClient) { try $0.next(as: String?.self) }
            seen.withLock { $0 = .some(rows?.first ?? nil) }
            wake()
        }
    }
}

extension Connection {
    /// Looks again and again at a server that says nothing of the group; true once three looks in a row have found
    /// it waiting for us, with nothing begun between them.
    // A slow statement is never ended by this: its process waits for no client. Three, since a machine with too much
    // to do may not let a process read for seconds what has long been there.
    func isStranded(at now: Nanoseconds) -> Bool {
        if let look, look.isBack {
            self.look = nil
            timesSeenWaiting = look.waitingAfter == waitingAfter ? timesSeenWaiting + 1 : 1
            waitingAfter = look.waitingAfter
            if waitingAfter != nil, timesSeenWaiting == 3 { return true }
        }
        guard now >= lookAt else { return false }
        lookAt = now + silence / 2
        if look == nil, isFlushed, let backend, let watch = inbox.lane.watch {
            let look = Look()
            self.look = look
            look.begin(at: backend, through: watch) { [self] in wake() }
        }
        return false
    }

    /// A COPY waits for its data, and a script may be one.
    func expectSilence(after now: Nanoseconds) {
        look = nil
        waitingAfter = nil
        let isScript = group.first?.kind.isScript ?? false
        lookAt = isScript || inbox.lane.watch == nil ? Clock.never : now + silence
    }

    private var silence: Nanoseconds { inbox.lane.configuration.silence.nanoseconds }
}
