import Foundation
import Postgres

/// How one who already has an account accepts an invite. He is never attributed: the first invite, at
/// sign-up, is the one that counts.
struct InviteAcceptance: Sendable {
    var db: Database
    var proof: InviteProof
    var friends: FriendStore
    var limits: FriendLimits

    /// Friends, or a request where the link asks; the second call gives the same and writes nothing.
    /// Throws an `InviteRefusal`.
    func accept(_ reference: InviteReference, by uid: User.UID) async throws -> (ProvenInvite, Relationship) {
        let (invite, before) = try await find(reference, by: uid)
        if before.iBlock { throw InviteRefusal.unblockFirst }
        do {
            return try await (invite, connect(invite, uid))
        } catch let error as PostgresError where error.unmet != nil {
            if error.unmet == "limit_reached" { throw InviteRefusal.limitReached }
            _ = try await proof.prove(reference)
            throw InviteRefusal.notFound
        }
    }

    /// Who invites, and how he and the caller stand to each other. Throws an `InviteRefusal`, the same
    /// for one who blocks the caller as for nobody.
    func find(_ reference: InviteReference, by uid: User.UID) async throws -> (ProvenInvite, RelationshipRow) {
        let invite = try await proof.prove(reference)
        guard invite.inviterUID != uid else { throw InviteRefusal.selfInvite }
        let row = try await friends.relationship(of: User.ID(of: uid), to: invite.inviterID)
        guard !row.theyBlock else { throw InviteRefusal.notFound }
        return (invite, row)
    }

    private func connect(_ invite: ProvenInvite, _ uid: User.UID) async throws -> Relationship {
        let (me, inviter) = (User.ID(of: uid), invite.inviterID)
        let isAuto = invite.friendship == .auto
        var statements = [min(me, inviter), max(me, inviter)].map {
            UserStore.lockActive($0, else: $0 == inviter ? "invite_unproven" : "not_signed_up")
        }
        if isAuto {
            statements += [
                FriendStore.requireRoom(for: me, besides: inviter, limit: limits.friends),
                FriendStore.requireRoom(for: inviter, besides: me, limit: limits.friends),
            ]
        }
        if let code = invite.code { statements.append(InviteStore.use(code, by: me, uid)) }
        statements += FriendStore.connect(
            .init(id: me, uid: uid, wants: true), .init(id: inviter, uid: invite.inviterUID, wants: isAuto))
        statements.append(FriendStore.row(of: me, to: inviter))
        let results = try await db.write.batch(statements)
        return try results.last?.first(RelationshipRow.init(row:))?.relationship ?? .none
    }
}
