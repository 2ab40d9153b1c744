internal import Synchronization

/// A look from another session at a silent process.
///
/// If the process waits for its client while the client waits for it, the end of the request or the answer
/// was lost. Then no timeout of the server runs, and the process keeps its locks.
final class SilenceProbe: Sendable {
    /// What the look saw. Outer nil: the look has not returned. Inner nil: the process does not wait for its
    /// client.
    private let seen = Mutex<String??>(nil)

    var isBack: Bool { seen.withLock { $0 != nil } }
    /// The time of the process's last change of state, if it waits for its client.
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
    /// Looks repeatedly at a server that is silent about the group. True once three looks in a row have found
    /// it waiting for us, with nothing begun between them.
    // This never ends a slow statement, whose process does not wait for its client. It takes three looks,
    // since on an overloaded machine a process may take seconds to read data that has already arrived.
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
            let look = SilenceProbe()
            self.look = look
            look.begin(at: backend, through: watch) { [self] in wake() }
        }
        return false
    }

    /// Schedules the first look at a new group. A script gets none, since it may be a COPY, which waits for
    /// data.
    func expectSilence(after now: Nanoseconds) {
        look = nil
        waitingAfter = nil
        let isScript = group.first?.kind.isScript ?? false
        lookAt = isScript || inbox.lane.watch == nil ? Clock.never : now + silence
    }

    private var silence: Nanoseconds { inbox.lane.configuration.silence.nanoseconds }
}
