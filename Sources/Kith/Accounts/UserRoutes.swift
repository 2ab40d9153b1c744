import Foundation
import Hummingbird

/// `/v1/me` and `/v1/users`.
struct UserRoutes {
    let users: UserStore
    let profiles: ProfileStore
    let avatarHosts: AvatarHosts
    let friends: FriendStore

    /// `GET /v1/me` shows the caller's profile.
    @Sendable func me(_ request: Request, context: AccountContext) -> UserResponse {
        UserResponse(context.user)
    }

    private struct UpdateRequest: RequestBody {
        /// Absent if it stays as it is, null or empty to remove it; so are the next two.
        var displayName: String??
        var avatarUrl: String??
        var metadata: [String: String]??
        var invites: Inviting?

        enum CodingKeys: CodingKey, CaseIterable { case displayName, avatarUrl, metadata, invites }

        static let fields = Set(CodingKeys.allCases.map(\.stringValue) + ["metadata.*"])

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            func given<Value: Decodable>(_ key: CodingKeys) throws -> Value?? {
                values.contains(key) ? .some(try values.decodeIfPresent(Value.self, forKey: key)) : .none
            }
            (displayName, avatarUrl) = try (given(.displayName), given(.avatarUrl))
            metadata = try given(.metadata)
            invites = values.contains(.invites) ? try values.decode(Inviting.self, forKey: .invites) : nil
        }

        func profile(_ hosts: AvatarHosts) throws -> ProfileChange {
            try ProfileChange(
                displayName: displayName.map { try DisplayName.requested($0) },
                avatarUrl: avatarUrl.map { try AvatarURL.requested($0, allowed: hosts) },
                metadata: metadata.map { try User.Metadata.requested($0) })
        }
    }

    /// `PATCH /v1/me` changes the profile and what the caller's invites do, as far as they are given.
    @Sendable func update(_ request: Request, context: AccountContext) async throws -> UserResponse {
        let body = try await request.decode(as: UpdateRequest.self, context: context)
        let id = context.user.id
        // First what may be refused.
        try await set(body.profile(avatarHosts), of: id)
        if let inviting = body.invites {
            guard try await users.set(inviting, of: id) else { throw AccountError.inactive }
        }
        // Another phone may have changed the rest.
        return UserResponse(try await users.requireActive(id))
    }

    private func set(_ change: ProfileChange, of user: User.ID) async throws {
        do {
            try await profiles.set(change, of: user)
        } catch let error as DailyLimitError {
            throw Problem(
                .tooManyRequests, "profile_cooldown",
                "You have reached the limit of changes of the profile in 24 hours.", retryAfter: error.seconds
            )
        }
    }

    struct Standing: Encodable {
        let relationship: Relationship
    }

    /// `GET /v1/users/{uid}` shows a user to the caller, even one who blocks the caller: hiding them would reveal the block.
    @Sendable func show(_ request: Request, context: AccountContext) async throws -> User.Listed<Standing> {
        let id = User.ID(of: try context.userInPath())
        async let found = users.find(id)
        async let row = friends.relationship(of: context.user.id, to: id)
        guard let user = try await found, user.status == .active, try await !row.theyAway else {
            throw Problem.userNotFound
        }
        return try await User.Listed(user.profile, Standing(relationship: row.relationship))
    }
}
