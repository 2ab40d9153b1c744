import Foundation
import Hummingbird

/// `/v1/me` and `/v1/users`.
struct UserRoutes {
    let users: UserStore
    let displayNames: DisplayNameStore
    let friends: FriendStore

    /// `GET /v1/me` shows the caller's profile.
    @Sendable func me(_ request: Request, context: AccountContext) -> UserResponse {
        UserResponse(context.user)
    }

    private struct UpdateRequest: RequestBody {
        /// Absent if it stays as it is, null to remove it.
        var displayName: String??
        var invites: Inviting?

        enum CodingKeys: CodingKey, CaseIterable { case displayName, invites }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            displayName =
                values.contains(.displayName)
                ? .some(try values.decodeIfPresent(String.self, forKey: .displayName)) : .none
            invites = values.contains(.invites) ? try values.decode(Inviting.self, forKey: .invites) : nil
        }
    }

    /// `PATCH /v1/me` changes the display name and what the caller's invites do, whichever is given.
    @Sendable func update(_ request: Request, context: AccountContext) async throws -> UserResponse {
        let body = try await request.decode(as: UpdateRequest.self, context: context)
        var user = context.user
        let displayName = try body.displayName.map { try DisplayName.requested($0) }
        // First what may be refused.
        if let displayName {
            try await set(displayName, of: user.id)
            user.displayName = displayName
        }
        if let inviting = body.invites {
            guard try await users.set(inviting, of: user.id) else { throw AccountError.inactive }
            user.inviting = inviting
        }
        return UserResponse(user)
    }

    private func set(_ displayName: String?, of user: User.ID) async throws {
        do {
            try await displayNames.set(displayName, of: user)
        } catch let error as DailyLimitError {
            throw Problem(
                .tooManyRequests, "display_name_cooldown",
                "You have reached the limit of changes of the display name in 24 hours.",
                field: "displayName",
                retryAfter: error.seconds)
        }
    }

    struct PublicUserResponse: ResponseEncodable {
        let uid: String
        let username: String
        let displayName: String?
        let relationship: Relationship
    }

    /// `GET /v1/users/{uid}` shows a user to the caller, even one who blocks the caller: hiding them would reveal the block.
    @Sendable func show(_ request: Request, context: AccountContext) async throws -> PublicUserResponse {
        let id = User.ID(of: try context.userInPath())
        async let found = users.find(id)
        async let row = friends.relationship(of: context.user.id, to: id)
        guard let user = try await found, user.status == .active, try await !row.theyAway else {
            throw Problem.userNotFound
        }
        return try await PublicUserResponse(
            uid: user.uid.text, username: user.username, displayName: user.displayName,
            relationship: row.relationship)
    }
}
