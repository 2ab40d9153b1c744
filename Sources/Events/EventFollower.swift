import Kernel
import Synchronization
import Web

/// A stream that follows the events of a user on this server.
package final class EventFollower: Sendable {
    enum Signal {
        /// There may be unread events. The first signal is of this kind.
        case news
        /// The client should get a sign of life, even if there is no event.
        case time
        /// The server ends, or the task is cancelled.
        case end
    }

    // This is not an AsyncStream, which takes a tenth of a stream's memory.
    private struct State {
        var (hasNews, isTime, isOver) = (true, false, false)
        var waiting: CheckedContinuation<Signal, Never>?

        mutating func takeSignal() -> Signal? {
            if isOver { return .end }
            if hasNews {
                (hasNews, isTime) = (false, false)
                return .news
            }
            defer { isTime = false }
            return isTime ? .time : nil
        }
    }

    /// The holder by which streams are counted.
    enum Holder: Hashable, Sendable {
        case address(RateLimitKey.Subject)
        /// A user, if the address says nothing: it is a proxy's, or a backend's.
        case user(User.ID)
    }

    let user: User.ID
    let holder: Holder
    /// The id of the key that opened the stream. Nil if it was an ID token.
    let key: String?
    private let closeConnection: @Sendable () -> Void
    private let state = Mutex(State())

    init(_ user: User.ID, at address: ClientAddress?, key: String?, close: @escaping @Sendable () -> Void) {
        (self.user, self.key, closeConnection) = (user, key, close)
        holder = address.map { .address($0.subject) } ?? .user(user)
    }

    /// Ends the stream now, without waiting for its client.
    func close() {
        end()
        closeConnection()
    }

    func tellNews() { tell { $0.hasNews = true } }

    func tellTime() { tell { $0.isTime = true } }

    func end() { tell { $0.isOver = true } }

    /// Waits for the next signal. Only one task may wait.
    func next() async -> Signal {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                let signal = state.withLock { state in
                    let signal = state.takeSignal()
                    if signal == nil { state.waiting = waiting }
                    return signal
                }
                if let signal { waiting.resume(returning: signal) }
            }
        } onCancel: {
            end()
        }
    }

    private func tell(_ change: (inout State) -> Void) {
        let told = state.withLock { state -> (CheckedContinuation<Signal, Never>, Signal)? in
            change(&state)
            guard let waiting = state.waiting, let signal = state.takeSignal() else { return nil }
            state.waiting = nil
            return (waiting, signal)
        }
        if let (waiting, signal) = told { waiting.resume(returning: signal) }
    }
}
