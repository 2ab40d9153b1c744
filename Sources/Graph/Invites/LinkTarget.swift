package import Kernel
import Web

/// Where a link `/users/{username}?invitedBy={uid}` leads. A pure function decides it, with a case for each
/// row of the table in docs/rules.md.
package enum LinkTarget: Equatable, Sendable {
    case page(User.Profile, Invitation)
    /// The link leads to the same link with the user's current name. The whole query is kept.
    case redirect(User.Profile)
    case notFound

    /// The invite on a user's page.
    package enum Invitation: Equatable, Sendable {
        /// Name and uid belong together: signing up makes friends.
        case friends
        /// Name and uid belong together, and the user or the operator wants to be asked: signing up leaves a
        /// request.
        case request
        /// There is only a name, which may have changed hands: signing up leaves a request.
        case nameOnly
        case none
    }
}

/// What the database knows about a link.
package struct LinkFacts: Equatable, Sendable {
    /// The user whose uid the link carries.
    package var inviter: Inviter?
    /// Whether anybody has or had the name. It matters only with an inviter.
    var nameIsKnown = false
    /// The active user who has the name now. They matter only without an inviter.
    package var owner: User.Profile?
    /// What the invites of the owner, or the holder, may do.
    var ownerInviting = InviteMode.auto
    /// The active user for whom the name is held, if such names lead on. They matter only without an owner.
    var holder: User.Profile?

    package struct Inviter: Equatable, Sendable {
        var profile: User.Profile
        var isActive = true
        /// Whether all earlier names are known, which may be false for an imported user.
        package var historyIsComplete = true
        /// Whether the user had the name in the link and did not sever it.
        var hadName = false
        /// Whether the user had the name in the link and severed it.
        var severedName = false
        /// What the user's invites by name may do. They are off if an operator froze them.
        var inviting = InviteMode.auto
        /// How many friends the user has. Nil if they were not counted.
        var friends: Int?

        var invitation: LinkTarget.Invitation {
            switch inviting {
            case .auto: .friends
            case .ask: .request
            case .off: .none
            }
        }
    }
}

/// A decision, with the number of the row that made it.
package struct Decision: Equatable, Sendable {
    package var row: Int
    package var landing: LinkTarget
}

extension LinkTarget {
    /// Decides where the link leads. The first match wins.
    /// - Parameters:
    ///   - name: the name in the link, folded.
    ///   - spelling: the name as written in the link. Nil if spelling does not matter.
    ///   - hasUID: whether the link has a uid, valid or not.
    static func decide(name: Username.Key, spelling: String?, hasUID: Bool, facts: LinkFacts) -> Decision {
        if let inviter = facts.inviter {
            return decide(name: name, spelling: spelling, inviter: inviter, nameIsKnown: facts.nameIsKnown)
        }
        if facts.owner == nil, !hasUID, let holder = facts.holder {
            return Decision(row: 8, landing: .redirect(holder))
        }
        guard let owner = facts.owner else { return Decision(row: 9, landing: .notFound) }
        return hasUID
            ? Decision(row: 7, landing: .page(owner, .none))
            : Decision(row: 8, landing: .page(owner, facts.ownerInviting == .off ? .none : .nameOnly))
    }

    private static func decide(
        name: Username.Key, spelling: String?, inviter: LinkFacts.Inviter, nameIsKnown: Bool
    ) -> Decision {
        let profile = inviter.profile
        guard inviter.isActive else { return Decision(row: 6, landing: .notFound) }
        if Username.Key(of: profile.username) == name {
            let isCanonical = spelling.map { $0 == PercentEncoding.encode(profile.username) } ?? true
            let page = LinkTarget.page(profile, inviter.invitation)
            return Decision(row: 1, landing: isCanonical ? page : .redirect(profile))
        }
        if inviter.hadName { return Decision(row: 2, landing: .redirect(profile)) }
        if inviter.severedName { return Decision(row: 3, landing: .notFound) }
        if nameIsKnown { return Decision(row: 4, landing: .notFound) }
        return Decision(row: 5, landing: inviter.historyIsComplete ? .notFound : .redirect(profile))
    }
}
