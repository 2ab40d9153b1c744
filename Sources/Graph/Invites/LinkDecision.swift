import Kernel
import Web

/// Where a link leads, and the row of the table in docs/rules.md that says so.
package struct LinkDecision: Equatable, Sendable {
    package var row: Int
    package var target: LinkTarget
}

extension LinkDecision {
    /// Decides where the link leads. The first match wins.
    /// - Parameters:
    ///   - name: the name in the link, folded.
    ///   - spelling: the name as written in the link. Nil if spelling does not matter.
    ///   - hasUID: whether the link has a uid, valid or not.
    static func decide(name: Username.Key, spelling: String?, hasUID: Bool, facts: LinkFacts) -> LinkDecision
    {
        if let inviter = facts.inviter {
            return decide(name: name, spelling: spelling, inviter: inviter, nameIsKnown: facts.nameIsKnown)
        }
        if facts.owner == nil, !hasUID, let holder = facts.holder {
            return LinkDecision(row: 8, target: .redirect(holder))
        }
        guard let owner = facts.owner else { return LinkDecision(row: 9, target: .notFound) }
        return hasUID
            ? LinkDecision(row: 7, target: .page(owner, .none))
            : LinkDecision(row: 8, target: .page(owner, facts.ownerInviting == .off ? .none : .nameOnly))
    }

    private static func decide(
        name: Username.Key, spelling: String?, inviter: LinkFacts.Inviter, nameIsKnown: Bool
    ) -> LinkDecision {
        let profile = inviter.profile
        guard inviter.isActive else { return LinkDecision(row: 6, target: .notFound) }
        if Username.Key(of: profile.username) == name {
            let isCanonical = spelling.map { $0 == PercentEncoding.encode(profile.username) } ?? true
            let page = LinkTarget.page(profile, inviter.invitation)
            return LinkDecision(row: 1, target: isCanonical ? page : .redirect(profile))
        }
        if inviter.hadName { return LinkDecision(row: 2, target: .redirect(profile)) }
        if inviter.severedName { return LinkDecision(row: 3, target: .notFound) }
        if nameIsKnown { return LinkDecision(row: 4, target: .notFound) }
        return LinkDecision(row: 5, target: inviter.historyIsComplete ? .notFound : .redirect(profile))
    }
}
