import Kernel
import Web

/// Accepts an invite for a user who already has an account. They are never attributed: only the invite at
/// sign-up counts.
package struct InviteAcceptance: Sendable {
    package var proof: InviteProof
    package var friends: FriendStore
    package var limits: FriendLimits

    package init(proof: InviteProof, friends: FriendStore, limits: FriendLimits) {
        self.proof = proof
        self.friends = friends
        self.limits = limits
    }

    /// Accepts an invite. A code makes friends. Only a request is left by name and uid, if the link asks, or
    /// if its owner blocks or declined the caller. A second call returns the same and writes nothing. Throws
    /// an `InviteError`, a `FriendError`, or `AccountError.inactive`.
    func accept(_ reference: InviteReference, by uid: User.UID, from address: ClientAddress?) async throws
        -> (
            ProvenInvite, Relationship
        )
    {
        var (invite, before): (ProvenInvite, RelationshipRow)
        do {
            (invite, before) = try await find(reference, by: uid, from: address)
        } catch let refusal as InviteError {
            return try await standing(reference, by: uid, refusal)
        }
        if before.iBlock { throw InviteError.unblockFirst }
        invite.friendship = invite.friendshipForMembers
        do {
            return try await (invite, proof.invites.accept(invite, by: uid, limits).relationship)
        } catch InviteError.notFound {
            // The invite was valid when it was read. Find out what is wrong with it now.
            _ = try await proof.prove(reference)
            throw InviteError.notFound
        }
    }

    /// Returns what accepting would make of the caller, as far as they may know: whether the inviter parted
    /// from them, declined or blocks them is not told. It changes nothing. Throws an `InviteError`.
    func outlook(
        _ reference: InviteReference, for uid: User.UID, hasAccount: Bool, from address: ClientAddress?
    ) async throws -> (ProvenInvite, Relationship, InviteResult) {
        let (invite, row): (ProvenInvite, RelationshipRow)
        do {
            (invite, row) = try await find(reference, by: uid, from: address)
        } catch let refusal as InviteError {
            let (invite, relationship) = try await standing(reference, by: uid, refusal)
            return (invite, relationship, InviteResult(relationship))
        }
        let result: InviteResult =
            switch row.relationship {
            case .friends: .friends
            case .incoming: hasAccount || !invite.isLikely ? .friends : .incoming
            case .none, .outgoing, .blocked:
                hasAccount ? InviteResult(invite.friendshipForMembers) : invite.friendshipForNewcomers
            }
        return (invite, row.relationship, result)
    }

    /// Returns the relationship to the owner of a dead link, for a user who used the link or is their friend.
    /// So a user who lost the first answer may repeat the call. For all others it throws the refusal.
    private func standing(
        _ reference: InviteReference, by uid: User.UID, _ refusal: InviteError
    ) async throws -> (ProvenInvite, Relationship) {
        let user = User.ID(of: uid)
        guard [.expired, .exhausted, .revoked].contains(refusal), let code = reference.code,
            let inviter = try await proof.invites.owner(of: code)
        else { throw refusal }
        let invite = ProvenInvite(inviter: inviter, proof: .code, friendship: .auto, code: code)
        let row = try await friends.relationship(of: user, to: invite.inviterID)
        if row.since == nil, try await !proof.invites.isUsed(code, by: user) { throw refusal }
        if row.iBlock { throw InviteError.unblockFirst }
        return (invite, row.relationship)
    }

    /// Finds the inviter, and the caller's relationship to them. An inviter who blocks the caller looks like
    /// one who has not answered. Throws an `InviteError`.
    private func find(_ reference: InviteReference, by uid: User.UID, from address: ClientAddress?)
        async throws -> (
            ProvenInvite, RelationshipRow
        )
    {
        let invite = try await proof.prove(reference, from: address)
        guard invite.inviter.uid != uid else { throw InviteError.selfInvite }
        let row = try await friends.relationship(of: User.ID(of: uid), to: invite.inviterID)
        return (invite, row)
    }
}
