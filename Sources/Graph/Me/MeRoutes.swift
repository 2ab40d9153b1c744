import Foundation
package import Hummingbird
package import Kernel
package import Web

/// The route `GET /v1/me`, which an app calls when it starts.
package struct MeRoutes {
    package let store: MeStore
    package let invites: InviteStore
    package let links: InviteLinks
    package let usernames: UsernamePolicy
    package let world: World

    package init(
        store: MeStore, invites: InviteStore, links: InviteLinks, usernames: UsernamePolicy, world: World
    ) {
        self.store = store
        self.invites = invites
        self.links = links
        self.usernames = usernames
        self.world = world
    }

    /// `GET /v1/me` shows the caller's profile, who invited them, their permanent link, how many friends and
    /// requests they have, and when they may rename. The first call creates the link's short code.
    @Sendable package func show(_ request: Request, context: AccountContext) async throws -> Response {
        let user = context.user
        let start = try await store.start(of: user.id)
        var code = start.code
        if code == nil {
            let new = Invite.Code(random: world.randomBytes(Invite.Code.length))
            code = try await invites.personalCode(of: user.id, orNew: new)
        }
        let change = start.history.nextChange(usernames)
        let me = MeResponse(
            user: UserResponse(user), invitedBy: start.invitedBy,
            link: code.map { PermanentInviteResponse(user.profile, code: $0, links) }, counts: start.counts,
            rename: .init(availableAt: change.availableAt, correctionsLeft: change.correctionsLeft))
        return try JSON.revalidated(me, for: request)
    }
}

/// What an app needs when it starts, with the caller's profile in one object.
struct MeResponse: Encodable {
    let user: UserResponse
    let invitedBy: User.Profile?
    let link: PermanentInviteResponse?
    let counts: MeStore.Counts
    let rename: Rename

    struct Rename: Encodable {
        /// When another username can be chosen. Nil if it can be now.
        let availableAt: Date?
        /// How often the name just chosen may be corrected.
        let correctionsLeft: Int
    }

    private enum CodingKeys: CodingKey { case invitedBy, link, counts, rename }

    func encode(to encoder: any Encoder) throws {
        try user.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(invitedBy, forKey: .invitedBy)
        try container.encodeIfPresent(link, forKey: .link)
        try container.encode(counts, forKey: .counts)
        try container.encode(rename, forKey: .rename)
    }
}
