import Foundation
package import Hummingbird
package import Kernel
import Web

/// The routes `/v1/me/username`, `/v1/me/usernames` and `/v1/usernames`.
package struct UsernameRoutes {
    package let users: UserStore
    package let usernames: UsernameStore
    package let cursors: Cursors

    package init(users: UserStore, usernames: UsernameStore, cursors: Cursors) {
        self.users = users
        self.usernames = usernames
        self.cursors = cursors
    }

    private struct RenameRequest: JSONBody {
        var username: String
        var oldLinks: OldLinks?

        enum CodingKeys: CodingKey, CaseIterable { case username, oldLinks }
    }

    /// `PUT /v1/me/username` renames the caller. Giving the current name is not a change.
    @Sendable package func rename(_ request: Request, context: AccountContext) async throws -> UserResponse {
        let body = try await request.decode(as: RenameRequest.self, context: context)
        let username = try usernames.policy.rules.username(body.username)
        var user = context.user
        guard user.username != username.text else { return UserResponse(user) }
        try await Renaming(usernames: usernames).rename(
            user.id, to: username, severing: body.oldLinks == .sever)
        user.profile.username = username.text
        return UserResponse(user)
    }

    package struct HistoryResponse: ResponseEncodable {
        let usernames: [UsernameHistory.Period]
        let next: String?
    }

    /// `GET /v1/me/usernames` lists the names that the caller has had, newest first, by pages.
    @Sendable package func history(_ request: Request, context: AccountContext) async throws
        -> HistoryResponse
    {
        let list = Cursors.List(name: "usernames", owner: context.user.id.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await usernames.periods(of: context.user.id, after: after, limit: limit)
        return try await HistoryResponse(usernames: page.items, next: cursors.text(page.next, list))
    }

    package struct AvailabilityResponse: ResponseEncodable {
        let username: String
        let available: Bool
        let reason: String?
    }

    /// `GET /v1/usernames/{username}` returns whether the caller could take a name.
    @Sendable package func availability(_ request: Request, context: CallerContext) async throws
        -> AvailabilityResponse
    {
        guard let text = context.parameters.get("username").flatMap({ PercentEncoding.decode($0.utf8) })
        else {
            throw Problem.invalid("username", "is not percent-encoded UTF-8 text")
        }
        try await users.account(of: context.caller.user)
        let reason: String?
        do {
            let username = try usernames.policy.rules.username(text)
            let before = try await usernames.registration(of: username.key)
            let isMine = before?.owner != nil && before?.owner == context.caller.user.map(User.ID.init(of:))
            reason = before == nil || before?.claimable == true || isMine ? nil : "taken"
        } catch UsernameError.invalid(let why) {
            reason = why.rawValue
        }
        return AvailabilityResponse(username: text, available: reason == nil, reason: reason)
    }
}

/// What happens to links with the old name.
package enum OldLinks: String, Decodable, CaseIterable {
    case forward, sever
}
