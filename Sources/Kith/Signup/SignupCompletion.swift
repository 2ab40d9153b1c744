/// How a sign-up is completed: the table "Sign-up and invite" in docs/rules.md.
struct SignupCompletion: Sendable {
    var store: SignupStore
    var proof: InviteProof

    /// The receipt, and whether it was written just now; a replay writes nothing. Throws a
    /// `SignupError`: `usernameTaken`, `alreadySignedUp`, `suspended` or `deleted`.
    func complete(_ signup: Signup) async throws -> (SignupReceipt, isNew: Bool) {
        do {
            return (try await write(signup), true)
        } catch SignupError.alreadySignedUp {
            guard let before = try await store.receipt(of: signup.userID, name: signup.username.key) else {
                throw SignupError.alreadySignedUp
            }
            return (before, false)
        }
    }

    /// A link with name and uid is written at once and proven by the same transaction. Whatever else an
    /// invite says is looked up first, also where that proof failed; an invite that is none is ignored.
    private func write(_ signup: Signup) async throws -> SignupReceipt {
        guard let reference = signup.invite else { return try await store.write(signup, nil, ignoring: nil) }
        do {
            if case .name(let name, let uid?) = reference {
                guard uid != signup.uid else { throw InviteError.selfInvite }
                let invitation = SignupInvitation(inviter: uid, name: (name, .forwards), friendship: .auto)
                do {
                    return try await write(signup, by: invitation)
                } catch SignupError.invite(.unproven) {
                    // Perhaps one that only the whole table of rules can judge.
                }
            }
            return try await write(signup, by: invitation(reference, signup))
        } catch let refusal as InviteError {
            return try await store.write(signup, nil, ignoring: refusal)
        } catch let refusal as SignupError {
            let reason = try await reason(for: refusal, reference)
            return try await store.write(signup, nil, ignoring: reason)
        }
    }

    /// One whom the inviter blocks leaves a request, which the inviter never sees.
    private func write(_ signup: Signup, by invitation: SignupInvitation) async throws -> SignupReceipt {
        do {
            return try await store.write(signup, invitation, ignoring: nil)
        } catch SignupError.invite(.unwelcome) {
            var asking = invitation
            asking.friendship = .ask
            return try await store.write(signup, asking, ignoring: nil)
        }
    }

    private func invitation(_ reference: InviteReference, _ signup: Signup) async throws -> SignupInvitation {
        let invite = try await proof.prove(reference)
        return SignupInvitation(
            inviter: invite.inviterUID, name: invite.name, code: invite.code, friendship: invite.friendship)
    }

    /// Why an invite that looked good when it was read could not be written.
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
