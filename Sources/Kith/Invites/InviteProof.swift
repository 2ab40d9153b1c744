import Foundation

/// Proves an invite: finds the inviter, if any, by the rules of the landing page.
struct InviteProof: Sendable {
    var invites: InviteStore
    var landings: LinkFactsStore

    /// Throws an `InviteError` if it leads to nobody.
    func prove(_ reference: InviteReference) async throws -> ProvenInvite {
        switch reference {
        case .code(let code, let owner): try await prove(code, of: owner)
        case .name(let name, let uid): try await prove(name, uid)
        case .unrecognised: throw InviteError.notFound
        }
    }

    private func prove(_ code: Invite.Code, of owner: User.UID?) async throws -> ProvenInvite {
        let invite = try await invites.proven(code)
        guard invite.isInvite, owner == nil || owner == invite.inviterUID else {
            throw InviteError.notFound
        }
        return invite
    }

    private func prove(_ name: Username.Key, _ uid: User.UID?) async throws -> ProvenInvite {
        let facts = try await landings.facts(name: name, inviter: uid.map(User.ID.init(of:)))
        let ruling = LinkTarget.decide(name: name, spelling: nil, hasUID: uid != nil, facts: facts)
        switch ruling.landing {
        case .page(_, .none), .notFound: throw InviteError.notFound
        case .page(let inviter, .nameOnly):
            return ProvenInvite(
                inviter: inviter, proof: .nameOnly, friendship: .ask, name: (name, .current))
        case .page(let inviter, let invitation):
            return ProvenInvite(
                inviter: inviter, proof: .current, friendship: invitation == .friends ? .auto : .ask,
                name: (name, .forwards))
        case .redirect(let inviter):
            guard let facts = facts.inviter, facts.inviting != .off else { throw InviteError.notFound }
            return ProvenInvite(
                inviter: inviter, proof: .past, friendship: facts.inviting == .auto ? .auto : .ask,
                name: (name, facts.hadName ? .forwards : .unsevered))
        }
    }
}
