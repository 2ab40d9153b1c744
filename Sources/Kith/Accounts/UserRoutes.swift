import Foundation
import Hummingbird

/// `/v1/me` and `/v1/users`.
struct UserRoutes {
    let users: UserStore
    let displayNames: DisplayNameStore
    let friends: FriendStore

    /// `GET /v1/me` shows the caller's profile.
    @Sendable func me(_ request: Request, context: UserContext) async throws -> Response {
        try await JSON.response(UserResponse(users.requireActive(context.userID)))
    }

    private struct UpdateRequest: RequestBody {
        /// Absent: as it was. Null: none.
        var displayName: String??

        static let fields: Set = ["displayName"]

        private enum CodingKeys: CodingKey {
            case displayName
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            displayName =
                values.contains(.displayName)
                ? .some(try values.decodeIfPresent(String.self, forKey: .displayName)) : .none
        }
    }

    /// `PATCH /v1/me` changes the display name.
    @Sendable func update(_ request: Request, context: UserContext) async throws -> Response {
        let body = try await request.body(as: UpdateRequest.self)
        var user = try await users.requireActive(context.userID)
        guard let wanted = body.displayName else { return try JSON.response(UserResponse(user)) }
        user.displayName = try DisplayName.requested(wanted)
        do {
            try await displayNames.set(user.displayName, of: user.id)
        } catch let error as DisplayNameCooldownError {
            throw Problem(
                .tooManyRequests, "display_name_cooldown",
                "The display name was changed as often as is allowed in a day.", field: "displayName",
                retryAfter: error.seconds)
        } catch is AccountError {
            throw try await users.problem(ofInactive: user.id)
        }
        return try JSON.response(UserResponse(user))
    }

    private struct PublicUserResponse: Encodable {
        let uid: String
        let username: String
        let displayName: String?
        let relationship: Relationship
    }

    /// `GET /v1/users/{uid}` shows a user to the caller. One who blocks the caller is there as for
    /// anybody: to vanish would tell.
    @Sendable func show(_ request: Request, context: UserContext) async throws -> Response {
        _ = try await users.requireActive(context.userID)
        let id = User.ID(of: try context.userInPath())
        async let found = users.find(id)
        async let row = friends.relationship(of: context.userID, to: id)
        guard let user = try await found, user.status == .active, try await !row.theyAway else {
            throw Problem.userNotFound
        }
        return try await JSON.response(
            PublicUserResponse(
                uid: user.uid.text, username: user.username, displayName: user.displayName,
                relationship: row.relationship))
    }
}
