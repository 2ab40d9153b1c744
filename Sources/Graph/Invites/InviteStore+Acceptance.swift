import Events
import Foundation
import Kernel
import Postgres
import Rollout
import Web

/// Acceptance by a user with an account.
extension InviteStore {
    /// Counts the use of the link and writes both rows of the pair, in one transaction. An unwelcome user
    /// leaves a request. Throws a `FriendError`, `AccountError.inactive`, or `notFound` if the invite has
    /// changed.
    func accept(_ invite: ProvenInvite, by uid: User.UID, _ limits: FriendLimits) async throws
        -> RelationshipRow
    {
        do {
            let results = try await db.write.with(key: invite.inviterID).batch(
                Self.accepting(invite, by: uid, limits))
            return try results.last?.first(RelationshipRow.init(row:)) ?? RelationshipRow()
        } catch let error as PostgresError {
            switch error.outcome(InviteOutcome.self) {
            case .standing:
                return try await FriendStore(db: db).relationship(of: User.ID(of: uid), to: invite.inviterID)
            case .unwelcome:
                var asking = invite
                asking.friendship = .ask
                return try await accept(asking, by: uid, limits)
            case .unproven, .linkUnusable: throw InviteError.notFound
            case nil: throw error.outcome(among: FriendError.self, AccountError.self)
            }
        }
    }

    private static func accepting(
        _ invite: ProvenInvite, by uid: User.UID, _ limits: FriendLimits
    ) -> [Statement] {
        let (me, inviter) = (User.ID(of: uid), invite.inviterID)
        let isAuto = invite.friendship == .auto
        var statements = [
            UserStore.lockActive(me, else: AccountError.inactive),
            lockInviter(inviter, toMake: invite.friendship),
        ]
        if inviter < me { statements.reverse() }
        if let (key, proof) = invite.name {
            statements.append(UsernameStore.require(key, proof, of: inviter, else: InviteOutcome.unproven))
        }
        if invite.code != nil { statements.append(requireNotFriends(me, inviter)) }
        statements += FriendStore.requireRoom(for: me, and: inviter, isMutual: isAuto, limits)
        if let code = invite.code { statements.append(use(code, by: me, toMake: invite.friendship)) }
        statements += FriendStore.write(
            .init(uid: uid, wants: true), .init(uid: invite.inviter.uid, wants: isAuto ? true : nil), limits)
        statements += ExperimentStore.add(isAuto ? [.friend] : [], of: invite.unit)
        statements.append(FriendStore.row(of: me, to: inviter))
        return statements
    }

    /// Ends the batch with `standing` if the two are friends, since there is nothing to do. It runs under the
    /// locks on both users, so that the second of two concurrent calls sees what the first did.
    private static func requireNotFriends(_ user: User.ID, _ inviter: User.ID) -> Statement {
        """
        SELECT require(NOT EXISTS (
            SELECT FROM relationships WHERE user_id = \(user) AND other_id = \(inviter) AND since IS NOT NULL),
            \(InviteOutcome.standing))
        """
    }
}
