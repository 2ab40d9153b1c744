import Foundation
package import Hummingbird
package import Kernel
package import Web

/// The routes `/v1/friends`, `/v1/requests` and `/v1/blocks`.
package struct FriendRoutes {
    package let users: UserStore
    package let friends: FriendStore
    package let lists: FriendListStore
    package let limits: FriendLimits
    package let cursors: Cursors

    package init(
        users: UserStore, friends: FriendStore, lists: FriendListStore, limits: FriendLimits, cursors: Cursors
    ) {
        self.users = users
        self.friends = friends
        self.lists = lists
        self.limits = limits
        self.cursors = cursors
    }

    package struct ActResponse: ResponseEncodable {
        let relationship: Relationship
    }

    /// Answers `PUT` and `DELETE` of `/v1/friends/{uid}` and `/v1/blocks/{uid}`, by the table "Friends" in
    /// docs/rules.md.
    /// - Parameter uid: the other user, if the path has no parameter for them.
    package func act(_ action: FriendAction, on uid: User.UID? = nil)
        -> @Sendable (Request, UserContext) async throws -> ActResponse
    {
        { _, context in
            let row = try await friends.act(action, by: context.uid, on: context.otherUser(uid), limits)
            return ActResponse(relationship: row.relationship)
        }
    }

    /// `GET /v1/friends` lists friends by pages: newest first, by name, or those found by the beginning of a
    /// name.
    @Sendable package func list(_ request: Request, context: UserContext) async throws -> JSONText {
        let query = request.query
        let prefix = try query.namePrefix()
        let order =
            try query.value("order").map(FriendListPage.Order.init(rawValue:))
            ?? (prefix == nil ? .recent : .name)
        guard let order, order == .name || prefix == nil else {
            throw Problem.invalid("order", "must be `recent` or `name`; with `prefix` only `name`")
        }
        let list = Cursors.List(name: "friends \(order) \(prefix ?? "")", owner: context.userID.uuid)
        let (after, limit) = try await cursors.page(request, of: list, most: Query.maxFriends)
        let page =
            order == .recent
            ? try await lists.friends(of: context.userID, after: after, limit: limit)
            : try await lists.friendsByName(
                of: context.userID, prefix: prefix, after: NameCursor(after), limit: limit)
        // A caller without an active account has an empty page, so other pages need no look-up.
        if page.isEmpty { _ = try await users.requireActive(context.userID) }
        return try await page.json(next: cursors.text(page.next(), list))
    }

    package struct RequestsResponse: ResponseEncodable {
        let requests: [FriendRequest]
        let next: String?
    }

    /// `GET /v1/requests` lists pending requests, newest first, by pages.
    @Sendable package func requests(_ request: Request, context: AccountContext) async throws
        -> RequestsResponse
    {
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

    package struct BlocksResponse: ResponseEncodable {
        let blocks: [BlockedUser]
        let next: String?
    }

    /// `GET /v1/blocks` lists users whom the caller blocks, newest first, by pages.
    @Sendable package func blocks(_ request: Request, context: AccountContext) async throws -> BlocksResponse
    {
        let list = Cursors.List(name: "blocks", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await lists.blocked(by: context.user.id, after: after, limit: limit)
        return try await BlocksResponse(blocks: page.items, next: cursors.text(page.next, list))
    }

    private struct AskRequest: JSONBody {
        var uids: [String]

        enum CodingKeys: CodingKey, CaseIterable { case uids }
    }

    package struct AskResponse: ResponseEncodable {
        let requests: [Outcome]

        struct Outcome: Encodable {
            let uid: String
            var relationship: Relationship?
            /// Why the user was not asked.
            var code: String?
        }
    }

    /// `POST /v1/requests` asks up to 100 users, each as `PUT /v1/friends/{uid}` would, one after the other.
    /// A second call changes nothing.
    @Sendable package func ask(_ request: Request, context: AccountContext) async throws -> AskResponse {
        let uids = try User.UID.requested(
            await request.decode(as: AskRequest.self, context: context).uids, "uids")
        var outcomes: [AskResponse.Outcome] = []
        for uid in uids {
            var outcome = AskResponse.Outcome(uid: uid.text)
            do {
                let row = try await friends.act(.want, by: context.uid, on: context.otherUser(uid), limits)
                outcome.relationship = row.relationship
            } catch let refusal as any ProblemError where refusal.problem.status != .serviceUnavailable {
                outcome.code = refusal.problem.code
            }
            outcomes.append(outcome)
        }
        return AskResponse(requests: outcomes)
    }
}

extension Query {
    /// Returns the beginning of a name, folded as usernames are. Nil if none was given.
    fileprivate func namePrefix() throws -> String? {
        // Keyboards may add a space.
        guard let text = try value("prefix")?.trimmingCharacters(in: .whitespaces) else { return nil }
        guard (1...64).contains(text.unicodeScalars.count) else {
            throw Problem.invalid("prefix", "must be 1 to 64 characters")
        }
        return Username.Key(of: text).text
    }
}
