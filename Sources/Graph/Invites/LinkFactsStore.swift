import Foundation
import Kernel
package import Postgres
import Web

/// The reads of every landing, redirect and proof of an invite.
package struct LinkFactsStore: Sendable {
    private let db: Database
    package let byName: Invite.Mode
    private let followsHeldNames: Bool
    private let profile: Statement
    private let store: InviterStore
    private let inviters: ReadQueue<InviterStore.LinkKey, LinkFacts.Inviter>
    private static let inviting = UserStore.inviting("")

    /// - Parameters:
    ///   - byName: what an invite by name and uid makes of a newcomer and an inviter who allows it.
    ///   - profile: the columns of a profile. Pages need fewer than the answers of the API.
    ///   - followsHeldNames: whether a name without a uid also leads to the user for whom it is held.
    ///   - countsFriends: whether to count the inviter's friends too.
    package init(
        db: Database, byName: Invite.Mode = .auto, profile: Statement = User.Profile.columns(),
        countsFriends: Bool = false, followsHeldNames: Bool = false
    ) {
        (self.db, self.byName, self.profile) = (db, byName, profile)
        self.followsHeldNames = followsHeldNames
        let store = InviterStore(db: db, byName: byName, profile: profile, countsFriends: countsFriends)
        self.store = store
        inviters = ReadQueue(refused: db.landings.countRefusal) { try await store.inviters($0) }
    }

    /// Reads the facts. It takes one statement if the link has a user's uid and one of their names. Otherwise
    /// a second one looks up the name, and before that up to four find whom the uid names if something is
    /// stuck to it.
    func facts(name: Username.Key, inviter uid: User.UID?) async throws -> LinkFacts {
        if let uid {
            if !uid.isCut, let facts = try await facts(name: name, of: User.ID(of: uid)) { return facts }
            if let facts = try await facts(name: name, reading: uid) { return facts }
        }
        if let owner = try await owner(of: name) {
            return LinkFacts(owner: owner.profile, ownerInviting: owner.inviting)
        }
        let holder = followsHeldNames ? try await holder(of: name) : nil
        return LinkFacts(ownerInviting: holder?.inviting ?? .off, holder: holder?.profile)
    }

    /// Decides where a link leads, and by what name. If nobody ever had the name, something may be stuck to
    /// it.
    /// - Parameters:
    ///   - spelling: the name as written in the link. Nil if spelling does not matter.
    ///   - hasUID: whether the link has a uid, valid or not.
    func decision(
        name: Username.Key, spelling: String?, inviter uid: User.UID?, hasUID: Bool
    ) async throws -> (name: Username.Key, facts: LinkFacts, decision: LinkDecision) {
        let facts = try await facts(name: name, inviter: uid)
        let decision = LinkDecision.decide(name: name, spelling: spelling, hasUID: hasUID, facts: facts)
        guard decision.target == .notFound, !facts.nameIsKnown,
            let other = StuckText.name(in: name.text).flatMap({ Username.Key($0) }),
            try await !isKnown(name)
        else { return (name, facts, decision) }
        let found = try await self.facts(name: other, inviter: uid)
        return (
            other, found, LinkDecision.decide(name: other, spelling: spelling, hasUID: hasUID, facts: found)
        )
    }

    /// Returns the facts for the user whose uid the text stands for, which is the longest reading that is
    /// anybody's uid. Nil if there is none, or if the text may be the rest of a longer uid of another user
    /// who has or had the name.
    private func facts(name: Username.Key, reading uid: User.UID) async throws -> LinkFacts? {
        let readings = uid.readings.map {
            (uid: $0, asked: InviterStore.LinkKey(name: name, inviter: User.ID(of: $0)))
        }
        guard !readings.isEmpty else { return nil }
        let found = try await store.inviters(readings.map(\.asked))
        guard let reading = readings.first(where: { found[$0.asked] != nil }),
            let inviter = found[reading.asked]
        else { return nil }
        let ofName = readings.filter { reading in
            found[reading.asked].map { $0.hadName || $0.severedName } == true
        }
        // Without the invisible character or the line break that was left out, it is another user's link.
        if ofName.count > 1, StuckText.isJoined(reading.uid.text, of: uid.text) { return nil }
        if inviter.hadName || inviter.severedName,
            try await another(
                than: reading.asked.inviter, had: name, withUIDFrom: (reading.uid.text, uid.text))
        {
            return nil
        }
        return try await facts(name: name, of: inviter)
    }

    /// Whether another user has or had a name, and their uid begins with one of the texts.
    private func another(
        than user: User.ID, had name: Username.Key, withUIDFrom beginnings: (String, String)
    ) async throws -> Bool {
        let owners = try await db.landings.query(
            "SELECT user_id FROM usernames WHERE name_key = \(name) AND user_id <> \(user)"
        ) { try $0.next(as: UUID.self) }
        let others = try await db.landings.query(
            "SELECT user_id FROM username_periods WHERE name_key = \(name) AND valid_to IS NOT NULL AND user_id <> \(user) LIMIT 1000"
        ) { try $0.next(as: UUID.self) }
        guard !owners.isEmpty || !others.isEmpty else { return false }
        return try await db.landings.first(
            """
            SELECT true FROM users WHERE id = ANY(\(owners + others))
              AND (starts_with(uid, \(beginnings.0)) OR starts_with(uid, \(beginnings.1))) LIMIT 1
            """
        ) { try $0.next() } ?? false
    }

    /// Returns the active user for whom the name is held, unless they severed it.
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
        return try await facts(name: name, of: inviter)
    }

    private func facts(name: Username.Key, of inviter: LinkFacts.Inviter) async throws -> LinkFacts {
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

    private func owner(of name: Username.Key) async throws -> (profile: User.Profile, inviting: InviteMode)? {
        try await db.landings.first(
            """
            SELECT \(profile), \(Self.inviting)
            FROM user_of_name(\(name)) WHERE \(UserStore.isVisible(""))
            """
        ) { try (User.Profile(row: &$0), InviteMode(stored: $0.next())) }
    }
}
