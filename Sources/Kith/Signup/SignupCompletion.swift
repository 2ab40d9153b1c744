import Postgres

/// How a sign-up is completed: the table "Sign-up and invite" in ARCHITECTURE.md.
struct SignupCompletion: Sendable {
    var store: SignupStore
    var proof: InviteProof

    /// The receipt, and whether it was written just now; a replay writes nothing. Throws a `SignupError`.
    func complete(_ signup: Signup) async throws -> (SignupReceipt, isNew: Bool) {
        do {
            return (try await write(signup), true)
        } catch let error as PostgresError where error.isUniqueViolation && error.statementIndex == SignupStore.userStatement {
            guard let before = try await store.receipt(of: signup.userID, name: signup.username.key) else {
                throw SignupError.alreadySignedUp
            }
            return (before, false)
        } catch let error as PostgresError where error.unmet == "username_taken" {
            throw SignupError.usernameTaken
        }
    }

    /// A link with name and uid is written at once and proven by the same transaction. Whatever else an
    /// invite says is looked up first, also where that proof failed; an invite that is none is ignored.
    private func write(_ signup: Signup) async throws -> SignupReceipt {
        guard let reference = signup.invite else { return try await store.write(signup, nil, ignoring: nil) }
        do {
            if case .name(let name, let uid?) = reference, uid != signup.uid {
                let invitation = SignupInvitation(inviter: uid, name: name, friendship: .auto)
                do {
                    return try await store.write(signup, invitation, ignoring: nil)
                } catch let error as PostgresError where error.unmet == "invite_unproven" {}
            }
            return try await store.write(signup, invitation(reference, signup), ignoring: nil)
        } catch let refusal as InviteRefusal {
            return try await store.write(signup, nil, ignoring: refusal)
        } catch let error as PostgresError {
            let refusal = try await refusal(reference, error)
            return try await store.write(signup, nil, ignoring: refusal)
        }
    }

    private func invitation(_ reference: InviteReference, _ signup: Signup) async throws -> SignupInvitation {
        let invite = try await proof.prove(reference)
        guard invite.inviterUID != signup.uid else { throw InviteRefusal.selfInvite }
        return SignupInvitation(inviter: invite.inviterUID, code: invite.code, friendship: invite.friendship)
    }

    /// Why an invite that looked good when it was read could not be written.
    private func refusal(_ reference: InviteReference, _ error: PostgresError) async throws -> InviteRefusal {
        switch error.unmet {
        case "limit_reached": return .limitReached
        case "invite_unproven": return .notFound
        case "link_unusable":
            do {
                _ = try await proof.prove(reference)
                return .exhausted
            } catch let refusal as InviteRefusal {
                return refusal
            }
        default: throw error
        }
    }
}
