import Foundation
import Postgres

/// The reads of every landing, redirect and proof of an invite.
struct LinkFactsStore: Sendable {
    var db: Database
    /// What an invite by name and uid makes of a newcomer and an inviter who lets it.
    var byName = Invite.Mode.auto
    /// The columns of a profile: pages need fewer than the answers of the API.
    var profile = User.Profile.columns()
    /// Whether to count the inviter's friends, too.
    var countsFriends = false

    /// Takes one statement if the link has a user's uid and one of their names; otherwise a second one looks up the name.
    func facts(name: Username.Key, inviter: User.ID?) async throws -> LinkFacts {
        if let inviter, let facts = try await facts(name: name, of: inviter) { return facts }
        let owner = try await owner(of: name)
        return LinkFacts(owner: owner?.profile, ownerInviting: owner?.inviting ?? .off)
    }

    private func facts(name: Username.Key, of inviter: User.ID) async throws -> LinkFacts? {
        let found = try await db.landings.first(inviterStatement(name: name, inviter: inviter)) { row in
            var inviter = try LinkFacts.Inviter(
                profile: User.Profile(row: &row), isActive: row.next(), historyIsComplete: row.next())
            let severed = try row.next(as: Bool?.self)
            (inviter.hadName, inviter.severedName) = (severed == false, severed == true)
            inviter.inviting = try Inviting(stored: row.next())
            if inviter.inviting == .auto, byName == .ask { inviter.inviting = .ask }
            if countsFriends { inviter.friends = try row.next() }
            return inviter
        }
        guard let inviter = found else { return nil }
        if inviter.hadName || inviter.severedName || !inviter.isActive {
            return LinkFacts(inviter: inviter, nameIsKnown: true)
        }
        return LinkFacts(inviter: inviter, nameIsKnown: try await isKnown(name))
    }

    /// The last period of a name says whether it is severed, so a landing reads only one row of the history.
    func inviterStatement(name: Username.Key, inviter: User.ID) -> Statement {
        let friends: Statement = countsFriends ? ", \(FriendStore.visibleFriendCount(of: inviter))" : ""
        return """
            SELECT \(profile), \(UserStore.isVisible("")), history_complete,
                   (SELECT severed FROM username_periods WHERE user_id = \(inviter) AND name_key = \(name)
                    ORDER BY valid_from DESC LIMIT 1),
                   \(UserStore.inviting(""))\(friends)
            FROM users WHERE id = \(inviter)
            """
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
            SELECT \(profile), \(UserStore.inviting(""))
            FROM user_of_name(\(name)) WHERE \(UserStore.isVisible(""))
            """
        ) { try (User.Profile(row: &$0), Inviting(stored: $0.next())) }
    }
}
