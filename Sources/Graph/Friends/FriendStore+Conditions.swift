import Kernel
package import Postgres

/// Fragments of SQL on rows of `relationships` that several statements share.
extension FriendStore {
    /// Whether the row is that of a visible friend. A suspended friend stays a friend, but is hidden.
    /// - Parameter r: the row's alias in the statement, with a dot.
    package static func isVisibleFriend(_ r: Statement = "") -> Statement {
        "\(r)since IS NOT NULL AND NOT \(r)they_away"
    }

    /// Returns SQL for the number of visible friends, which is read from one index.
    /// - Parameter user: the user's id, or the column that has it.
    static func visibleFriendCount(of user: Statement) -> Statement {
        "(SELECT count(*) FROM relationships WHERE user_id = \(user) AND \(isVisibleFriend()))"
    }

    /// Returns SQL for the number of friends, including suspended ones.
    static func friendCount(of user: User.ID) -> Statement {
        """
        \(visibleFriendCount(of: "\(user)"))
        + (SELECT count(*) FROM relationships WHERE user_id = \(user) AND since IS NOT NULL AND they_away)
        """
    }
}
