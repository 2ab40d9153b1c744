/// How one who already has an account accepts an invite. He is never attributed: the first invite, at
/// sign-up, is the one that counts.
struct InviteAcceptance: Sendable {
    var proof: InviteProof
    var friends: FriendStore
    var limits: FriendLimits

    /// Friends by a code; a request by name and uid, if the link asks, or if its owner blocks the caller or
    /// declined them. The second call gives the same and writes nothing.
    /// Throws an `InviteRefusal`, a `FriendRefusal`, or `AccountRefusal.inactive`.
    func accept(_ reference: InviteReference, by uid: User.UID) async throws -> (ProvenInvite, Relationship) {
        var (invite, before) = try await find(reference, by: uid)
        if before.iBlock { throw InviteRefusal.unblockFirst }
        // Anybody can learn a name and a uid: they say who. Only a code, which its owner hands out, says yes.
        if invite.code == nil { invite.friendship = .ask }
        do {
            return try await (invite, proof.invites.accept(invite, by: uid, limits).relationship)
        } catch InviteRefusal.notFound {
            // It was good when it was read; now it says what became of it.
            _ = try await proof.prove(reference)
            throw InviteRefusal.notFound
        }
    }

    /// Who invites, and how they and the caller stand to each other: one who blocks the caller invites like one
    /// who does not answer. Throws an `InviteRefusal`.
    func find(_ reference: InviteReference, by uid: User.UID) async throws -> (ProvenInvite, RelationshipRow)
    {
        let invite = try await proof.prove(reference)
        guard invite.inviterUID != uid else { throw InviteRefusal.selfInvite }
        let row = try await friends.relationship(of: User.ID(of: uid), to: invite.inviterID)
        return (invite, row)
    }
}
