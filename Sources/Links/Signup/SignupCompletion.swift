import Counts
package import Graph
import Kernel
import Visits

/// Completes sign-ups by the table "Sign-up and invite" in docs/rules.md.
package struct SignupCompletion: Sendable {
    package var store: SignupStore
    package var proof: InviteProof

    package init(store: SignupStore, proof: InviteProof) {
        self.store = store
        self.proof = proof
    }

    /// Completes a sign-up. Returns the receipt, and whether this call wrote it. A replay writes nothing.
    /// Throws a `SignupError`: `usernameTaken`, `alreadySignedUp`, `suspended` or `deleted`.
    package func complete(_ signup: Signup) async throws -> (SignupReceipt, isNew: Bool) {
        do {
            return (try await write(signup), true)
        } catch SignupError.alreadySignedUp {
            guard let before = try await receipt(of: signup) else { throw SignupError.alreadySignedUp }
            return (before, false)
        }
    }

    /// Returns the receipt of the same sign-up before. Nil if there was none with this name.
    func receipt(of signup: Signup) async throws -> SignupReceipt? {
        try await store.receipt(of: signup.userID, name: signup.username.key)
    }

    /// Writes a sign-up by a link with name and uid at once, and proves the invite in the same transaction.
    /// Any other invite, or one that this did not prove, is looked up first. An invalid one is ignored.
    private func write(_ signup: Signup) async throws -> SignupReceipt {
        guard let reference = signup.invite else { return try await store.write(signup, nil, ignoring: nil) }
        do {
            if case .name(let name, let uid?) = reference {
                guard uid != signup.uid else { throw InviteError.selfInvite }
                let invitation = SignupInvitation(
                    inviter: uid, name: (name, .forwards), friendship: proof.landings.byName)
                do {
                    return try await write(signup, by: invitation)
                } catch SignupError.invite(.unproven) {
                    // The whole table of rules may still prove it.
                }
            }
            let invite = try await proof.prove(reference)
            var told = signup
            told.origin.campaign =
                told.origin.campaign ?? invite.visit.flatMap { ClickParts.values($0)[.campaign] }
            return try await write(told, by: SignupInvitation(invite))
        } catch let refusal as InviteError {
            return try await store.write(signup, nil, ignoring: refusal)
        } catch let refusal as SignupError {
            let reason = try await reason(for: refusal, reference)
            return try await store.write(signup, nil, ignoring: reason)
        }
    }

    /// Writes a sign-up with an invite. If the inviter blocks or declined the user, only the user's own wish
    /// is left, which the inviter does not see.
    private func write(_ signup: Signup, by invitation: SignupInvitation) async throws -> SignupReceipt {
        do {
            return try await store.write(signup, invitation, ignoring: nil)
        } catch SignupError.invite(.unwelcome) {
            var asking = invitation
            asking.friendship = .ask
            return try await store.write(signup, asking, ignoring: nil)
        }
    }

    /// Returns why an invite that was valid when it was read could not be written.
    private func reason(
        for refusal: SignupError, _ reference: InviteReference
    ) async throws -> InviteError {
        switch refusal {
        case .alreadySignedUp, .suspended, .deleted, .usernameTaken: throw refusal
        case .limitReached: return .limitReached
        case .invite(.unproven), .invite(.unwelcome), .invite(.standing): return .notFound
        case .invite(.linkUnusable):
            do {
                _ = try await proof.prove(reference)
                return .exhausted
            } catch let refusal as InviteError {
                return refusal
            }
        }
    }
}

extension SignupInvitation {
    init(_ invite: ProvenInvite) {
        self.init(
            inviter: invite.inviter.uid, name: invite.name, code: invite.code, claim: invite.claim,
            friendship: invite.friendship, isLikely: invite.isLikely, unit: invite.unit)
    }
}
