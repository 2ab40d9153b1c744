import Foundation
import Hummingbird

/// A user as he sees himself.
struct UserBody: Encodable {
    let uid: String
    let username: String
    let displayName: String?
    let status: String
    let createdAt: Date
}

extension UserBody {
    init(_ user: User) {
        self.init(
            uid: user.uid.text, username: user.username, displayName: user.displayName,
            status: user.status.rawValue, createdAt: user.createdAt)
    }
}

/// `/v1/me` and `/v1/users`.
struct UserRoutes {
    let users: UserStore
    let friends: FriendStore

    func add(to group: RouterGroup<UserContext>) {
        group.get("me", use: me)
        group.patch("me", use: update)
        group.get("users/{uid}", use: show)
    }

    /// `GET /v1/me` shows the caller's profile.
    @Sendable func me(_ request: Request, context: UserContext) async throws -> Response {
        try await JSON.response(UserBody(users.requireActive(context.userID)))
    }

    private struct UpdateBody: RequestBody {
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
        let body = try await request.body(as: UpdateBody.self)
        var user = try await users.requireActive(context.userID)
        if let wanted = body.displayName {
            user.displayName = try DisplayName.requested(wanted)
            try await users.setDisplayName(user.displayName, of: user.id)
        }
        return try JSON.response(UserBody(user))
    }

    private struct PublicBody: Encodable {
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
            PublicBody(
                uid: user.uid.text, username: user.username, displayName: user.displayName,
                relationship: row.relationship))
    }

}

extension UserStore {
    /// The account of the caller: a 403 where there is none yet, or none any more.
    func requireActive(_ id: User.ID) async throws -> User {
        guard let user = try await find(id), user.status != .deleted else {
            throw Problem(.forbidden, "not_signed_up", "Complete the sign-up first: POST /v1/signup.")
        }
        guard user.status == .active else {
            throw Problem.suspended
        }
        return user
    }
}

extension Problem {
    static let suspended = Problem(.forbidden, "account_suspended", "This account is suspended.")
}

extension DisplayName {
    /// The display name that a body asks for, or a 422.
    static func requested(_ text: String?) throws(Problem) -> String? {
        guard let text else { return nil }
        guard let name = DisplayName(text) else {
            throw Problem(
                .unprocessableContent, "display_name_invalid",
                "It must be one line of 1 to 100 characters.", field: "displayName")
        }
        return name.text
    }
}
