import Foundation
import Hummingbird
import NIOCore
import Web

/// Sends the events of one user as they come, as server-sent events.
package struct EventStream: Sendable {
    let store: EventStore
    let follower: EventFollower
    let end: ContinuousClock.Instant

    package static let path = "/v1/me/stream"
    /// How often a client hears something.
    static let heartbeat = Duration.seconds(20)
    private static let longest: TimeInterval = 3600
    private static let page = 100

    /// An ID token is not asked for again, so the stream must end with it.
    /// - Parameter tokenEnd: nil: a key opens it, which is asked for again.
    static func end(tokenEnd: Date?, now: Date) -> ContinuousClock.Instant {
        .now + .seconds(min(longest, tokenEnd?.timeIntervalSince(now) ?? longest))
    }

    /// Returns when the account ends, the feed ends the following, or at the first signal after the end: nothing is sent then.
    /// - Parameter mustReload: whether the client may have missed events that are gone.
    func send(after start: Int64, mustReload: Bool, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(Self.opening(after: start, mustReload: mustReload))
        var (last, isOver) = (start, false)
        while !isOver {
            let signal = await follower.next()
            guard ContinuousClock.now < end else { return }
            switch signal {
            case .end: return
            case .time: try await writer.write(ByteBuffer(string: ":\n\n"))
            case .news:
                var isMore = true
                while isMore {
                    let news = try await Self.apart { [last] in try await self.news(after: last) }
                    if news.messages.readableBytes > 0 { try await writer.write(news.messages) }
                    (last, isMore, isOver) = (news.last, news.isMore, isOver || news.isOver)
                }
            }
        }
    }

    /// How soon to come back, in milliseconds, and behind which event, even if there was none meanwhile.
    private static func opening(after start: Int64, mustReload: Bool) -> ByteBuffer {
        ByteBuffer(
            string: "retry: 2000\nid: \(start)\n\n" + (mustReload ? "event: reload\ndata: {}\n\n" : ""))
    }

    private struct News: Sendable {
        var messages: ByteBuffer
        var last: Int64
        var isMore: Bool
        /// Whether the user's account has ended.
        var isOver: Bool
    }

    /// Runs in a task of its own: a task keeps the memory of its deepest call until it ends, and that of a connection with a
    /// stream lives for an hour. The memory of an `async let` would be its parent's.
    package static func apart<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T
    {
        try await Task(operation: work).value
    }

    private func news(after last: Int64) async throws -> News {
        let page = try await store.read(of: follower.user, after: last, limit: Self.page)
        var messages = ByteBuffer()
        for event in page.events where event.kind.isForUser { try messages.writeBytes(Self.message(event)) }
        // They may have returned since.
        let mayBeOver = page.events.contains { [.userSuspended, .userDeleted].contains($0.kind) }
        let isOver = mayBeOver ? try await store.active([follower.user]).isEmpty : false
        return News(messages: messages, last: page.last, isMore: page.isFull, isOver: isOver)
    }

    private static func message(_ event: Event) throws -> [UInt8] {
        // JSON has no line breaks.
        try Array("id: \(event.id)\nevent: \(event.kind.rawValue)\ndata: ".utf8)
            + JSON.data(EventResponse(event: event)) + Array("\n\n".utf8)
    }
}
