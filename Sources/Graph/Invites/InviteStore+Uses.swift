package import Kernel
package import Postgres

/// How an invite is used, by accepting it or at sign-up, in the transaction of its user.
extension InviteStore {
    /// Like `UserStore.lockActive`, for an inviter. Ends the batch with `unproven` if their invites do
    /// nothing, and with `unwelcome` if this one would make friends and they want to be asked.
    package static func lockInviter(_ id: User.ID, toMake friendship: Invite.Mode) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT \(UserStore.inviting("")) AS invites FROM users WHERE id = \(id) AND status = 'active' FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT 1 FROM locked WHERE invites <> 'off'), \(InviteOutcome.unproven)),
               require(\(friendship == .ask) OR EXISTS (SELECT 1 FROM locked WHERE invites = 'auto'),
                       \(InviteOutcome.unwelcome))
        """
    }

    /// Counts a use of a link, once for each user. Ends the batch with `link_unusable` if the link is dead or
    /// no use is left, or with `unwelcome` if it would make friends but asks by now. A link is never used
    /// more often than it allows. This runs under the lock on its owner, which a change of the link takes
    /// too.
    package static func use(_ code: Invite.Code, by user: User.ID, toMake friendship: Invite.Mode)
        -> Statement
    {
        """
        WITH used AS (
            INSERT INTO invite_uses (code, user_id) VALUES (\(code), \(user))
            ON CONFLICT DO NOTHING RETURNING 1),
        counted AS (
            UPDATE invites SET uses = uses + 1
            WHERE code = \(code) AND EXISTS (SELECT FROM used) AND revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > now()) AND (max_uses IS NULL OR uses < max_uses)
            RETURNING 1),
        alive AS (
            SELECT mode FROM invites
            WHERE code = \(code) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))
        SELECT require(EXISTS (SELECT 1 FROM alive) AND (EXISTS (SELECT FROM counted) OR NOT EXISTS (SELECT FROM used)),
                       \(InviteOutcome.linkUnusable)),
               require(\(friendship == .ask) OR EXISTS (SELECT 1 FROM alive WHERE mode = 'auto'),
                       \(InviteOutcome.unwelcome))
        """
    }
}
