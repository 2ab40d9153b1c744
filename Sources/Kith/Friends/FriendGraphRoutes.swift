import Hummingbird

/// What is found by walking the graph: friends in common, suggestions, paths; and delta sync.
struct FriendGraphRoutes {
    let users: UserStore
    let graph: FriendGraphStore
    let changes: FriendChangeStore
    let limits: FriendLimits
    let cursors: Cursors

    private struct MutualResponse: Encodable {
        let count: Int
        let friends: [Friend]
        let next: String?
    }

    /// `GET /v1/friends/{uid}/mutual` lists friends in common, by pages.
    @Sendable func mutual(_ request: Request, context: UserContext) async throws -> Response {
        let other = try context.otherUser()
        let list = Cursors.List(name: "mutual \(other)", owner: context.userID.uuid)
        let (after, limit) = try await (
            cursors.read(request.query.value("after"), list), request.query.limit()
        )
        async let caller = users.requireActive(context.userID)
        let (count, page) = try await graph.mutual(
            of: context.userID, and: User.ID(of: other), after: after, limit: limit)
        _ = try await caller
        return try await JSON.response(
            MutualResponse(count: count, friends: page.items, next: cursors.text(page.next, list)))
    }

    /// `GET /v1/friends/{uid}/path` tells how far another user is, up to three steps, and one way there.
    @Sendable func path(_ request: Request, context: UserContext) async throws -> Response {
        let other = try context.otherUser()
        async let caller = users.requireActive(context.userID)
        let path = try await graph.path(from: context.userID, to: User.ID(of: other))
        _ = try await caller
        return try JSON.response(path)
    }

    private struct SuggestionsResponse: Encodable {
        let suggestions: [Suggestion]
    }

    /// `GET /v1/suggestions` lists people whom the caller may know, the likeliest first.
    @Sendable func suggestions(_ request: Request, context: UserContext) async throws -> Response {
        let limit = try request.query.limit(default: 20)
        async let caller = users.requireActive(context.userID)
        let suggestions = try await graph.suggestions(for: context.userID, limit: limit)
        _ = try await caller
        return try JSON.response(SuggestionsResponse(suggestions: suggestions))
    }

    /// `DELETE /v1/suggestions/{uid}`: never suggest this one again.
    @Sendable func dismiss(_ request: Request, context: UserContext) async throws -> Response {
        let other = try context.otherUser()
        _ = try await users.requireActive(context.userID)
        do {
            try await graph.dismiss(other, for: context.userID, limits)
        } catch is AccountError {
            throw try await users.problem(ofInactive: context.userID)
        }
        return Response(status: .noContent)
    }

    private struct ChangesResponse: Encodable {
        let changes: [FriendChange]
        let hasMore: Bool
        let next: String?
    }

    /// `GET /v1/friends/changes` lists what changed since the last visit, by pages; without `after`, all
    /// there is. 410 where only a reload helps. A visit costs by the caller's friends and requests, which are
    /// bounded: the names of all of them are looked at.
    @Sendable func listChanges(_ request: Request, context: UserContext) async throws -> Response {
        let list = Cursors.List(name: "changes", owner: context.userID.uuid)
        let (after, limit) = try await (
            cursors.read(request.query.value("after"), list), request.query.limit()
        )
        async let caller = users.requireActive(context.userID)
        do {
            let found = try await changes.changes(
                of: context.userID, from: FriendChangeStore.Position(after), limit: limit)
            _ = try await caller
            return try await JSON.response(
                ChangesResponse(
                    changes: found.changes, hasMore: found.hasMore,
                    next: cursors.text(found.next.cursor, list)))
        } catch is FriendChangeStore.Lost {
            _ = try await caller
            throw Problem(
                .gone, "reload_required",
                "Too much ended since, or the database was restored or replaced: forget all, and call without after.",
                field: "after")
        }
    }
}
