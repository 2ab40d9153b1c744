import Synchronization

/// Waits a limited time for work that cannot be interrupted.
package final class BoundedWait<Value: Sendable>: Sendable {
    private enum State {
        case begins
        case waits(CheckedContinuation<Value, any Error>)
        case ended(Result<Value, any Error>)
    }

    private let state = Mutex(State.begins)

    private init() {}

    /// Waits for the work. Throws `HTTPFetch.Failure.late` when the time is over, or a `CancellationError`;
    /// the work goes on.
    package static func wait(for work: Task<Value, any Error>, within time: Duration) async throws -> Value {
        let patience = BoundedWait()
        let watch = Task {
            try await Task.sleep(for: time)
            patience.end(.failure(HTTPFetch.Failure.late(time)))
        }
        defer { watch.cancel() }
        Task { patience.end(await work.result) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { patience.begin($0) }
        } onCancel: {
            patience.end(.failure(CancellationError()))
        }
    }

    private func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let ended: Result<Value, any Error>? = state.withLock { state in
            if case .ended(let result) = state { return result }
            state = .waits(continuation)
            return nil
        }
        if let ended { continuation.resume(with: ended) }
    }

    /// Ends the wait. Only the first end counts.
    private func end(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            defer { if case .ended = state {} else { state = .ended(result) } }
            if case .waits(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: result)
    }
}
