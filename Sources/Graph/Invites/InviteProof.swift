import Foundation
import Kernel
package import Web

/// Proves an invite: finds the inviter, if any, by the rules of the landing page.
package struct InviteProof: Sendable {
    package var invites: InviteStore
    package var landings: LinkFactsStore
    package var claims: any ClaimedInvites
    package var guesses = CodeGuesses(limiter: nil)

    package init(
        invites: InviteStore, landings: LinkFactsStore, claims: any ClaimedInvites,
        guesses: CodeGuesses = CodeGuesses(limiter: nil)
    ) {
        self.invites = invites
        self.landings = landings
        self.claims = claims
        self.guesses = guesses
    }

    /// Proves an invite. Throws an `InviteError` if it leads to nobody, or no longer does.
    /// - Parameter address: the address for which a code that nobody has is counted.
    package func prove(_ reference: InviteReference, from address: ClientAddress? = nil) async throws
        -> ProvenInvite
    {
        switch reference {
        case .code(let code):
            guard let link = try await find(code, from: address) else { throw InviteError.notFound }
            return try link.usable
        case .link(let code, let name, let uid):
            // A link with somebody else's name leads nowhere, whatever its code.
            let named = try await prove(name, uid)
            guard let link = try await find(code, from: address),
                link.invite.inviter.uid == named.inviter.uid
            else { return named }
            return try link.usable
        case .name(let name, let uid): return try await prove(name, uid)
        case .claim(let claim):
            guard let claimed = try await claims.find(claim) else { throw InviteError.notFound }
            var invite = try await prove(claimed)
            invite.claim = claim
            return invite
        case .unrecognised: throw InviteError.notFound
        }
    }

    /// Proves a claimed invite. It counts as much as its link does now. If the link's name changed hands
    /// since, it leads nowhere.
    package func prove(_ claimed: ClaimedInvite) async throws -> ProvenInvite {
        var invite = try await prove(claimed.reference)
        guard invite.inviterID == claimed.inviter else { throw InviteError.notFound }
        invite.isLikely = claimed.confidence == .likely
        (invite.unit, invite.visit) = (claimed.unit, claimed.visit)
        return invite
    }

    /// Returns the link of a code, even if it is dead. Nil if nobody has the code, or its owner may not be
    /// seen.
    package func find(_ code: Invite.Code, from address: ClientAddress?) async throws -> FoundLink? {
        try await guesses.lookingUp(code.text, from: address) { try await invites.find(code) }
    }

    private func prove(_ name: Username.Key, _ uid: User.UID?) async throws -> ProvenInvite {
        let (name, facts, decision) = try await landings.decision(
            name: name, spelling: nil, inviter: uid, hasUID: uid != nil)
        switch decision.target {
        case .page(_, .none), .notFound: throw InviteError.notFound
        case .page(let inviter, .nameOnly):
            return ProvenInvite(
                inviter: inviter, proof: .nameOnly, friendship: .ask, name: (name, .current))
        case .page(let inviter, let invitation):
            return ProvenInvite(
                inviter: inviter, proof: .current, friendship: invitation == .friends ? .auto : .ask,
                name: (name, .forwards))
        case .redirect(let holder) where facts.inviter == nil:
            guard facts.ownerInviting != .off else { throw InviteError.notFound }
            return ProvenInvite(
                inviter: holder, proof: .nameOnly, friendship: .ask, name: (name, .forwards))
        case .redirect(let inviter):
            guard let facts = facts.inviter, facts.inviting != .off else { throw InviteError.notFound }
            return ProvenInvite(
                inviter: inviter, proof: .past, friendship: facts.inviting == .auto ? .auto : .ask,
                name: (name, facts.hadName ? .forwards : .unsevered))
        }
    }
}
