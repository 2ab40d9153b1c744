import Postgres

/// Changes the relationships of a user whose account is suspended, restored or deleted. The caller locks the user before.
///
/// Any number of users may block or ask a user. So these statements read and write only rows whose number is limited: those
/// of users whom the user wants, blocks or declined, and ended ones.
extension FriendStore {
    /// Hides the user from those whom they want, or shows them again; all others see only the account's status. Nothing is
    /// lost, and on return everything is as before, except for what the others did meanwhile: one who asked a suspended
    /// friend is their friend again, and no longer asks.
    ///
    /// For the others it is a change only if there was something to see, so that they do not learn of a block or a declined
    /// request.
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

    /// Ends everything that the user wished, blocked or declined. Others keep their own requests and blocks, as if the
    /// account had never existed; of the user's own rows those stay that mirror them.
    ///
    /// The last statement returns the other users of all these pairs.
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
            // Rows that no longer have to be reported; a client that knew the relationship still learns of its end.
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

    /// The row after one side gives up its wish and block; nil for a side that keeps them.
    private static func after(_ mine: Bool?, _ theirs: Bool?, _ limits: FriendLimits) -> Statement {
        """
        relationship_after(r, \(mine), \(mine), \(theirs), \(theirs), now(), pg_current_xact_id(), \(limits.quietDays)) a
        """
    }

    /// The others of the pairs that `lockPairs` locked.
    private static let pairs: Statement = "string_to_array(current_setting('kith.pairs'), ',')::uuid[]"

    /// Locks both rows of each pair in which the user has a wish, block, decline or end, in one order, so that two accounts
    /// that change at the same instant do not deadlock; and records the other users.
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
