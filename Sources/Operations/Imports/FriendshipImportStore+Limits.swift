import Graph
import Imports
import Kernel
import Postgres

/// The limits of friends and requests. A line that is over the limit of one side still counts towards the
/// limit of the other, so that the order in which users are checked does not matter.
extension FriendshipImportStore {
    /// Refuses friendships over a user's limit. Those on the earliest lines stay.
    func holdFriends() async throws {
        let full = try await staged.session.run(
            """
            CREATE TEMP TABLE import_full ON COMMIT DROP AS
            WITH joining AS MATERIALIZED (
                SELECT m.user_id, count(*) AS new
                FROM import_rows m LEFT JOIN import_exceptions e USING (user_id, other_id)
                WHERE CASE WHEN e.verdict IS NULL
                           THEN \(isMadeWhole) OR (m.mine IS NOT NULL AND m.theirs IS NOT NULL)
                           ELSE e.verdict = 'change' AND e.befriends END
                GROUP BY m.user_id),
            friends AS MATERIALIZED (
                SELECT r.user_id, count(*) AS known FROM joining j JOIN relationships r ON r.user_id = j.user_id
                WHERE r.since IS NOT NULL GROUP BY r.user_id)
            SELECT user_id, \(limits.friends) - coalesce(known, 0) AS room FROM joining LEFT JOIN friends USING (user_id)
            WHERE new + coalesce(known, 0) > \(limits.friends)
            """)
        guard full > 0 else { return }
        try await staged.session.run(
            """
            WITH refused AS MATERIALIZED (
                SELECT user_id, other_id, record
                FROM (SELECT m.user_id, m.other_id, least(m.mine, m.theirs) AS record, f.room,
                             row_number() OVER (PARTITION BY m.user_id ORDER BY least(m.mine, m.theirs)) AS nth
                      FROM import_full f
                      JOIN import_rows m ON m.user_id = f.user_id
                      LEFT JOIN import_exceptions e ON e.user_id = m.user_id AND e.other_id = m.other_id
                      WHERE CASE WHEN e.verdict IS NULL
                                 THEN \(isMadeWhole) OR (m.mine IS NOT NULL AND m.theirs IS NOT NULL)
                                 ELSE e.verdict = 'change' AND e.befriends END) ranked
                WHERE nth > room)
            INSERT INTO import_exceptions (user_id, other_id, record, verdict, befriends)
            SELECT user_id, other_id, record, 'friend_limit', false FROM refused
            UNION
            SELECT other_id, user_id, record, 'friend_limit', false FROM refused
            """)
        try await staged.session.script("ANALYZE import_exceptions")
    }

    /// Refuses requests over the limit of their sender or receiver. Those on the earliest lines stay. Then
    /// `import_waiting` has both rows of each pair that becomes a request.
    func holdRequests() async throws {
        let session = staged.session
        try await session.run(
            """
            CREATE TEMP TABLE import_waiting ON COMMIT DROP AS
            SELECT user_id, other_id, m.mine IS NOT NULL AS asks, coalesce(m.mine, m.theirs) AS record
            FROM import_rows m LEFT JOIN import_exceptions e USING (user_id, other_id)
            WHERE (m.mine IS NULL) <> (m.theirs IS NULL)
              AND (e.verdict IS NULL OR (e.verdict = 'change' AND NOT e.befriends))
            """)
        try await session.script("ANALYZE import_waiting")
        try await session.run(
            """
            CREATE TEMP TABLE import_crowded ON COMMIT DROP AS
            WITH joining AS MATERIALIZED (
                SELECT user_id, asks, count(*) AS new FROM import_waiting GROUP BY user_id, asks),
            waiting AS MATERIALIZED (
                SELECT r.user_id, j.asks, count(*) AS known FROM joining j JOIN relationships r ON r.user_id = j.user_id
                WHERE CASE WHEN j.asks THEN r.asked_at IS NOT NULL ELSE r.heard_at IS NOT NULL END
                GROUP BY r.user_id, j.asks)
            SELECT user_id, asks, \(limits.requests) - coalesce(known, 0) AS room
            FROM joining LEFT JOIN waiting USING (user_id, asks)
            WHERE new + coalesce(known, 0) > \(limits.requests)
            """)
        try await session.run(
            """
            WITH refused AS MATERIALIZED (
                SELECT user_id, other_id
                FROM (SELECT w.user_id, w.other_id, f.room,
                             row_number() OVER (PARTITION BY w.user_id, w.asks ORDER BY w.record) AS nth
                      FROM import_crowded f JOIN import_waiting w ON w.user_id = f.user_id AND w.asks = f.asks) ranked
                WHERE nth > room),
            both_sides AS (
                SELECT user_id, other_id FROM refused UNION SELECT other_id, user_id FROM refused),
            gone AS (
                DELETE FROM import_waiting w USING both_sides b
                WHERE w.user_id = b.user_id AND w.other_id = b.other_id
                RETURNING w.user_id, w.other_id, w.record)
            INSERT INTO import_exceptions (user_id, other_id, record, verdict, befriends)
            SELECT user_id, other_id, record, 'request_limit', false FROM gone
            """)
    }
}
