import Foundation
import Hummingbird
import Kernel
import NIOCore
import Web

/// Sends the events of one user as they come, as server-sent events.
package struct EventStream: Sendable {
    let store: EventStore
    let follower: EventFollower
    let end: ContinuousClock.Instant

    package static let path = "/v1/me/stream"
    /// How often a client gets a sign of life.
    static let heartbeat = Duration.seconds(20)
    private static let longest: TimeInterval = 3600
    private static let page = 100

    /// Returns when the stream must end. An ID token is not checked again, so the stream ends with it.
    /// - Parameter tokenEnd: when the ID token ends. Nil if a key opened the stream, which is checked again.
    static func end(tokenEnd: Date?, now: Date) -> ContinuousClock.Instant {
        .now + .seconds(min(longest, tokenEnd?.timeIntervalSince(now) ?? longest))
    }

    /// Sends events. Returns when the account ends, the feed ends the following, or at the first signal after
    /// the end, at which nothing more is sent.
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

    /// Returns the first message: how soon to reconnect, in milliseconds, and after which event, even if none
    /// came meanwhile.
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

    /// Runs work in a task of its own. A task keeps the memory of its deepest call until it ends, and the
    /// task of a connection with a stream lives for an hour. An `async let` would use its parent's memory.
    package static func apart<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T
    {
        try await Task(operation: work).value
    }

    private func news(after last: Int64) async throws -> News {
        let page = try await store.read(of: follower.user, after: last, limit: Self.page)
        var messages = ByteBuffer()
        for event in page.events where event.kind.isForUser { try messages.writeBytes(Self.message(event)) }
        // The user may have returned since.
        let mayBeOver = page.events.contains { [.userSuspended, .userDeleted].contains($0.kind) }
        let isOver = mayBeOver ? try await store.active([follower.user]).isEmpty : false
        return News(messages: messages, last: page.last, isMore: page.isFull, isOver: isOver)
    }

    private static func message(_ event: Event) throws -> [UInt8] {
        // JSON has no line breaks, so it fits on one line.
        try Array("id: \(event.id)\nevent: \(event.kind.rawValue)\ndata: ".utf8)
            + JSON.data(EventResponse(event: event)) + Array("\n\n".utf8)
    }
}
