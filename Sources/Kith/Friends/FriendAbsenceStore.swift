import Postgres

/// What becomes of the relationships of a user whose account is suspended, returns or is deleted. The
/// row of the user himself is locked before.
extension FriendStore {
    /// Locks all rows of the user's pairs in one order, so that two accounts that change at the same
    /// instant do not wait for each other.
    static func lockAll(of user: User.ID) -> Statement {
        """
        WITH mine AS MATERIALIZED (SELECT other_id FROM relationships WHERE user_id = \(user)),
        pairs AS MATERIALIZED (
            SELECT \(user)::uuid AS user_id, other_id FROM mine
            UNION ALL SELECT other_id, \(user)::uuid FROM mine)
        SELECT FROM pairs JOIN relationships r ON r.user_id = pairs.user_id AND r.other_id = pairs.other_id
        ORDER BY r.user_id, r.other_id FOR NO KEY UPDATE OF r
        """
    }

    /// Nobody sees the user any more, and nothing is lost. For the others it is a change where there was
    /// something to be seen: they are not to learn of a block or a declined request.
    static func hide(_ user: User.ID) -> Statement {
        """
        WITH mine AS MATERIALIZED (SELECT other_id FROM relationships WHERE user_id = \(user))
        UPDATE relationships r
        SET they_away = true, seq = r.seq + 1,
            changed_in = CASE WHEN r.since IS NOT NULL OR r.heard_at IS NOT NULL THEN pg_current_xact_id()
                              ELSE r.changed_in END
        FROM mine WHERE r.user_id = mine.other_id AND r.other_id = \(user) AND NOT r.they_away
        """
    }

    /// All is as it was, but for what the others did meanwhile. One who asked a friend who was away is
    /// his friend again, and no longer asks.
    static func show(_ user: User.ID) -> Statement {
        """
        WITH mine AS MATERIALIZED (SELECT other_id FROM relationships WHERE user_id = \(user))
        UPDATE relationships r
        SET they_away = false, seq = r.seq + 1,
            asked_at = CASE WHEN r.since IS NULL THEN r.asked_at END,
            changed_in = CASE WHEN r.since IS NOT NULL OR r.heard_at IS NOT NULL THEN pg_current_xact_id()
                              ELSE r.changed_in END
        FROM mine WHERE r.user_id = mine.other_id AND r.other_id = \(user) AND r.they_away
        """
    }

    /// Ends all that the user wished or blocked. What others wish or block stays theirs, as it would
    /// towards one who never was there; of the user's own rows those stay that mirror it.
    static func forget(_ user: User.ID, _ limits: FriendLimits) -> [Statement] {
        [
            """
            WITH mine AS MATERIALIZED (SELECT other_id FROM relationships WHERE user_id = \(user))
            UPDATE relationships r
            SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
                 quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
                SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
                       a.quiet_until, a.declines, now(), a.changed_in, r.seq + 1, NULL, NULL
                FROM relationship_after(r, NULL, NULL, false, false, now(), pg_current_xact_id(),
                                        \(limits.quietDays)) a)
            FROM mine WHERE r.user_id = mine.other_id AND r.other_id = \(user)
            """,
            """
            UPDATE relationships r
            SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
                 quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
                SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
                       a.quiet_until, a.declines, now(), a.changed_in, r.seq + 1, NULL, NULL
                FROM relationship_after(r, false, false, NULL, NULL, now(), pg_current_xact_id(),
                                        \(limits.quietDays)) a)
            WHERE r.user_id = \(user)
            """,
            // What nobody is to be told of any more; a phone that was, still finds the end of it.
            """
            WITH mine AS MATERIALIZED (SELECT other_id FROM relationships WHERE user_id = \(user))
            DELETE FROM relationships r USING mine
            WHERE r.user_id = mine.other_id AND r.other_id = \(user)
              AND NOT (r.i_want OR r.they_want OR r.i_block OR r.they_block) AND r.changed_in = '0'::xid8
            """,
            "DELETE FROM relationships WHERE user_id = \(user) AND NOT they_want AND NOT they_block",
            "DELETE FROM dismissals WHERE user_id = \(user)",
        ]
    }
}
