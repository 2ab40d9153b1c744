import Kernel
import Postgres

/// Changes the relationships of a user whose names or account change. The caller must have locked the user.
///
/// Any number of users may block or ask a user. So these statements read and write only rows whose number is
/// limited: those of users whom the user wants, blocks or declined, and ended ones.
extension FriendStore {
    /// Copies the user's names and whether they are away into the rows of those whom they want. All others
    /// see only the account's status. Nothing is lost: when a suspended user is restored, everything is as
    /// before, except for what the others did meanwhile.
    ///
    /// For the others it is a change only if there was something to see, so that they do not learn of a block
    /// or a declined request.
    static func copy(_ user: User.ID) -> Statement {
        "SELECT copy_user(\(user))"
    }

    /// Ends everything that the user wished, blocked or declined, as if the account had never existed. The
    /// first statement returns the others' ids. A client that knew a relationship still learns that it ended.
    static func delete(_ user: User.ID, _ limits: FriendLimits) -> [Statement] {
        [
            "SELECT unnest(end_relationships(\(user), \(limits.requests), \(limits.quietDays)))",
            "DELETE FROM dismissals WHERE user_id = \(user)",
        ]
    }
}
