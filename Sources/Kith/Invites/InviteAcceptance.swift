/// How one who already has an account accepts an invite. They are never attributed: the first invite, at
/// sign-up, is the one that counts.
struct InviteAcceptance: Sendable {
    var proof: InviteProof
    var friends: FriendStore
    var limits: FriendLimits

    /// Friends by a code; a request by name and uid, if the link asks, or if its owner blocks the caller or
    /// declined them. The second call gives the same and writes nothing.
    /// Throws an `InviteError`, a `FriendError`, or `AccountError.inactive`.
    func accept(_ reference: InviteReference, by uid: User.UID) async throws -> (ProvenInvite, Relationship) {
        var (invite, before): (ProvenInvite, RelationshipRow)
        do {
            (invite, before) = try await find(reference, by: uid)
        } catch let refusal as InviteError {
            return try await standing(reference, by: uid, refusal)
        }
        if before.iBlock { throw InviteError.unblockFirst }
        // Anybody can learn a name and a uid: they say who. Only a code, which its owner hands out, says yes.
        if invite.code == nil { invite.friendship = .ask }
        do {
            return try await (invite, proof.invites.accept(invite, by: uid, limits).relationship)
        } catch InviteError.notFound {
            // It was good when it was read; now it says what became of it.
            _ = try await proof.prove(reference)
            throw InviteError.notFound
        }
    }

    /// What stands with the owner of a dead link, for one who used it or is their friend; to all others it is the
    /// refusal. So who did not get the first answer may ask again.
    private func standing(
        _ reference: InviteReference, by uid: User.UID, _ refusal: InviteError
    ) async throws -> (ProvenInvite, Relationship) {
        let user = User.ID(of: uid)
        guard [.expired, .exhausted, .revoked].contains(refusal), case .code(let code, let owner) = reference,
            let (inviter, isUsed) = try await proof.invites.owner(of: code, usedBy: user),
            owner == nil || owner?.text == inviter.uid
        else { throw refusal }
        let invite = ProvenInvite(inviter: inviter, proof: .code, friendship: .auto, code: code)
        let row = try await friends.relationship(of: user, to: invite.inviterID)
        guard isUsed || row.since != nil else { throw refusal }
        if row.iBlock { throw InviteError.unblockFirst }
        return (invite, row.relationship)
    }

    /// Who invites, and how they and the caller stand to each other: one who blocks the caller invites like one
    /// who does not answer. Throws an `InviteError`.
    func find(_ reference: InviteReference, by uid: User.UID) async throws -> (ProvenInvite, RelationshipRow)
    {
        let invite = try await proof.prove(reference)
        guard invite.inviterUID != uid else { throw InviteError.selfInvite }
        let row = try await friends.relationship(of: User.ID(of: uid), to: invite.inviterID)
        return (invite, row)
    }
}
