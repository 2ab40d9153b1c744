import Foundation
import Postgres

/// Walks of the graph, on a lane of their own, so that they delay no redirect.
struct FriendGraphStore: Sendable {
    var db: Database

    /// Friends in common, the user's newest friends first, and their number. Empty if the user blocks the other one or that
    /// one does not exist; a user who blocks the caller has them like any other.
    func mutual(
        of user: User.ID, and other: User.ID, after cursor: Cursor?, limit: Int
    ) async throws -> (count: Int, page: ListPage<Friend>) {
        let rows = try await db.walks.with(key: user).query(
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id, since, other_uid, other_username, other_display_name FROM relationships
                WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())),
            theirs AS MATERIALIZED (
                SELECT other_id FROM relationships
                WHERE user_id = \(other) AND \(FriendStore.isVisibleFriend())
                  AND EXISTS (SELECT FROM users WHERE id = \(other) AND \(UserStore.isVisible("")))
                  AND NOT EXISTS (SELECT FROM relationships
                                  WHERE user_id = \(user) AND other_id = \(other) AND i_block)),
            common AS MATERIALIZED (
                SELECT mine.* FROM mine JOIN theirs ON theirs.other_id = mine.other_id)
            SELECT (SELECT count(*) FROM common), other_id, since, other_uid, other_username, other_display_name
            FROM common
            WHERE \(Cursor.page(behind: cursor, "since", "other_id", limit: limit + 1))
            """
        ) { row in
            let count: Int = try row.next()
            let (id, since): (UUID, Date) = try (row.next(), row.next())
            let friend = try Friend(
                uid: row.next(), username: row.next(), displayName: row.next(), since: since)
            return (count: count, row: (at: since, id: id, item: friend))
        }
        return (rows.first?.count ?? 0, ListPage(rows.map(\.row), limit: limit))
    }

    /// Friends of friends, by Adamic and Adar's measure: each friend in common counts 1/ln of the number of their friends,
    /// so that one who knows everybody counts little. Leaves out users whom the caller asked, declined, blocks or dismissed,
    /// and those with a pending request to the caller. What others did invisibly does not count: a user who blocks the
    /// caller is suggested like one who has not answered.
    ///
    /// Looks only at the newest 300 friends and the newest 100 of each of them, and counts only these.
    func suggestions(for user: User.ID, limit: Int) async throws -> [Suggestion] {
        let rows = try await db.walks.with(key: user).query(
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id AS friend, since FROM relationships
                WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())
                ORDER BY since DESC, other_id LIMIT 300),
            -- Arrays are cheaper to carry than as many rows.
            lists AS MATERIALIZED (
                SELECT friend, since, ARRAY(
                    SELECT r.other_id FROM relationships r
                    WHERE r.user_id = mine.friend AND \(FriendStore.isVisibleFriend("r."))
                    ORDER BY r.since DESC, r.other_id LIMIT 100) AS friends
                FROM mine),
            reached AS NOT MATERIALIZED (
                SELECT friend, since, unnest(friends) AS other_id,
                       1 / ln(greatest(cardinality(friends), 2)) AS weight
                FROM lists),
            scored AS MATERIALIZED (
                SELECT other_id, sum(weight) AS score, count(*) AS friends
                FROM reached WHERE other_id <> \(user)
                  AND NOT EXISTS (
                      SELECT FROM relationships r
                      WHERE r.user_id = \(user) AND r.other_id = reached.other_id
                        AND (i_want OR heard_at IS NOT NULL OR i_block OR declines > 0 OR they_away))
                  AND NOT EXISTS (
                      SELECT FROM dismissals d WHERE d.user_id = \(user) AND d.other_id = reached.other_id)
                GROUP BY other_id
                ORDER BY score DESC, other_id LIMIT \(limit)),
            through AS MATERIALIZED (
                SELECT scored.other_id, reached.friend,
                       row_number() OVER (PARTITION BY scored.other_id
                                          ORDER BY reached.since DESC, reached.friend) AS place
                FROM scored JOIN reached ON reached.other_id = scored.other_id)
            SELECT u.uid, u.username, u.display_name, scored.friends,
                   f.uid, f.username, f.display_name
            FROM scored JOIN users u ON u.id = scored.other_id
            JOIN through ON through.other_id = scored.other_id AND through.place <= 3
            JOIN users f ON f.id = through.friend
            ORDER BY scored.score DESC, scored.other_id, through.place
            """
        ) { row in
            let suggestion = try Suggestion(
                uid: row.next(), username: row.next(), displayName: row.next(), mutualFriends: row.next(),
                through: [])
            return (suggestion, try User.Profile(row: &row))
        }
        return rows.reduce(into: []) { suggestions, row in
            if suggestions.last?.uid != row.0.uid { suggestions.append(row.0) }
            suggestions[suggestions.count - 1].through.append(row.1)
        }
    }

    /// Dismisses a suggestion until newer dismissals, beyond the limit, replace it; a second call changes nothing. Throws
    /// `AccountError.inactive`.
    func dismiss(_ other: User.UID, for user: User.ID, _ limits: FriendLimits) async throws {
        do {
            try await db.write.with(key: user).batch([
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
            ])
        } catch let error as PostgresError {
            throw error.outcome(among: AccountError.self)
        }
    }

    /// A shortest path of at most three steps. No user on it is suspended, and the caller blocks none of those between. A
    /// path leads to or over a user who blocks the caller like any other.
    func path(from user: User.ID, to other: User.ID) async throws -> FriendPath {
        let rows = try await db.walks.with(key: user).query(
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id FROM relationships
                WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())),
            theirs AS MATERIALIZED (
                SELECT other_id FROM relationships
                WHERE user_id = \(other) AND \(FriendStore.isVisibleFriend())
                  AND EXISTS (SELECT FROM users WHERE id = \(other) AND \(UserStore.isVisible("")))
                  AND NOT EXISTS (SELECT FROM relationships
                                  WHERE user_id = \(user) AND other_id = \(other)
                                    AND (i_block OR they_away))),
            -- PostgreSQL runs an arm only if those before found nothing; of the last two only that which starts at
            -- the smaller side. IS TRUE keeps IN from becoming a join, which would read all before the first match.
            way AS MATERIALIZED (
                (SELECT NULL::uuid AS first, NULL::uuid AS second FROM theirs WHERE other_id = \(user))
                UNION ALL
                (SELECT mine.other_id, NULL FROM mine JOIN theirs ON theirs.other_id = mine.other_id)
                UNION ALL
                (SELECT mine.other_id, r.other_id
                 FROM mine JOIN relationships r ON r.user_id = mine.other_id
                 WHERE (SELECT count(*) FROM mine) <= (SELECT count(*) FROM theirs)
                   AND (r.other_id IN (SELECT other_id FROM theirs)) IS TRUE
                   AND \(FriendStore.isVisibleFriend("r."))
                   AND NOT EXISTS (SELECT FROM relationships h
                                   WHERE h.user_id = \(user) AND h.other_id = r.other_id AND h.i_block))
                UNION ALL
                (SELECT r.other_id, theirs.other_id
                 FROM theirs JOIN relationships r ON r.user_id = theirs.other_id
                 WHERE (SELECT count(*) FROM mine) > (SELECT count(*) FROM theirs)
                   AND (r.other_id IN (SELECT other_id FROM mine)) IS TRUE
                   AND \(FriendStore.isVisibleFriend("r."))
                   AND NOT EXISTS (SELECT FROM relationships h
                                   WHERE h.user_id = \(user) AND h.other_id = theirs.other_id AND h.i_block))
                LIMIT 1),
            steps AS MATERIALIZED (
                SELECT 1 AS place, first AS id FROM way WHERE first IS NOT NULL
                UNION ALL SELECT 2, second FROM way WHERE second IS NOT NULL
                UNION ALL SELECT 3, \(other) FROM way)
            SELECT u.uid, u.username, u.display_name FROM steps JOIN users u ON u.id = steps.id ORDER BY place
            """, User.Profile.init(row:))
        return FriendPath(degrees: rows.isEmpty ? nil : rows.count, path: rows)
    }
}
