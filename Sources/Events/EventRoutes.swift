package import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
import Web

/// Routes for events: an app's stream, and pages for backends.
package struct EventRoutes {
    package let store: EventStore
    package let feed: EventFeed
    package let now: @Sendable () -> Date

    package init(store: EventStore, feed: EventFeed, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.feed = feed
        self.now = now
    }

    /// `GET /v1/me/stream` sends the caller's events as they come, as server-sent events
    /// (https://html.spec.whatwg.org/multipage/server-sent-events.html). With `Last-Event-ID` it begins after
    /// that event, or with an event `reload` if the events after it are no longer kept. Without it the stream
    /// begins with the next event. A comment every 20 seconds keeps the connection open. It closes after an
    /// hour, when the ID token ends, or when the server ends; clients reconnect by themselves. It also closes
    /// if the account ends, within a minute if the key that opened it ends, if the user opens ten more
    /// streams, and if it is the oldest of the address that has most when others have no room.
    @Sendable package func stream(_ request: Request, context: AccountContext) async throws -> Response {
        let user = context.user.id
        // Some clients that know no event yet send an empty header.
        let header = try request.header(.lastEventID).flatMap { $0.isEmpty ? nil : $0 }
        let given = try header ?? request.query.value("after")
        let start = try given.map {
            try EventSelection.number($0, header == nil ? "after" : "Last-Event-ID")
        }
        let bearer = request.headers[.authorization].map { String($0.dropFirst("Bearer ".count)) }
        let following = try feed.follow(
            user, at: context.address, key: bearer.flatMap { APIKey($0)?.id },
            close: { [channel = context.channel] in channel.close(promise: nil) })
        let newest = try await store.last()
        let isGone = if let start { try await store.isGone(after: start) } else { false }
        // A number that is not given yet would hide the events that come until then.
        let from = isGone ? newest : min(start ?? newest, newest)
        let stream = EventStream(
            store: store, follower: following.follower,
            end: EventStream.end(tokenEnd: context.tokenEnd, now: now()))
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
                // Without this header proxies such as nginx would wait for more data.
                .xAccelBuffering: "no",
            ],
            body: ResponseBody { writer in
                // If the client is already gone, nobody calls this, and `following` ends by itself.
                defer { feed.leave(following.follower) }
                var writer: any ResponseBodyWriter = writer
                try await stream.send(after: from, mustReload: isGone, to: &writer)
                try await writer.finish(nil)
            })
    }

    /// `GET /v1/admin/events?after=…&limit=…&wait=…&order=…&before=…&type=…`: all events after a number,
    /// oldest first, or before one, newest first. With `wait` it answers when there is an event, or after so
    /// many seconds. 410 if events after the number are no longer kept.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> EventPageResponse {
        let wanted = try EventSelection(request.query)
        switch wanted.start {
        case .after(let id, let seconds): return try await list(wanted, after: id, waiting: seconds)
        case .before(let id):
            return EventPageResponse(
                try await store.read(before: id, of: wanted.kind, limit: wanted.limit))
        }
    }

    private func list(
        _ wanted: EventSelection, after: Int64, waiting seconds: Int
    ) async throws -> EventPageResponse {
        if after > 0, try await store.isGone(after: after) {
            throw Problem(
                .gone, "reload_required",
                "Events behind this one are kept no more. Begin anew with after=0, and load what you need of the time before.",
                field: "after")
        }
        var page = try await store.read(after: after, of: wanted.kind, limit: wanted.limit)
        if page.isEmpty, seconds > 0 {
            await waitForEvent(after: after, .seconds(seconds))
            page = try await store.read(after: after, of: wanted.kind, limit: wanted.limit)
        }
        return EventPageResponse(page)
    }

    private func waitForEvent(after number: Int64, _ time: Duration) async {
        await withTaskGroup { group in
            group.addTask { await feed.wait(after: number) }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

}

/// A page of events.
package struct EventPageResponse: ResponseEncodable {
    let events: [EventResponse]
    /// The `after` of the next page; the `before`, if the newest is first.
    let next: String

    init(_ page: EventPage) {
        events = page.events.map(EventResponse.init)
        next = String(page.last)
    }
}
