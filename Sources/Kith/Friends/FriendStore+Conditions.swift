import Postgres

/// Fragments of SQL on rows of `relationships` that several statements share.
extension FriendStore {
    /// Whether the row is that of a visible friend: a suspended one stays a friend, but is hidden.
    /// - Parameter r: the row's alias in the statement, with a dot.
    static func isVisibleFriend(_ r: Statement = "") -> Statement {
        "\(r)since IS NOT NULL AND NOT \(r)they_away"
    }

    /// The `other_id` of all friends, including suspended ones: two ranges of one index.
    static func friends(of user: User.ID) -> Statement {
        """
        SELECT other_id FROM relationships WHERE user_id = \(user) AND \(isVisibleFriend())
        UNION ALL SELECT other_id FROM relationships WHERE user_id = \(user) AND since IS NOT NULL AND they_away
        """
    }

    /// The number of friends, including suspended ones.
    static func friendCount(of user: User.ID) -> Statement {
        """
        (SELECT count(*) FROM relationships WHERE user_id = \(user) AND \(isVisibleFriend()))
        + (SELECT count(*) FROM relationships WHERE user_id = \(user) AND since IS NOT NULL AND they_away)
        """
    }

    /// The SET clause of an UPDATE of the row `r` to the result of `relationship_after`, `a` in `source`. `they_away` is true
    /// only if the other side wants.
    /// - Parameters:
    ///   - touchedAt: the time of the change.
    ///   - names: the other user's username and display name, two columns.
    ///   - declines: until when their requests are hidden, and how often they were declined, two columns.
    static func transition(
        touchedAt: Statement, names: Statement, declines: Statement = "a.quiet_until, a.declines",
        from source: Statement
    ) -> Statement {
        """
        SET (i_want, they_want, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at,
             quiet_until, declines, touched_at, changed_in, other_username, other_display_name) = (
            SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.they_away AND a.they_want,
                   a.since, a.asked_at, a.heard_at, a.blocked_at,
                   \(declines), \(touchedAt), a.changed_in, \(names)
            FROM \(source))
        """
    }
}
