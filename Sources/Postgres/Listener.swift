internal import Synchronization

extension Database {
    /// What a listener hears.
    public enum Announcement: Equatable, Sendable {
        /// Listening has begun, at first or again: what was announced before it was missed, so read it.
        case reconnected
        /// Somebody ran `NOTIFY channel, 'payload'`.
        case notification(payload: String)
    }

    /// Everything announced on `channel` from now on, over broken connections, until the database is closed.
    public func listen(_ channel: String) -> AsyncStream<Announcement> {
        listener.listen(channel)
    }
}

/// One connection that listens for all who want to hear.
final class Listener: Sendable {
    fileprivate struct Subscriber {
        let continuation: AsyncStream<Database.Announcement>.Continuation
        var isTold = false
    }

    fileprivate struct State {
        var channels: [String: [Int: Subscriber]] = [:]
        /// The channels that the session now being set up listens on.
        var greeted: Set<String> = []
        var issued = 0
    }

    // The connection holds these, not the listener, lest the two keep each other alive.
    fileprivate final class Book: Sendable {
        let state = Mutex(State())
    }

    let inbox: Inbox
    private let book = Book()

    init(_ lane: LaneSettings, _ deadlines: Deadlines) {
        let book = book
        let onEvent = lane.onEvent
        var lane = lane
        lane.greeting = { book.greeting() }
        lane.onNotification = { book.tell($0) }
        lane.onEvent = { event in
            if case .connected = event { book.tellGreeted() }
            onEvent(event)
        }
        inbox = Inbox(lane, deadlines)
    }

    func listen(_ channel: String) -> AsyncStream<Database.Announcement> {
        let (stream, continuation) = AsyncStream.makeStream(of: Database.Announcement.self)
        let id = book.add(continuation, to: channel)
        continuation.onTermination = { [book] _ in book.remove(id, from: channel) }
        // Where this fails the next connection listens on the channel from its start.
        Task { [inbox, book] in
            let request = Request(.single, [Book.listen(channel)], deadline: Session.forever)
            if (try? await inbox.answer(to: request)) != nil { book.tell(id, of: channel) }
        }
        return stream
    }

    func close() {
        inbox.close()
        book.finish()
    }
}

extension Listener.Book {
    static func listen(_ channel: String) -> Statement {
        let parts = channel.split(separator: "\"", omittingEmptySubsequences: false)
        return Statement("LISTEN \(unescaped: "\"" + parts.joined(separator: "\"\"") + "\"")")
    }

    func add(_ continuation: AsyncStream<Database.Announcement>.Continuation, to channel: String) -> Int {
        state.withLock { state in
            state.issued += 1
            state.channels[channel, default: [:]][state.issued] = .init(continuation: continuation)
            return state.issued
        }
    }

    func remove(_ id: Int, from channel: String) {
        state.withLock { state in
            state.channels[channel]?[id] = nil
            if state.channels[channel]?.isEmpty == true { state.channels[channel] = nil }
        }
    }

    func greeting() -> [Statement] {
        state.withLock { state in
            state.greeted = Set(state.channels.keys)
            return state.greeted.sorted().map(Listener.Book.listen)
        }
    }

    func tellGreeted() {
        state.withLock { state in
            for channel in state.greeted {
                for id in (state.channels[channel] ?? [:]).keys {
                    state.channels[channel]?[id]?.isTold = true
                    state.channels[channel]?[id]?.continuation.yield(.reconnected)
                }
            }
        }
    }

    /// Unless the connection's start has told it already.
    func tell(_ id: Int, of channel: String) {
        state.withLock { state in
            guard state.channels[channel]?[id]?.isTold == false else { return }
            state.channels[channel]?[id]?.isTold = true
            state.channels[channel]?[id]?.continuation.yield(.reconnected)
        }
    }

    func tell(_ notification: Database.Notification) {
        state.withLock { state in
            for subscriber in (state.channels[notification.channel] ?? [:]).values {
                subscriber.continuation.yield(.notification(payload: notification.payload))
            }
        }
    }

    func finish() {
        // Outside of the lock: the end of a stream comes back to `remove`.
        let subscribers = state.withLock { $0.channels.values.flatMap(\.values) }
        for subscriber in subscribers { subscriber.continuation.finish() }
    }
}
