import Foundation
import Kernel
package import Postgres
import Web

/// Walks of the graph. They have a lane of their own, so that they delay no redirect.
package struct FriendGraphStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the friends in common, the user's newest friends first, and their number. Empty if the user
    /// blocks the other one or that one does not exist. A user who blocks the caller has friends in common
    /// like any other.
    func mutual(
        of user: User.ID, and other: User.ID, after cursor: Cursor?, limit: Int
    ) async throws -> (count: Int, page: ListPage<Friend>) {
        let rows = try await db.walks.with(key: user).query(
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id, since, \(User.Profile.copied()) FROM relationships
                WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())
                  AND NOT EXISTS (SELECT 1 FROM relationships
                                  WHERE user_id = \(user) AND other_id = \(other) AND i_block)),
            theirs AS MATERIALIZED (
                SELECT other_id FROM relationships
                WHERE user_id = \(other) AND \(FriendStore.isVisibleFriend())
                  AND EXISTS (SELECT 1 FROM users WHERE id = \(other) AND \(UserStore.isVisible("")))),
            common AS (
                SELECT count(*) OVER () AS number, mine.other_id, since, \(User.Profile.copied())
                FROM mine JOIN theirs ON theirs.other_id = mine.other_id)
            SELECT number, other_id, since, \(User.Profile.copied())
            FROM common
            WHERE \(Cursor.page(behind: cursor, "since", "other_id", limit: limit + 1))
            """
        ) { row in
            let count: Int = try row.next()
            let (id, since): (UUID, Date) = try (row.next(), row.next())
            let friend = try Friend(User.Profile(row: &row), Friendship(since: since))
            return (count: count, row: (at: since, id: id, item: friend))
        }
        return (rows.first?.count ?? 0, ListPage(rows.map(\.row), limit: limit))
    }

    /// Returns friends of friends, by Adamic and Adar's measure: each friend in common counts 1/ln of the
    /// number of their friends, so that one who knows everybody counts little. It leaves out users whom the
    /// caller asked, declined, blocks or dismissed, and those with a pending request to the caller. What
    /// others did invisibly does not count: a user who blocks the caller is suggested like one who has not
    /// answered.
    ///
    /// It looks only at the newest 300 friends and the newest 100 friends of each of them, and counts only
    /// these.
    func suggestions(for user: User.ID, limit: Int) async throws -> [Suggestion] {
        let walks = db.walks.with(key: user)
        let rows = try await walks.query(
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id AS friend, since, \(User.Profile.copied()) FROM relationships
                WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())
                ORDER BY since DESC, other_id LIMIT 300),
            -- Arrays are cheaper to carry than as many rows. The join lets each shard read its own users' friends.
            lists AS MATERIALIZED (
                SELECT friend, since, ARRAY(
                    SELECT r.other_id FROM relationships r
                    WHERE r.user_id = u.id AND \(FriendStore.isVisibleFriend("r."))
                    ORDER BY r.since DESC, r.other_id LIMIT 100) AS friends
                FROM mine JOIN users u ON u.id = mine.friend),
            reached AS NOT MATERIALIZED (
                SELECT friend, since, unnest(friends) AS other_id,
                       1 / ln(greatest(cardinality(friends), 2)) AS weight
                FROM lists),
            scored AS MATERIALIZED (
                SELECT reached.other_id, sum(weight) AS score, count(*) AS friends
                FROM reached
                LEFT JOIN (
                    SELECT other_id FROM relationships
                    WHERE user_id = \(user) AND (i_want OR heard_at IS NOT NULL OR i_block OR declines > 0
                                                OR ended_at IS NOT NULL OR they_away)
                ) known ON known.other_id = reached.other_id
                LEFT JOIN (SELECT other_id FROM dismissals WHERE user_id = \(user)) dismissed
                    ON dismissed.other_id = reached.other_id
                WHERE reached.other_id <> \(user) AND known.other_id IS NULL AND dismissed.other_id IS NULL
                GROUP BY reached.other_id
                ORDER BY score DESC, reached.other_id LIMIT \(limit)),
            through AS MATERIALIZED (
                SELECT scored.other_id, reached.friend,
                       row_number() OVER (PARTITION BY scored.other_id
                                          ORDER BY reached.since DESC, reached.friend) AS place
                FROM scored JOIN reached ON reached.other_id = scored.other_id)
            SELECT scored.other_id, scored.friends, \(User.Profile.copied("mine."))
            FROM scored JOIN through ON through.other_id = scored.other_id AND through.place <= 3
            JOIN mine ON mine.friend = through.friend
            ORDER BY scored.score DESC, scored.other_id, through.place
            """
        ) { try (id: User.ID($0.next()), friends: $0.next(as: Int.self), through: User.Profile(row: &$0)) }
        let profiles = try await UserStore.profiles(of: Set(rows.map(\.id)), on: walks)
        return rows.reduce(into: []) { suggestions, row in
            guard let profile = profiles[row.id] else { return }
            if suggestions.last?.uid != profile.uid {
                suggestions.append(
                    Suggestion(profile, Acquaintance(mutualFriends: row.friends, through: [])))
            }
            suggestions[suggestions.count - 1].detail.through.append(row.through)
        }
    }

    /// Dismisses a suggestion. It stays dismissed until newer dismissals, beyond the limit, replace it. A
    /// second call changes nothing. Throws `AccountError.inactive`.
    func dismiss(_ other: User.UID, for user: User.ID, _ limits: FriendLimits) async throws {
        try await db.write.with(key: user).batch(
            [
                // An earlier deletion of the account has deleted the dismissals.
                UserStore.lockActive(user, else: AccountError.inactive),
                """
                INSERT INTO dismissals (user_id, other_id, other_uid)
                VALUES (\(user), \(User.ID(of: other)), \(other))
                ON CONFLICT DO NOTHING
                """,
                """
                DELETE FROM dismissals
                WHERE user_id = \(user)
                  AND (SELECT count(*) FROM dismissals WHERE user_id = \(user)) > \(limits.dismissals)
                  AND other_id = ANY (ARRAY(
                      SELECT other_id FROM dismissals WHERE user_id = \(user)
                      ORDER BY dismissed_at DESC, other_id OFFSET \(limits.dismissals)))
                """,
            ], throwing: AccountError.self)
    }
}
