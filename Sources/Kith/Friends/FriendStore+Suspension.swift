import Postgres

/// What becomes of the relationships of a user whose account is suspended, returns or is deleted. The
/// user's own row is locked before.
///
/// How many block a user or ask them has no bound. So only those rows are read and written that have one: of whom the
/// user wants, blocks or declined, and of what ended.
extension FriendStore {
    /// Hides the user from those whom they want, or shows them again: nobody else sees more of them than their
    /// account, whose status says the rest. Nothing is lost, and on return all is as it was, but for what the others
    /// did meanwhile: one who asked a friend who was away is their friend again, and no longer asks.
    ///
    /// For the others it is a change where there was something to be seen: they are not to learn of a block or a
    /// declined request.
    static func setAway(_ user: User.ID, isAway: Bool) -> Statement {
        """
        WITH mine AS MATERIALIZED (
            \(friends(of: user))
            UNION ALL
            SELECT other_id FROM relationships WHERE user_id = \(user) AND asked_at IS NOT NULL AND since IS NULL),
        theirs AS MATERIALIZED (
            SELECT r.user_id FROM mine JOIN relationships r ON r.user_id = mine.other_id AND r.other_id = \(user)
            ORDER BY r.user_id FOR NO KEY UPDATE OF r)
        UPDATE relationships r
        SET they_away = \(isAway),
            asked_at = CASE WHEN \(isAway) OR r.since IS NULL THEN r.asked_at END,
            changed_in = CASE WHEN r.since IS NOT NULL OR r.heard_at IS NOT NULL THEN pg_current_xact_id()
                              ELSE r.changed_in END
        FROM theirs
        WHERE r.user_id = theirs.user_id AND r.other_id = \(user) AND r.they_want AND r.they_away <> \(isAway)
        """
    }

    /// Ends all that the user wished, blocked or declined. What others wish or block stays theirs, as it would
    /// towards one who never was there; of the user's own rows those stay that mirror it.
    ///
    /// The last statement gives the others of all pairs it looked at.
    static func delete(_ user: User.ID, _ limits: FriendLimits) -> [Statement] {
        [
            lockPairs(of: user),
            """
            UPDATE relationships r
            \(transition(touchedAt: "now()", names: "NULL, NULL", from: after(nil, false, limits)))
            WHERE r.user_id = ANY(\(pairs)) AND r.other_id = \(user)
              AND (r.they_want OR r.they_block)
            """,
            """
            UPDATE relationships r
            \(transition(
                touchedAt: "now()", names: "NULL, NULL", declines: "NULL::timestamptz, 0::smallint",
                from: after(false, nil, limits)))
            WHERE r.user_id = \(user) AND r.other_id = ANY(\(pairs))
              AND (r.i_want OR r.i_block OR r.declines > 0)
            """,
            // What nobody is to be told of any more; a phone that was, still finds the end of it.
            """
            DELETE FROM relationships
            WHERE user_id = ANY(\(pairs)) AND other_id = \(user)
              AND NOT (i_want OR they_want OR i_block OR they_block) AND changed_in = '0'::xid8
            """,
            """
            DELETE FROM relationships
            WHERE user_id = \(user) AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block
            """,
            "DELETE FROM dismissals WHERE user_id = \(user)",
            "SELECT unnest(\(pairs))",
        ]
    }

    /// What follows if one side of a pair neither wants nor blocks any more; nil: it stays as it is.
    private static func after(_ mine: Bool?, _ theirs: Bool?, _ limits: FriendLimits) -> Statement {
        """
        relationship_after(r, \(mine), \(mine), \(theirs), \(theirs), now(), pg_current_xact_id(), \(limits.quietDays)) a
        """
    }

    /// The others of the pairs that `lockPairs` locked.
    private static let pairs: Statement = "string_to_array(current_setting('kith.pairs'), ',')::uuid[]"

    /// Locks both rows of each pair that the user has a part in, in one order, so that two accounts that change at
    /// the same instant do not wait for each other; and notes whom.
    private static func lockPairs(of user: User.ID) -> Statement {
        """
        WITH mine AS MATERIALIZED (
            \(friends(of: user))
            UNION SELECT other_id FROM relationships WHERE user_id = \(user) AND asked_at IS NOT NULL
            UNION SELECT other_id FROM relationships WHERE user_id = \(user) AND blocked_at IS NOT NULL
            UNION SELECT other_id FROM relationships WHERE user_id = \(user) AND declines > 0
            UNION SELECT other_id FROM relationships
                  WHERE user_id = \(user) AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block),
        pairs AS MATERIALIZED (
            SELECT \(user)::uuid AS user_id, other_id FROM mine
            UNION ALL SELECT other_id, \(user)::uuid FROM mine),
        locked AS MATERIALIZED (
            SELECT FROM pairs JOIN relationships r ON r.user_id = pairs.user_id AND r.other_id = pairs.other_id
            ORDER BY r.user_id, r.other_id FOR NO KEY UPDATE OF r)
        SELECT set_config('kith.pairs', (SELECT coalesce(string_agg(other_id::text, ','), '') FROM mine), true)
        FROM (SELECT count(*) FROM locked) counted
        """
    }
}
