import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// Routes for friends in common, suggestions, paths, and delta sync.
package struct FriendGraphRoutes {
    package let graph: FriendGraphStore
    package let changes: FriendSyncStore
    package let limits: FriendLimits
    package let cursors: Cursors

    package init(graph: FriendGraphStore, changes: FriendSyncStore, limits: FriendLimits, cursors: Cursors) {
        self.graph = graph
        self.changes = changes
        self.limits = limits
        self.cursors = cursors
    }

    package struct MutualResponse: ResponseEncodable {
        let count: Int
        let friends: [Friend]
        let next: String?
    }

    /// `GET /v1/friends/{uid}/mutual` lists friends in common, by pages.
    @Sendable package func mutual(_ request: Request, context: UserContext) async throws -> MutualResponse {
        let other = try context.otherUser()
        let list = Cursors.List(name: "mutual \(other)", owner: context.userID.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let (count, page) = try await graph.mutual(
            of: context.userID, and: User.ID(of: other), after: after, limit: limit)
        return try await MutualResponse(
            count: count, friends: page.items, next: cursors.text(page.next, list))
    }

    /// `GET /v1/friends/{uid}/path` returns the distance to another user, up to three steps, and a shortest
    /// path.
    @Sendable package func path(_ request: Request, context: UserContext) async throws -> FriendPath {
        try await graph.path(from: context.userID, to: User.ID(of: context.otherUser()))
    }

    package struct SuggestionsResponse: ResponseEncodable {
        let suggestions: [Suggestion]
    }

    /// `GET /v1/suggestions` lists users whom the caller may know, the likeliest first.
    @Sendable package func suggestions(_ request: Request, context: UserContext) async throws
        -> SuggestionsResponse
    {
        let limit = try request.query.limit(default: 20)
        return try await SuggestionsResponse(
            suggestions: graph.suggestions(for: context.userID, limit: limit))
    }

    /// `DELETE /v1/suggestions/{uid}` makes Kith not suggest this user again.
    @Sendable package func dismiss(_ request: Request, context: AccountContext) async throws
        -> HTTPResponse.Status
    {
        try await graph.dismiss(context.otherUser(), for: context.user.id, limits)
        return .noContent
    }

    struct ChangesResponse: Encodable {
        let changes: [FriendChange]
        let hasMore: Bool
        let next: String?
    }

    /// `GET /v1/me/changes` lists changes since the last sync, by pages, and the current state without
    /// `after`. 410 if only a reload helps. The cost grows with the caller's requests, which are limited: it
    /// checks whether one of the other users was renamed.
    @Sendable package func listChanges(_ request: Request, context: UserContext) async throws -> Response {
        let list = Cursors.List(name: "changes", owner: context.userID.uuid)
        let (after, limit) = try await cursors.page(request, of: list, most: Query.maxFriends)
        do {
            let found = try await changes.changes(
                of: context.userID, from: FriendSyncStore.Position(after), limit: limit)
            let position = found.next.cursor
            // An encrypted cursor is never the same twice, and works for its owner alone, so it is left out
            // of the tag.
            let content = ChangesResponse(
                changes: found.changes, hasMore: found.hasMore,
                next: ([context.uid.text] + position.parts).joined(separator: " "))
            let answer = try await ChangesResponse(
                changes: found.changes, hasMore: found.hasMore, next: cursors.text(position, list))
            return try JSON.revalidated(answer, as: content, for: request)
        } catch is FriendSyncStore.Lost {
            throw Problem(
                .gone, "reload_required",
                "`after` is too old, or the database was restored: forget all, and call without `after`.",
                field: "after")
        }
    }
}

extension FriendPath: ResponseEncodable {}
