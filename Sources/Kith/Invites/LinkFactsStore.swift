import Foundation
import Postgres

/// The reads of every landing, redirect and proof of an invite.
struct LinkFactsStore: Sendable {
    private let db: Database
    let byName: Invite.Mode
    private let followsHeldNames: Bool
    private let profile: Statement
    private let inviters: ReadQueue<InviterStore.Asked, LinkFacts.Inviter>
    private static let inviting = UserStore.inviting("")

    /// - Parameters:
    ///   - byName: what an invite by name and uid makes of a newcomer and an inviter who lets it.
    ///   - profile: the columns of a profile: pages need fewer than the answers of the API.
    ///   - followsHeldNames: whether a name without a uid also leads to the user for whom it is held.
    ///   - countsFriends: whether to count the inviter's friends, too.
    init(
        db: Database, byName: Invite.Mode = .auto, profile: Statement = User.Profile.columns(),
        countsFriends: Bool = false, followsHeldNames: Bool = false
    ) {
        (self.db, self.byName, self.profile) = (db, byName, profile)
        self.followsHeldNames = followsHeldNames
        let store = InviterStore(db: db, byName: byName, profile: profile, countsFriends: countsFriends)
        inviters = ReadQueue(refused: db.landings.countRefusal) { try await store.inviters($0) }
    }

    /// Takes one statement if the link has a user's uid and one of their names; otherwise a second one looks up the name.
    func facts(name: Username.Key, inviter: User.ID?) async throws -> LinkFacts {
        if let inviter, let facts = try await facts(name: name, of: inviter) { return facts }
        if let owner = try await owner(of: name) {
            return LinkFacts(owner: owner.profile, ownerInviting: owner.inviting)
        }
        let holder = followsHeldNames ? try await holder(of: name) : nil
        return LinkFacts(ownerInviting: holder?.inviting ?? .off, holder: holder?.profile)
    }

    /// The active user for whom the name is held, unless they severed it.
    private func holder(of name: Username.Key) async throws -> LinkFacts.Inviter? {
        let id = try await db.landings.first(
            """
            SELECT user_id FROM usernames WHERE name_key = \(name) AND state = 'held' AND held_until > now()
            """
        ) { try User.ID($0.next()) }
        guard let id, let holder = try await facts(name: name, of: id)?.inviter, holder.isActive,
            holder.hadName
        else { return nil }
        return holder
    }

    private func facts(name: Username.Key, of inviter: User.ID) async throws -> LinkFacts? {
        guard let inviter = try await inviters.value(of: .init(name: name, inviter: inviter)) else {
            return nil
        }
        if inviter.hadName || inviter.severedName || !inviter.isActive {
            return LinkFacts(inviter: inviter, nameIsKnown: true)
        }
        return LinkFacts(inviter: inviter, nameIsKnown: try await isKnown(name))
    }

    /// Whether anybody has or had the name.
    private func isKnown(_ name: Username.Key) async throws -> Bool {
        try await db.landings.first("SELECT true FROM usernames WHERE name_key = \(name)") {
            try $0.next()
        } ?? false
    }

    private func owner(of name: Username.Key) async throws -> (profile: User.Profile, inviting: Inviting)? {
        try await db.landings.first(
            """
            SELECT \(profile), \(Self.inviting)
            FROM user_of_name(\(name)) WHERE \(UserStore.isVisible(""))
            """
        ) { try (User.Profile(row: &$0), Inviting(stored: $0.next())) }
    }
}
