/// Who a link `/users/{username}?invitedBy={uid}` leads to: one pure function, with a case for
/// each row of the table in docs/rules.md.
enum LinkTarget: Equatable, Sendable {
    case page(User.Profile, Invitation)
    /// To the same link with the user's current name; the whole query is kept.
    case redirect(User.Profile)
    case notFound

    /// What the page of a user offers.
    enum Invitation: Equatable, Sendable {
        /// Name and uid belong together: accepting makes friends.
        case friends
        /// Only a name, which may have changed hands: accepting leaves a request.
        case request
        case none
    }
}

/// What the database knows about a link.
struct LinkFacts: Equatable, Sendable {
    /// The user whose uid the link carries.
    var inviter: Inviter?
    /// Somebody has or had the name. Matters only where there is an inviter.
    var nameIsKnown = false
    /// The active user who has the name now. Matters only where there is no inviter.
    var owner: User.Profile?
    /// The owner's invites are frozen.
    var ownerIsFrozen = false

    struct Inviter: Equatable, Sendable {
        var profile: User.Profile
        var isActive = true
        /// False for an imported user whose earlier names are not all known.
        var historyIsComplete = true
        /// Had the name in the link, and did not sever it.
        var hadName = false
        /// Had the name in the link, and severed it.
        var severedName = false
        /// An operator froze the invites.
        var isFrozen = false
    }
}

/// A decision, with the number of the row that made it.
struct Decision: Equatable, Sendable {
    var row: Int
    var landing: LinkTarget
}

extension LinkTarget {
    /// First match wins.
    /// - Parameters:
    ///   - name: the name in the link, folded.
    ///   - spelling: the name as it stands in the link; nil where spelling does not matter.
    ///   - hasUID: whether the link carries a uid at all, be it a possible one or not.
    static func decide(name: Username.Key, spelling: String?, hasUID: Bool, facts: LinkFacts) -> Decision {
        if let inviter = facts.inviter {
            return decide(name: name, spelling: spelling, inviter: inviter, nameIsKnown: facts.nameIsKnown)
        }
        guard let owner = facts.owner else { return Decision(row: 9, landing: .notFound) }
        return hasUID
            ? Decision(row: 7, landing: .page(owner, .none))
            : Decision(row: 8, landing: .page(owner, facts.ownerIsFrozen ? .none : .request))
    }

    private static func decide(
        name: Username.Key, spelling: String?, inviter: LinkFacts.Inviter, nameIsKnown: Bool
    ) -> Decision {
        let profile = inviter.profile
        guard inviter.isActive else { return Decision(row: 6, landing: .notFound) }
        if Username.Key(of: profile.username) == name {
            let isCanonical = spelling.map { $0 == PercentEncoding.encode(profile.username) } ?? true
            let invitation: Invitation = inviter.isFrozen ? .none : .friends
            return Decision(row: 1, landing: isCanonical ? .page(profile, invitation) : .redirect(profile))
        }
        if inviter.hadName { return Decision(row: 2, landing: .redirect(profile)) }
        if inviter.severedName { return Decision(row: 3, landing: .notFound) }
        if nameIsKnown { return Decision(row: 4, landing: .notFound) }
        return Decision(row: 5, landing: inviter.historyIsComplete ? .notFound : .redirect(profile))
    }
}
