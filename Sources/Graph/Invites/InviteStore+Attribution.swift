package import Kernel
package import Postgres

/// Whose invite brought a user.
package extension InviteStore {
    /// Attributes a new user to their inviter.
    static func attribute(_ invitee: User.ID, to inviter: User.ID, code: Invite.Code?) -> Statement {
        """
        INSERT INTO acceptances (invitee_id, inviter_id, code)
        VALUES (\(invitee), \(inviter), \(code?.text))
        """
    }

    /// Returns the `WITH` queries `came` and `absent`. `absent` has a row if the user's inviter may not be
    /// seen. It holds the answer to a sign-up by nobody's link, such as the deletion of an account leaves, so
    /// that a suspension looks like a deletion.
    static func absentInviter(of user: User.ID) -> Statement {
        """
        came AS MATERIALIZED (SELECT invitee_id, inviter_id FROM acceptances WHERE invitee_id = \(user)),
        absent AS MATERIALIZED (
            SELECT came.invitee_id AS user_id, 'ignored' AS outcome, 'not_found' AS reason, 'none' AS result
            FROM came JOIN users u ON u.id = came.inviter_id WHERE NOT \(UserStore.isVisible()))
        """
    }
}
