internal import Synchronization

/// One connection and its thread: connects, serves its inbox and reconnects until the inbox closes.
// Only the connection's own thread touches the properties that are not `let`.
final class Connection: @unchecked Sendable {
    let slot: Int
    let inbox: Inbox
    let wakeup: Wakeup
    private let isAborted = Atomic<Bool>(false)

    var state: PipelineState
    var group: [Request] = []
    var reruns: [Request] = []
    var actions: [PipelineState.Action] = []
    /// When the server counts as dead if it has not answered the group.
    var dropAt = Clock.never
    var isFlushed = true
    /// Why the session must end after this group, such as a server that became read-only.
    var mustLeave: String?
    /// Whether this session has answered anybody.
    var hasServed = false
    var wasSetUp = false
    /// Whether the server has been silent for so long that other connections take the waiting requests.
    var isStuck = false
    /// When data was last read from or written to the socket.
    var movedAt: Nanoseconds = 0
    /// The cancel in flight, and how long it may take.
    var cancel: Cancel?
    var cancelLimit = Clock.never
    var cancels = 0
    /// The process that serves this session.
    var backend: Backend?
    /// The process of a session that was lost at work. It may still hold locks.
    var abandoned: Backend?
    /// When this connection took its group.
    var takenAt: Nanoseconds = 0
    /// When to look at a silent server, the look in flight, and the result of the previous one.
    var lookAt = Clock.never
    var look: SilenceProbe?
    var waitingAfter: String?
    var timesSeenWaiting = 0
    private var backoff = Backoff()
    private var attempts = 0

    /// Nil if the process has no descriptor left.
    init?(slot: Int, inbox: Inbox) {
        guard let wakeup = Wakeup() else { return nil }
        self.wakeup = wakeup
        self.slot = slot
        self.inbox = inbox
        state = PipelineState(
            keepsTransaction: inbox.lane.sharing == .session, pooler: inbox.lane.configuration.pooler,
            preface: inbox.lane.preface)
    }

    // MARK: From any thread

    func start() -> Bool {
        Thread.start { self.run() }
    }

    func wake() {
        wakeup.signal()
    }

    /// Wakes the connection because a caller left, whose statement may have to be cancelled.
    func callerLeft() {
        wakeup.signal()
    }

    func abort() {
        isAborted.store(true, ordering: .releasing)
        wakeup.signal()
    }

    var mustStop: Bool { isAborted.load(ordering: .acquiring) }

    // MARK: The thread

    private func run() {
        while let wire = connect() {
            let reason = serve(wire)
            connectionLost(reason)
            if let reason, !wasSetUp, !mustStop { inbox.connectFailed(slot, reason: reason) }
            if reason == nil || mustStop { break }
            if inbox.lane.sharing == .session {
                endAbandoned()
                inbox.close(.connectionLost(mayHaveCommitted: false))
                inbox.failAll(.connectionLost(mayHaveCommitted: false))
                break
            }
            // Keep backing off if the server drops each new session before it answers anything.
            if hasServed { backoff.reset() }
        }
        inbox.ended(slot)
        inbox.resume()
    }

    /// Tries until it has a connection. Nil if the inbox closed instead, or the server has room for no more.
    private func connect() -> Wire? {
        var hasFailed = false
        while true {
            let retryAt = Clock.after(backoff.next())
            repeat {
                if mustStop || (inbox.isClosed && hasFailed) || inbox.isFinished { return nil }
                if retryAt > Clock.now() { pause(until: retryAt) }
            } while retryAt > Clock.now()
            let (began, timeout) = (Clock.now(), inbox.lane.configuration.connectTimeout.nanoseconds)
            let result = attempt()
            // A host or the resolver took too long: the next attempt begins at the next host.
            if Clock.now() - began >= timeout { attempts += 1 }
            switch result {
            case .success(let wire): return wire
            case .failure(let failure):
                hasFailed = true
                if !inbox.connectFailed(slot, reason: failure.reason) { return nil }
            }
        }
    }

    private func pause(until instant: Nanoseconds) {
        _ = wakeup.wait(for: 0, on: -1, until: min(instant, Clock.after(.milliseconds(200))))
    }

    private struct Failure: Error { let reason: String }

    /// Tries all hosts once. The connect timeout of each begins when its name is resolved.
    // libpq resolves names inside the call: while the resolver hangs, so does the thread.
    private func attempt() -> Result<Wire, Failure> {
        let lane = inbox.lane
        let parameters = lane.hosts.parameters(
            first: attempts, name: lane.applicationName, timeouts: lane.timeouts)
        guard let wire = Wire(parameters) else { return .failure(Failure(reason: "out of memory")) }
        var host = wire.host
        var deadline = Clock.after(lane.configuration.connectTimeout)
        var events = Wakeup.writable
        while !wire.isBroken {
            while wakeup.wait(
                for: events, on: wire.socket, until: min(deadline, Clock.after(.milliseconds(200)))) == 0
            {
                if mustStop { return .failure(Failure(reason: "closed")) }
                guard Clock.now() >= deadline else { continue }
                return .failure(Failure(reason: "\(host) does not answer"))
            }
            switch wire.pollConnect() {
            case .ready: return .success(wire)
            case .failed: return .failure(Failure(reason: wire.problem))
            case .reading: events = Wakeup.readable
            case .writing: events = Wakeup.writable
            }
            if wire.host != host {
                host = wire.host
                deadline = Clock.after(lane.configuration.connectTimeout)
            }
        }
        return .failure(Failure(reason: wire.problem))
    }
}
