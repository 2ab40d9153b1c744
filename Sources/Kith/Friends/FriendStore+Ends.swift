import Postgres

/// Ends: the two rows of an ended relationship, kept only to tell clients that sync.
extension FriendStore {
    /// Keeps the newest of a user's ends, up to `KITH_MAX_ENDED`. Older ones are no longer reported: a client that missed one
    /// reloads. If nothing else is left in a pair, it deletes the user's row, and the other side's unless that still has to
    /// be reported.
    ///
    /// A block or a decline by the other side makes no difference, or the user could count who blocks them.
    ///
    /// The caller locks the user before. Rows that others lock are left for the next time, so this waits for nobody, and so
    /// are those after the first 100: a friend of many who deleted their accounts may have more.
    static func keepEnds(of user: User.ID, _ limits: FriendLimits) -> Statement {
        """
        WITH ended AS MATERIALIZED (
            SELECT other_id FROM relationships
            WHERE user_id = \(user) AND NOT i_want AND NOT i_block AND heard_at IS NULL AND changed_in <> '0'::xid8
            ORDER BY changed_in DESC, other_id LIMIT 100 OFFSET \(limits.ended)),
        sides AS MATERIALIZED (
            SELECT \(user)::uuid AS user_id, other_id FROM ended
            UNION ALL SELECT other_id, \(user)::uuid FROM ended),
        held AS MATERIALIZED (
            SELECT r.user_id, r.other_id, r.changed_in,
                   r.i_want OR r.they_want OR r.i_block OR r.they_block OR r.declines > 0 AS stands
            FROM sides JOIN relationships r ON r.user_id = sides.user_id AND r.other_id = sides.other_id
            FOR UPDATE OF r SKIP LOCKED),
        forgotten AS MATERIALIZED (
            SELECT mine.other_id, mine.changed_in, NOT mine.stands AND theirs.stands IS NOT TRUE AS is_over,
                   theirs.changed_in = '0'::xid8
                       OR NOT EXISTS (SELECT FROM users WHERE id = mine.other_id AND status <> 'deleted') AS is_told
            FROM held mine LEFT JOIN held theirs ON theirs.user_id = mine.other_id AND theirs.other_id = mine.user_id
            WHERE mine.user_id = \(user) AND (theirs.user_id IS NOT NULL OR NOT EXISTS (
                SELECT FROM relationships WHERE user_id = mine.other_id AND other_id = \(user)))),
        noted AS (
            UPDATE users SET ends_forgotten_in = greatest(
                ends_forgotten_in, (SELECT changed_in FROM forgotten ORDER BY changed_in DESC LIMIT 1))
            WHERE id = \(user) AND EXISTS (SELECT FROM forgotten)),
        kept AS (
            UPDATE relationships r SET changed_in = '0' FROM forgotten f
            WHERE r.user_id = \(user) AND r.other_id = f.other_id AND NOT f.is_over)
        DELETE FROM relationships r
        USING (SELECT \(user)::uuid AS user_id, other_id FROM forgotten WHERE is_over
               UNION ALL SELECT other_id, \(user)::uuid FROM forgotten WHERE is_over AND is_told) gone
        WHERE r.user_id = gone.user_id AND r.other_id = gone.other_id
        """
    }

    /// Keeps the ends of other users within the limit after somebody deleted their account, since those users made no call
    /// that would do it. Throws if *bulk* is busy: the answer to the deletion does not wait for it.
    func keepEnds(of users: [User.ID], _ limits: FriendLimits) async throws {
        for start in stride(from: 0, to: users.count, by: 200) {
            let some = users[start..<min(start + 200, users.count)].map(\.uuid)
            let crowded = try await db.bulk.with(deadline: .seconds(1)).query(
                """
                SELECT id FROM unnest(\(some)) AS u (id)
                WHERE EXISTS (
                    SELECT FROM relationships
                    WHERE user_id = u.id AND NOT i_want AND NOT i_block AND heard_at IS NULL AND changed_in <> '0'::xid8
                    ORDER BY changed_in DESC, other_id OFFSET \(limits.ended))
                """
            ) { try User.ID($0.next()) }
            for user in crowded {
                try await db.bulk.with(deadline: .seconds(1)).batch([
                    UserStore.waitForImports, UserStore.lock(user), Self.keepEnds(of: user, limits),
                ])
            }
        }
    }

    /// Deletes declines of users who no longer ask, after the longest quiet time, and the mirrors of such rows. Both
    /// are invisible. At most 100 at once, as above; the caller locks the user before.
    static func forgetDeclines(of user: User.ID, _ limits: FriendLimits) -> Statement {
        """
        WITH forgotten AS MATERIALIZED (
            SELECT other_id FROM relationships
            WHERE user_id = \(user) AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block
              AND touched_at < now() - \(Double(limits.quietDays.max() ?? 0)) * interval '1 day'
              AND changed_in = '0'::xid8
            ORDER BY touched_at LIMIT 100 FOR UPDATE SKIP LOCKED)
        DELETE FROM relationships r USING forgotten WHERE r.user_id = \(user) AND r.other_id = forgotten.other_id
        """
    }

    /// Ends the batch with `block_limit` if the user is at the limit of blocks and this would be a new one.
    static func requireRoomToBlock(_ other: User.ID, by me: User.ID, _ limits: FriendLimits) -> Statement {
        """
        SELECT require(
            EXISTS (SELECT FROM relationships WHERE user_id = \(me) AND other_id = \(other) AND i_block)
            OR (SELECT count(*) FROM relationships WHERE user_id = \(me) AND blocked_at IS NOT NULL) < \(limits.blocks),
            \(FriendError.blockLimit))
        """
    }
}
