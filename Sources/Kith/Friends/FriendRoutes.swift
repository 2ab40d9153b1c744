import Hummingbird

/// `/v1/friends`, `/v1/requests`, `/v1/blocks` and `/v1/relationships`.
struct FriendRoutes {
    let users: UserStore
    let friends: FriendStore
    let lists: FriendListStore
    let limits: FriendLimits
    let cursors: Cursors

    struct ActResponse: ResponseEncodable {
        let relationship: Relationship
    }

    /// `PUT` and `DELETE` of `/v1/friends/{uid}` and `/v1/blocks/{uid}`: the table "Friends" in
    /// docs/rules.md.
    /// - Parameter uid: the other user, if the path has no parameter for them.
    func act(_ action: FriendAction, on uid: User.UID? = nil)
        -> @Sendable (Request, UserContext) async throws -> ActResponse
    {
        { _, context in
            let row = try await friends.act(action, by: context.uid, on: context.otherUser(uid), limits)
            return ActResponse(relationship: row.relationship)
        }
    }

    /// `GET /v1/friends` lists friends by pages: newest first, by name, or by a prefix of the username.
    @Sendable func list(_ request: Request, context: UserContext) async throws -> JSONText {
        let query = request.query
        let prefix = try query.usernamePrefix()
        let order =
            try query.value("order").map(FriendListPage.Order.init(rawValue:))
            ?? (prefix == nil ? .recent : .name)
        guard let order, order == .name || prefix == nil else {
            throw Problem.invalid("order", "must be `recent` or `name`; with `prefix` only `name`")
        }
        let list = Cursors.List(name: "friends \(order) \(prefix ?? "")", owner: context.userID.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page =
            order == .recent
            ? try await lists.friends(of: context.userID, after: after, limit: limit)
            : try await lists.friendsByName(
                of: context.userID, prefix: prefix ?? "", after: NameCursor(after), limit: limit)
        // A caller without an active account has an empty page, so other pages need no look-up.
        if page.isEmpty { _ = try await users.requireActive(context.userID) }
        return try await page.json(next: cursors.text(page.next(), list))
    }

    struct CountResponse: ResponseEncodable {
        let count: Int
    }

    /// `GET /v1/friends/count` counts friends.
    @Sendable func count(_ request: Request, context: UserContext) async throws -> CountResponse {
        try await CountResponse(count: lists.count(of: context.userID))
    }

    struct RequestsResponse: ResponseEncodable {
        let requests: [FriendRequest]
        let next: String?
    }

    /// `GET /v1/requests` lists pending requests, newest first, by pages.
    @Sendable func requests(_ request: Request, context: AccountContext) async throws -> RequestsResponse {
        let query = request.query
        guard let direction = try PendingRequest.Direction(rawValue: query.value("direction") ?? "incoming")
        else { throw Problem.invalid("direction", "must be `incoming` or `outgoing`") }
        let list = Cursors.List(name: "requests \(direction)", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page =
            switch direction {
            case .incoming: try await lists.incoming(to: context.user.id, after: after, limit: limit)
            case .outgoing: try await lists.outgoing(from: context.user.id, after: after, limit: limit)
            }
        return try await RequestsResponse(requests: page.items, next: cursors.text(page.next, list))
    }

    struct BlocksResponse: ResponseEncodable {
        let blocks: [BlockedUser]
        let next: String?
    }

    /// `GET /v1/blocks` lists users whom the caller blocks, newest first, by pages.
    @Sendable func blocks(_ request: Request, context: AccountContext) async throws -> BlocksResponse {
        let list = Cursors.List(name: "blocks", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await lists.blocked(by: context.user.id, after: after, limit: limit)
        return try await BlocksResponse(blocks: page.items, next: cursors.text(page.next, list))
    }

    private struct RelationshipsRequest: RequestBody {
        var uids: [String]

        enum CodingKeys: CodingKey, CaseIterable { case uids }
    }

    struct RelationshipsResponse: ResponseEncodable {
        let relationships: [RelationshipTo]
    }

    /// `POST /v1/relationships` returns the caller's relationship to each of up to 100 users, in their order.
    @Sendable func relationships(
        _ request: Request, context: AccountContext
    ) async throws -> RelationshipsResponse {
        let texts = try await request.decode(as: RelationshipsRequest.self, context: context).uids
        let uids = texts.compactMap { User.UID($0) }
        guard (1...100).contains(texts.count), uids.count == texts.count else {
            throw Problem.invalid("uids", "must be 1 to 100 uids of 1 to 128 characters")
        }
        let rows = try await lists.relationships(of: context.user.id, to: uids.map(User.ID.init(of:)))
        let answer = uids.map { uid in
            let row = rows[User.ID(of: uid)] ?? RelationshipRow()
            return RelationshipTo(uid: uid.text, relationship: row.relationship, since: row.visibleSince)
        }
        return RelationshipsResponse(relationships: answer)
    }
}

extension Query {
    /// The folded prefix of usernames; nil if none was given.
    fileprivate func usernamePrefix() throws -> String? {
        guard let text = try value("prefix") else { return nil }
        guard (1...64).contains(text.unicodeScalars.count) else {
            throw Problem.invalid("prefix", "must be 1 to 64 characters")
        }
        return Username.Key(of: text).text
    }
}
