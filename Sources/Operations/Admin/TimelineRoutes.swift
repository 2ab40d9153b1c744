import Foundation
package import Hummingbird
package import Kernel
import Web

/// The route `/v1/admin/users/{uid}/timeline`, for operators.
package struct TimelineRoutes {
    package let timelines: TimelineStore
    package let cursors: Cursors

    package init(timelines: TimelineStore, cursors: Cursors) {
        self.timelines = timelines
        self.cursors = cursors
    }

    package struct TimelineResponse: ResponseEncodable {
        let user: UserRecord
        let entries: [TimelineEntry]
        let next: String?
        /// The time from which on ends of friendships, suspensions and links that are gone are known.
        let logBegins: Date
    }

    /// `GET /v1/admin/users/{uid}/timeline` lists what happened to a user, newest first, by pages.
    @Sendable package func show(_ request: Request, context: AdminContext) async throws -> TimelineResponse {
        let user = User.ID(of: try context.userInPath())
        let list = Cursors.List(name: "timeline", owner: user.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        guard let timeline = try await timelines.page(of: user, after: after, limit: limit) else {
            throw Problem.userNotFound
        }
        return try await TimelineResponse(
            user: timeline.user, entries: timeline.page.items, next: cursors.text(timeline.page.next, list),
            logBegins: timeline.logBegins)
    }
}
