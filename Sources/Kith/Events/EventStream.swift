import Hummingbird
import NIOCore

/// Sends the events of one user as they come, as server-sent events.
struct EventStream: Sendable {
    let store: EventStore
    let follower: EventFollower

    static let path = "/v1/me/stream"
    /// How often a client hears something.
    static let heartbeat = Duration.seconds(20)
    /// An ID token is not asked for again, so a stream must end some time.
    static let longest = Duration.seconds(3600)
    private static let page = 100

    /// Returns when the time is over, the account ends, or the feed ends the following.
    /// - Parameter mustReload: whether the client may have missed events that are gone.
    func send(after start: Int64, mustReload: Bool, to writer: inout any ResponseBodyWriter) async throws {
        // How soon to come back, in milliseconds, and behind which event, even if there was none meanwhile.
        try await writer.write(ByteBuffer(string: "retry: 2000\nid: \(start)\n\n"))
        if mustReload { try await writer.write(ByteBuffer(string: "event: reload\ndata: {}\n\n")) }
        let began = ContinuousClock.now
        var last = start
        for await _ in follower.signals {
            if follower.takeNews() {
                let mayHaveEnded = try await sendNews(after: &last, to: &writer)
                if mayHaveEnded, try await store.active([follower.user]).isEmpty { return }
            } else {
                try await writer.write(ByteBuffer(string: ":\n\n"))
            }
            if ContinuousClock.now - began > Self.longest { return }
        }
    }

    /// Whether among the news is an end of the user's account, from which they may have returned.
    private func sendNews(after last: inout Int64, to writer: inout any ResponseBodyWriter) async throws
        -> Bool
    {
        var mayHaveEnded = false
        while true {
            // In a task of its own, whose memory goes with it.
            async let read = store.read(of: follower.user, after: last, limit: Self.page)
            let page = try await read
            for event in page.events {
                if event.kind.isForUser { try await writer.write(ByteBuffer(bytes: try Self.message(event))) }
                mayHaveEnded = mayHaveEnded || [.userSuspended, .userDeleted].contains(event.kind)
            }
            last = page.last
            if !page.isFull { return mayHaveEnded }
        }
    }

    private static func message(_ event: Event) throws -> [UInt8] {
        // JSON has no line breaks.
        try Array("id: \(event.id)\nevent: \(event.kind.rawValue)\ndata: ".utf8)
            + JSON.data(EventResponse(event: event)) + Array("\n\n".utf8)
    }
}
