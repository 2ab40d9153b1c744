import Foundation
import Synchronization

/// One who follows the events of a user on this server.
final class EventFollower: Sendable {
    let user: User.ID
    /// The id of the key by which they follow; nil: an ID token.
    let key: String?
    /// Yields at first, when the user has news, and now and then without; ends with the server.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    // Apart from the signals, of which only the last one waits.
    private let hasNews = Atomic(true)

    init(_ user: User.ID, key: String?) {
        (self.user, self.key) = (user, key)
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        signal.yield()
    }

    func tellNews() {
        hasNews.store(true, ordering: .releasing)
        signal.yield()
    }

    func tellTime() { signal.yield() }

    func end() { signal.finish() }

    /// Whether there may be events that were not read. At first there may be.
    func takeNews() -> Bool { hasNews.exchange(false, ordering: .acquiringAndReleasing) }
}
