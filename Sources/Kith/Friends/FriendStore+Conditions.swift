import Postgres

/// What several statements say of rows of `relationships`.
extension FriendStore {
    /// The row is of a friend who shows: one who is suspended stays a friend and is hidden.
    /// - Parameter r: the name of the row in the statement, with a point.
    static func isVisibleFriend(_ r: Statement = "") -> Statement {
        "\(r)since IS NOT NULL AND NOT \(r)they_away"
    }

    /// The `other_id` of all friends, the suspended too: two ranges of one index.
    static func friends(of user: User.ID) -> Statement {
        """
        SELECT other_id FROM relationships WHERE user_id = \(user) AND \(isVisibleFriend())
        UNION ALL SELECT other_id FROM relationships WHERE user_id = \(user) AND since IS NOT NULL AND they_away
        """
    }

    /// How many friends there are, the suspended too.
    static func friendCount(of user: User.ID) -> Statement {
        """
        (SELECT count(*) FROM relationships WHERE user_id = \(user) AND \(isVisibleFriend()))
        + (SELECT count(*) FROM relationships WHERE user_id = \(user) AND since IS NOT NULL AND they_away)
        """
    }

    /// What an UPDATE of the row `r` sets it to: the answer of `relationship_after`, `a` in `source`. Nobody is away
    /// who wants nothing.
    /// - Parameters:
    ///   - touchedAt: when.
    ///   - names: the other one's username and display name, two columns.
    ///   - declines: until when their requests are not shown, and how often they were declined.
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
