import Foundation
import Hummingbird

/// A user as they see themselves.
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
    let names: UsernamePolicy

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
        guard let wanted = body.displayName else { return try JSON.response(UserBody(user)) }
        user.displayName = try DisplayName.requested(wanted)
        do {
            try await users.setDisplayName(user.displayName, of: user.id, timesADay: names.changesPerDay)
        } catch let error as DisplayNameCoolingDown {
            throw Problem(
                .tooManyRequests, "display_name_cooldown",
                "The display name was changed as often as is allowed in a day.", field: "displayName",
                retryAfter: error.seconds)
        } catch is AccountRefusal {
            throw try await users.problem(ofInactive: user.id)
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
    /// The account of the caller: a 403 if there is none yet, or none any more.
    func requireActive(_ id: User.ID) async throws -> User {
        guard let user = try await find(id) else { throw Problem.notSignedUp }
        if let problem = user.problem { throw problem }
        return user
    }

    /// For calls that need no account: a 403 if the caller has one that is suspended or deleted.
    func refuseInactive(_ uid: User.UID?) async throws {
        guard let uid, let problem = try await find(User.ID(of: uid))?.problem else { return }
        throw problem
    }

    /// The answer to a call whose write found the account no longer active.
    func problem(ofInactive id: User.ID) async throws -> Problem {
        _ = try await requireActive(id)
        // Suspended, and active again by now.
        return .changedMeanwhile
    }
}

extension User {
    /// Why the user may not call; nil if they may.
    fileprivate var problem: Problem? {
        switch status {
        case .active: nil
        case .suspended: .suspended
        case .deleted: .accountDeleted
        }
    }
}

extension Problem {
    fileprivate static let notSignedUp = Problem(
        .forbidden, "not_signed_up", "Complete the sign-up first: POST /v1/signup.")
    static let changedMeanwhile = Problem(
        .conflict, "changed_meanwhile", "The account is being changed by other calls at this instant.")
    static let suspended = Problem(.forbidden, "account_suspended", "This account is suspended.")
    static let accountDeleted = Problem(
        .forbidden, "account_deleted", "This account was deleted. The same uid never gets another one.")
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
