import Foundation
package import Hummingbird
package import Kernel
import Web

/// The routes `PATCH /v1/me` and `/v1/users`.
package struct UserRoutes {
    package let users: UserStore
    package let profiles: ProfileStore
    package let avatarHosts: AvatarHosts
    package let lists: FriendListStore
    package let usernames: UsernameStore

    package init(
        users: UserStore, profiles: ProfileStore, avatarHosts: AvatarHosts, lists: FriendListStore,
        usernames: UsernameStore
    ) {
        self.users = users
        self.profiles = profiles
        self.avatarHosts = avatarHosts
        self.lists = lists
        self.usernames = usernames
    }

    private struct UpdateRequest: JSONBody {
        /// The new display name. Nil if it stays as it is, and empty to remove it. The same holds for the
        /// next two.
        var displayName: String?
        var avatarUrl: String?
        var metadata: [String: String]?
        var invites: InviteMode?

        enum CodingKeys: CodingKey, CaseIterable { case displayName, avatarUrl, metadata, invites }

        static let fields = Set(CodingKeys.allCases.map(\.stringValue) + ["metadata.*"])

        func profile(_ hosts: AvatarHosts) throws -> ProfileChange {
            try ProfileChange(
                displayName: displayName.map { try DisplayName.requested($0) },
                avatarUrl: avatarUrl.map { try AvatarURL.requested($0, allowed: hosts) },
                metadata: metadata.map { try User.Metadata.requested($0) })
        }
    }

    /// `PATCH /v1/me` changes the profile and what the caller's invites may do, where these are given.
    @Sendable package func update(_ request: Request, context: AccountContext) async throws -> UserResponse {
        let body = try await request.decode(as: UpdateRequest.self, context: context)
        let id = context.user.id
        // The part that may be refused comes first.
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

    /// `GET /v1/users/{uid}` shows a user to the caller, even one who blocks the caller: hiding them would
    /// reveal the block.
    @Sendable package func show(_ request: Request, context: AccountContext) async throws -> Known {
        let id = User.ID(of: try context.userInPath())
        return try await show(id, to: context.user.id)
    }

    /// `GET /v1/users?username=` finds a user by their username, in upper or lower case.
    @Sendable package func find(_ request: Request, context: AccountContext) async throws -> Known {
        guard let text = try request.query.value("username") else {
            throw Problem.invalid("username", "is required")
        }
        guard let name = Username.Key(text),
            let id = try await usernames.owners(of: [name], for: context.user.id)[name]
        else { throw Problem.userNotFound }
        return try await show(id, to: context.user.id)
    }

    private func show(_ id: User.ID, to me: User.ID) async throws -> Known {
        guard let user = try await lists.known([id], to: me)[id]?.visible else { throw Problem.userNotFound }
        return user
    }

    private struct LookUpRequest: JSONBody {
        var uids: [String]?
        var usernames: [String]?

        enum CodingKeys: CodingKey, CaseIterable { case uids, usernames }
    }

    package struct UsersResponse: ResponseEncodable {
        let users: [Known]
    }

    /// `POST /v1/users` shows up to 100 users in the order of the request. There is an entry for each uid,
    /// with the profile if it may be seen, and for each username of a user who may be seen.
    @Sendable package func lookUp(_ request: Request, context: AccountContext) async throws -> UsersResponse {
        let body = try await request.decode(as: LookUpRequest.self, context: context)
        let me = context.user.id
        switch (body.uids, body.usernames) {
        case (let texts?, nil):
            let uids = try User.UID.requested(texts, "uids")
            let ids = uids.map(User.ID.init(of:))
            let known = try await lists.known(ids, to: me)
            return UsersResponse(
                users: zip(uids, ids).map { uid, id in
                    let user = known[id]
                    return Known(
                        uid: uid, profile: user?.profile,
                        detail: Standing(user?.row ?? RelationshipRow()))
                })
        case (nil, let texts?):
            let names = texts.compactMap { Username.Key($0) }
            guard (1...Query.maxUsers).contains(texts.count), names.count == texts.count else {
                throw Problem.invalid(
                    "usernames", "must be 1 to \(Query.maxUsers) names of 1 to 64 characters")
            }
            let owners = try await usernames.owners(of: names, for: me)
            let known = try await lists.known(Array(owners.values), to: me)
            return UsersResponse(users: names.compactMap { owners[$0].flatMap { known[$0]?.visible } })
        default: throw Problem.invalid("uids", "or `usernames` must be given, and not both")
        }
    }
}
