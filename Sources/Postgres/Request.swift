internal import Synchronization

/// One caller's statements on their way to a connection and back.
///
/// A result, the deadline or the caller's cancellation finishes it. The one that moves `state` to `finished`
/// resumes the caller, so the caller is resumed exactly once.
// `continuation` is written before the request is shared; `results` only by the connection that holds it,
// before it finishes it.
final class Request: @unchecked Sendable {
    private enum State {
        static let new: UInt8 = 0
        static let waiting: UInt8 = 1
        static let taken: UInt8 = 2
        static let handedOver: UInt8 = 3
        static let finished: UInt8 = 4
    }

    let kind: PipelineState.Member.Kind
    let statements: [Statement]
    let commits: Bool
    /// A lane runs requests with the same key, unless it is 0, one at a time.
    let key: Int
    /// The data of a COPY.
    let feed: CopyFeed?
    let enqueuedAt: Nanoseconds
    let deadline: Nanoseconds
    private let state = Atomic<UInt8>(State.new)
    private var continuation: UnsafeContinuation<Rows?, any Error>?

    /// The results so far.
    var results: [Rows] = []
    /// Whether the request runs with a Sync of its own, after an error in a shared group.
    var isIsolated = false
    /// How often one of its plans was stale.
    var reprepares = 0
    /// How many connections broke while they had the request.
    var losses = 0
    /// How often the request was sent again after a deadlock or a serialization failure.
    var retries = 0
    private var holder: Connection?

    init(
        _ kind: PipelineState.Member.Kind, _ statements: [Statement], commits: Bool = true,
        key: Int = 0, feed: CopyFeed? = nil, deadline: Duration
    ) {
        self.kind = kind
        self.statements = statements
        self.key = key
        self.feed = feed
        self.commits = commits && kind != .read
        enqueuedAt = Clock.now()
        let (sum, overflow) = enqueuedAt.addingReportingOverflow(deadline.nanoseconds)
        self.deadline = overflow ? Clock.never : sum
    }

    var isFinished: Bool { state.load(ordering: .acquiring) == State.finished }

    /// Passes the request to `enqueue` and waits for its end. Throws its error.
    func answer(_ enqueue: (Request) -> Void) async throws -> Rows? {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                if begin(continuation) { enqueue(self) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Begins to wait. False if the caller was cancelled before; then it has been resumed.
    private func begin(_ continuation: UnsafeContinuation<Rows?, any Error>) -> Bool {
        self.continuation = continuation
        if move(from: State.new, to: State.waiting) { return true }
        continuation.resume(throwing: CancellationError())
        return false
    }

    /// Marks the request as taken by `connection`. False if its caller has left.
    func take(for connection: Connection) -> Bool {
        holder = connection
        return move(from: State.waiting, to: commits ? State.handedOver : State.taken)
    }

    /// Marks the request as waiting again. False if its caller has left.
    func putBack() -> Bool {
        results.removeAll()
        return move(from: State.taken, to: State.waiting) || move(from: State.handedOver, to: State.waiting)
    }

    /// Resumes the caller with `rows`. False if it has left.
    @discardableResult
    func succeed(_ rows: Rows?) -> Bool {
        guard state.exchange(State.finished, ordering: .acquiringAndReleasing) != State.finished else {
            return false
        }
        continuation?.resume(returning: rows)
        return true
    }

    func fail(_ error: any Error) {
        guard state.exchange(State.finished, ordering: .acquiringAndReleasing) != State.finished else {
            return
        }
        continuation?.resume(throwing: error)
    }

    /// Ends the request because its deadline passed.
    func expire() {
        abandon { .timedOut(mayHaveCommitted: $0) }
    }

    /// Ends the request because the caller's task was cancelled.
    func cancel() {
        abandon { _ in nil }
    }

    private func abandon(_ error: (_ mayHaveCommitted: Bool) -> PostgresError?) {
        let former = state.exchange(State.finished, ordering: .acquiringAndReleasing)
        guard former != State.finished, former != State.new else { return }
        continuation?.resume(throwing: error(former == State.handedOver) ?? CancellationError())
        if former != State.waiting { holder?.callerLeft() }
    }

    private func move(from old: UInt8, to new: UInt8) -> Bool {
        state.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}
