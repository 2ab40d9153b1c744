internal import Synchronization

/// A queue for the data of a COPY: the caller puts chunks in, the connection takes them out.
///
/// It holds at most two, so the faster side waits for the other.
final class CopyFeed: Sendable {
    enum Taken {
        case nothing
        case chunk([UInt8])
        case end(refusing: String?)
    }

    private struct State {
        var chunk: [UInt8]?
        /// A second chunk, whose giver waits until the first is taken.
        var next: (chunk: [UInt8], giver: CheckedContinuation<Bool, Never>)?
        var end: Taken?
        var isClosed = false
        /// The connection to wake when there is something to take.
        var taker: Connection?
    }

    private let state = Mutex(State())

    // MARK: The caller

    /// Returns when there is room for another chunk. False if nobody takes any more.
    func put(_ chunk: [UInt8]) async -> Bool {
        await withCheckedContinuation { giver in
            let (answer, taker) = state.withLock { state -> (Bool?, Connection?) in
                if state.isClosed { return (false, nil) }
                guard state.chunk == nil else {
                    state.next = (chunk, giver)
                    return (nil, nil)
                }
                state.chunk = chunk
                return (true, state.taker)
            }
            taker?.wake()
            if let answer { giver.resume(returning: answer) }
        }
    }

    /// Ends the data. With a reason, the server refuses what it got.
    func end(refusing reason: String? = nil) {
        let taker = state.withLock { state in
            state.end = .end(refusing: reason)
            return state.taker
        }
        taker?.wake()
    }

    /// Runs `body`, then closes the feed, so that nobody takes chunks any more.
    func closed<T>(after body: () async throws -> T) async rethrows -> T {
        defer {
            let waiting = state.withLock { state in
                state.isClosed = true
                state.taker = nil
                return state.next.take()
            }
            waiting?.giver.resume(returning: false)
        }
        return try await body()
    }

    // MARK: The connection

    /// Returns what to send next. If there is nothing yet, `connection` is woken when there is.
    func take(for connection: Connection) -> Taken {
        let (taken, giver) = state.withLock { state -> (Taken, CheckedContinuation<Bool, Never>?) in
            state.taker = state.isClosed ? nil : connection
            guard let chunk = state.chunk else { return (state.end ?? .nothing, nil) }
            let next = state.next.take()
            state.chunk = next?.chunk
            return (.chunk(chunk), next?.giver)
        }
        giver?.resume(returning: true)
        return taken
    }
}
