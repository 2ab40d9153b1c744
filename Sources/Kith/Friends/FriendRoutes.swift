import Hummingbird

/// `/v1/friends`.
struct FriendRoutes {
    let users: UserStore
    let friends: FriendStore

    func add(to group: RouterGroup<UserContext>) {
        group.get("friends", use: list)
        group.get("friends/count", use: count)
    }

    private struct ListBody: Encodable {
        let friends: [Friend]
        let next: String?
    }

    private struct CountBody: Encodable {
        let count: Int
    }

    /// `GET /v1/friends` lists friends, newest first, by pages.
    @Sendable func list(_ request: Request, context: UserContext) async throws -> Response {
        let query = request.query
        guard try query.value("order") ?? "recent" == "recent" else {
            throw Problem.malformed("It must be recent.", field: "order")
        }
        let (cursor, limit) = try (Cursor(query.value("after"), list: "friends"), query.limit())
        async let caller = users.requireActive(context.userID)
        let (page, next) = try await friends.friends(of: context.userID, after: cursor, limit: limit)
        _ = try await caller
        return try JSON.response(ListBody(friends: page, next: next?.text(list: "friends")))
    }

    /// `GET /v1/friends/count` counts them.
    @Sendable func count(_ request: Request, context: UserContext) async throws -> Response {
        async let caller = users.requireActive(context.userID)
        let count = try await friends.count(of: context.userID)
        _ = try await caller
        return try JSON.response(CountBody(count: count))
    }
}
