import Foundation
import Graph
import Kernel
import Links
import Postgres
import Web

/// The few users of `kith dev`, created by the same code as those of clients. A second call changes nothing.
package struct DemoData: Sendable {
    let app: App

    package init(_ app: App) {
        self.app = app
    }

    /// A link to open, and what it shows.
    package struct Link: Sendable {
        package var url: String
        package var shows: String
    }

    private static let hanako = User.Profile(
        uid: User.UID(stored: "demo-hanako"), username: "hanako", displayName: "Hanako 花子")

    /// Signs more users up by Hanako's link than rewards let pass within an hour, so that some wait for an
    /// operator.
    package func addGuests() async throws {
        let link = InviteLinks(origin: app.config.server.linkURL).permanent(Self.hanako)
        for number in 1...6 {
            try await signUp("demo-guest-\(number)", "guest\(number)", nil, invite: link)
        }
    }

    /// Creates Hanako, who was `hana` before, Ken, who joined by Hanako's link, and a user without a display
    /// name.
    package func make() async throws -> [Link] {
        let links = InviteLinks(origin: app.config.server.linkURL)
        let hanako = Self.hanako
        try await signUp("demo-hanako", "hana", "Hanako 花子", invite: nil)
        try await rename("demo-hanako", to: "hanako")
        try await signUp("demo-ken", "ken", "Ken", invite: links.permanent(hanako))
        try await signUp("demo-mika", "mika", nil, invite: nil)
        let old = User.Profile(uid: hanako.uid, username: "hana", displayName: nil)
        return try await [
            Link(url: links.permanent(hanako), shows: "Hanako's invite"),
            Link(
                url: links.permanent(old), shows: "Hanako's old link, from before a rename: leads there too"),
            Link(
                url: links.short(try await party(of: hanako)),
                shows: "Hanako's link to a party, for a few people and a week; each asks her first"),
            Link(
                url: links.short(try await revoked(of: hanako)),
                shows: "a link that she took back: it says so, and leads on to the app"),
            Link(url: "\(links.origin)/users/mika", shows: "a page whose invite only asks: it has no uid"),
        ] + deepLink(to: links.permanent(hanako))
    }

    /// Returns a short link that sends each device its own way. Empty if the operator's settings have no
    /// domain for it.
    private func deepLink(to url: String) async throws -> [Link] {
        let project = try LinkedProject(app.config)
        guard let domain = project.domains.first, let code = ShortLink.Code("lantern") else { return [] }
        let given: [(name: String, value: String)] = [
            ("link", url), ("apn", project.packages.min() ?? "com.example.app"),
            ("ibi", project.bundles.min() ?? "com.example.app"), ("isi", project.storeID ?? "1234567890"),
            ("st", "Lantern walk"), ("sd", "Hanako invites you to the lantern walk."),
        ]
        let (link, _) = try DeepLink.read(given, for: project, isStrict: false)
        let creation = ShortLinkCreation(
            domains: project.domains, store: ShortLinkStore(db: app.db), secret: app.linkSecret,
            world: app.world)
        do {
            _ = try await creation.create(
                link, in: domain, .custom(code), ShortLinkDetails(name: "Demo"), expiresIn: nil,
                by: ShortLinkMaker(key: nil, isBackend: true))
        } catch DeepLinkError.codeTaken {
            // A user of the demo changed it, so leave it as it is.
        }
        return [
            Link(
                url: "\(domain.text)/\(code.text)",
                shows: "a short link: each device goes its own way; add ?d=1 to see them all")
        ]
    }

    private func signUp(_ uid: String, _ name: String, _ displayName: String?, invite: String?) async throws {
        let links = InviteLinks(origin: app.config.server.linkURL)
        let landings = LinkFactsStore(db: app.db, byName: app.config.invites.byName)
        let proof = InviteProof(
            invites: InviteStore(db: app.db), landings: landings, claims: ClaimStore(db: app.db))
        let store = SignupStore(db: app.db, limits: app.config.friends)
        let signup = try Signup(
            uid: User.UID(stored: uid), username: app.config.usernames.rules.username(name),
            displayName: displayName,
            invite: invite.map { links.reference(in: $0) }, code: newCode())
        do {
            _ = try await SignupCompletion(store: store, proof: proof).complete(signup)
        } catch SignupError.alreadySignedUp, SignupError.usernameTaken {
            // A user of the demo changed it, so leave it as it is.
        }
    }

    /// Returns the code of a custom link that uses everything that a page can show about one.
    private func party(of owner: User.Profile) async throws -> Invite.Code {
        let draft = InviteRequest(
            label: "Lantern walk", note: "Bring a lantern. We meet at six.", maxUses: 20,
            expiresIn: 7 * 86_400, friendship: .ask)
        return try await link(of: owner, draft) { link in
            link.revokedAt == nil && link.expiresAt.map { $0 > app.world.now() } ?? true
        }
    }

    private func revoked(of owner: User.Profile) async throws -> Invite.Code {
        let draft = InviteRequest(
            label: "Picnic", note: nil, maxUses: nil, expiresIn: nil, friendship: .auto)
        let code = try await link(of: owner, draft) { $0.revokedAt != nil }
        try await invites.revoke(code, owner: User.ID(of: owner.uid))
        return code
    }

    /// Returns the newest link with this label that is suitable, or else a new one.
    private func link(
        of owner: User.Profile, _ draft: InviteRequest, _ isGood: (Invite) -> Bool
    ) async throws -> Invite.Code {
        let id = User.ID(of: owner.uid)
        let known = try await invites.list(of: id, after: nil, limit: Query.maxLimit).items
        if let link = known.first(where: { $0.label == draft.label && isGood($0) }) { return link.code }
        return try await invites.issue(draft, as: newCode(), owner: id, key: nil).code
    }

    private var invites: InviteStore { InviteStore(db: app.db, limits: app.config.invites) }

    private func newCode() -> Invite.Code { Invite.Code(random: app.world.randomBytes(Invite.Code.length)) }

    private func rename(_ uid: String, to name: String) async throws {
        let usernames = UsernameStore(db: app.db, policy: app.config.usernames)
        let id = User.ID(of: User.UID(stored: uid))
        guard try await usernames.history(of: id).periods.count == 1 else { return }
        try await Renaming(usernames: usernames).rename(
            id, to: app.config.usernames.rules.username(name), severing: false)
    }
}
