import Kernel
import Postgres

/// Ends: the two rows of an ended relationship, which are kept only for clients that sync.
extension FriendStore {
    /// Keeps the newest of a user's ends, up to `FriendLimits.ended`. Older ones are no longer reported: a
    /// client that missed one reloads. A block or a decline by the other side makes no difference, or the
    /// user could count who blocks them.
    ///
    /// The caller must have locked the user.
    static func forgetEnds(of user: User.ID, _ limits: FriendLimits) -> Statement {
        "SELECT forget_ends(\(user), \(limits.ended))"
    }

    /// Forgets the ends of other users after somebody deleted their account, since those users made no call
    /// that would do it. Throws if *bulk* is busy: the answer to the deletion does not wait for it.
    func forgetEnds(of users: [User.ID], _ limits: FriendLimits) async throws {
        for start in stride(from: 0, to: users.count, by: 200) {
            let some = users[start..<min(start + 200, users.count)].map(\.uuid)
            let crowded = try await db.bulk.with(deadline: .seconds(1)).query(
                """
                SELECT user_id FROM relationships WHERE user_id = ANY(\(some))
                  AND NOT i_want AND NOT i_block AND heard_at IS NULL AND change IS DISTINCT FROM 0
                GROUP BY user_id HAVING count(*) > \(limits.ended)
                """
            ) { try User.ID($0.next()) }
            for user in crowded {
                try await db.bulk.with(deadline: .seconds(1)).batch([
                    UserStore.waitForImports, UserStore.lock(user), Self.forgetEnds(of: user, limits),
                ])
            }
        }
    }

    /// Deletes declines of users who no longer ask, after the longest quiet time, and the mirrors of such
    /// rows. Both are invisible. It deletes at most 100 at once, and the caller must have locked the user.
    static func forgetDeclines(of user: User.ID, _ limits: FriendLimits) -> Statement {
        """
        WITH forgotten AS MATERIALIZED (
            SELECT other_id FROM relationships
            WHERE user_id = \(user) AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block
              AND touched_at < now() - \(Double(limits.quietDays.max() ?? 0)) * interval '1 day'
              AND change = 0 AND (ended_at IS NULL OR ended_at < now() - interval '1 year')
            ORDER BY touched_at LIMIT 100 FOR UPDATE SKIP LOCKED)
        DELETE FROM relationships r USING forgotten WHERE r.user_id = \(user) AND r.other_id = forgotten.other_id
        """
    }
}
