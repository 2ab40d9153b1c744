import Graph
import Imports
import Kernel
import Postgres

/// Imports friendships: inserts rows of new pairs as `FriendStore` would, and changes those of known pairs by
/// `relationship_after`.
///
/// `import_rows` has both rows of each pair in the order of their key; `import_exceptions` has the rows that
/// are not simply new.
struct FriendshipImportStore {
    let staged: StagedImport
    let limits: FriendLimits
    let oneSided: Import.OneSided

    /// Whether a pair that only one side lists becomes a friendship.
    var isMadeWhole: Bool { oneSided == .friends }

    func write() async throws -> ImportReport {
        let sums = try await pair()
        var report = ImportReport(lines: staged.records, imported: 0)
        report.findings += try await unpaired(sums)
        // From here on nobody else writes.
        try await staged.lock("relationships")
        try await catchUp()
        staged.progress(.working("comparing", rows: sums.pairs * 2))
        try await compare()
        try await holdFriends()
        if oneSided == .request { try await holdRequests() }
        report.findings += try await staged.findings(
            """
            SELECT verdict, count(*), (array_agg(record ORDER BY record))[1:5]
            FROM import_exceptions WHERE user_id < other_id AND verdict <> 'change' GROUP BY verdict
            """)
        staged.progress(.working("writing friendships", rows: sums.pairs * 2))
        let rows = try await insert() + change()
        report.imported = rows / 2
        if oneSided == .request { report.imported -= try await requests(&report) }
        return report
    }

    private struct Sums {
        var pairs: Int
        /// How many lines have two known users.
        var lines: Int
        /// How many pairs both sides list.
        var mutual: Int
        var duplicates: Int
    }

    private func pair() async throws -> Sums {
        let session = staged.session
        try await session.run(
            """
            CREATE TEMP TABLE import_people ON COMMIT DROP AS
            WITH named AS MATERIALIZED (
                SELECT user_id(uid) AS id FROM import_file UNION SELECT user_id(friend_uid) FROM import_file)
            SELECT u.id, \(User.Profile.columns("u.")), u.revision
            FROM named JOIN users u ON u.id = named.id WHERE u.status <> 'deleted'
            """)
        try await session.script("ANALYZE import_people")
        // A sort also gives the order. A hash of this many pairs would spill to disk and need a sort
        // afterwards.
        try await session.script("SET LOCAL enable_hashagg = off")
        try await session.run(
            """
            CREATE TEMP TABLE import_rows ON COMMIT DROP AS
            SELECT user_id, other_id, \(User.Profile.copied()),
                   min(record) FILTER (WHERE is_mine) AS mine,
                   min(record) FILTER (WHERE NOT is_mine) AS theirs, count(*) AS lines, min(since) AS since
            FROM (SELECT record, since, is_mine,
                         CASE WHEN is_mine THEN a.id ELSE b.id END AS user_id,
                         CASE WHEN is_mine THEN b.id ELSE a.id END AS other_id,
                         CASE WHEN is_mine THEN b.uid ELSE a.uid END AS other_uid,
                         CASE WHEN is_mine THEN b.username ELSE a.username END AS other_username,
                         CASE WHEN is_mine THEN b.display_name ELSE a.display_name END AS other_display_name,
                         CASE WHEN is_mine THEN b.avatar_url ELSE a.avatar_url END AS other_avatar_url,
                         CASE WHEN is_mine THEN b.metadata ELSE a.metadata END AS other_metadata
                  FROM import_file f
                  JOIN import_people a ON a.uid = f.uid
                  JOIN import_people b ON b.uid = f.friend_uid
                  CROSS JOIN (VALUES (true), (false)) side (is_mine)
                  WHERE a.id <> b.id AND (since IS NULL OR since BETWEEN '1970-01-01Z' AND now())) sides
            GROUP BY user_id, other_id, \(User.Profile.copied())
            ORDER BY user_id, other_id
            """)
        try await session.script("RESET enable_hashagg; ANALYZE import_rows")
        let sums = try await session.first(
            """
            SELECT count(*), coalesce(sum(lines), 0)::bigint,
                   count(*) FILTER (WHERE mine IS NOT NULL AND theirs IS NOT NULL)
            FROM import_rows WHERE user_id < other_id
            """
        ) { row in
            let (pairs, lines, mutual): (Int, Int, Int) = try (row.next(), row.next(), row.next())
            return Sums(pairs: pairs, lines: lines, mutual: mutual, duplicates: lines - pairs - mutual)
        }
        return sums ?? Sums(pairs: 0, lines: 0, mutual: 0, duplicates: 0)
    }

    /// Updates pairs of users who changed their names or deleted their accounts after the pairs were staged,
    /// since those changes did not reach them. Later changes wait for the import, and then find its rows.
    /// `import_changed` has those who are suspended too.
    private func catchUp() async throws {
        let session = staged.session
        let changed = try await session.run(
            """
            CREATE TEMP TABLE import_changed ON COMMIT DROP AS
            WITH people AS MATERIALIZED (SELECT id, revision FROM import_people)
            SELECT u.id, u.status, u.username, u.display_name, u.avatar_url, u.metadata
            FROM people p JOIN users u ON u.id = p.id WHERE u.revision <> p.revision OR u.status = 'suspended'
            """)
        guard changed > 0 else { return }
        try await session.script(
            """
            DELETE FROM import_rows
            WHERE user_id IN (SELECT id FROM import_changed WHERE status = 'deleted')
               OR other_id IN (SELECT id FROM import_changed WHERE status = 'deleted');
            UPDATE import_rows r
            SET other_username = c.username, other_display_name = c.display_name, other_avatar_url = c.avatar_url,
                other_metadata = c.metadata
            FROM import_changed c WHERE c.id = r.other_id
            """)
    }

    /// Returns findings for which no relationships must be read.
    private func unpaired(_ sums: Sums) async throws -> [ImportReport.Finding] {
        var findings: [ImportReport.Finding] = []
        if sums.lines < staged.records {
            findings += try await staged.findings(
                """
                SELECT verdict, count(*), (array_agg(record ORDER BY record))[1:5]
                FROM (SELECT record, CASE WHEN a.id IS NULL OR b.id IS NULL THEN 'unknown_user'
                                          WHEN a.id = b.id THEN 'oneself' ELSE 'time_invalid' END AS verdict
                      FROM import_file f
                      LEFT JOIN import_people a ON a.uid = f.uid
                      LEFT JOIN import_people b ON b.uid = f.friend_uid
                      WHERE a.id IS NULL OR b.id IS NULL OR a.id = b.id
                         OR since NOT BETWEEN '1970-01-01Z' AND now()) refused
                GROUP BY verdict
                """)
        }
        if sums.duplicates > 0 {
            findings += try await staged.findings(
                """
                SELECT 'duplicate', count(*), (array_agg(record ORDER BY record))[1:5]
                FROM (SELECT f.record, row_number() OVER (PARTITION BY f.uid, f.friend_uid ORDER BY f.record) AS nth
                      FROM import_rows r
                      JOIN import_people u ON u.id = r.user_id
                      JOIN import_file f ON f.uid = u.uid AND f.friend_uid = r.other_uid
                      WHERE r.mine IS NOT NULL AND r.lines > 1 + (r.theirs IS NOT NULL)::int
                        AND (f.since IS NULL OR f.since BETWEEN '1970-01-01Z' AND now())) repeated
                WHERE nth > 1
                """)
        }
        // In a file that lists each pair once, only one side can be expected.
        if isMadeWhole, sums.mutual > 0, sums.mutual < sums.pairs {
            findings += try await staged.findings(
                """
                SELECT 'made_whole', count(*), (array_agg(record ORDER BY record))[1:5]
                FROM (SELECT coalesce(mine, theirs) AS record FROM import_rows
                      WHERE user_id < other_id AND (mine IS NULL OR theirs IS NULL)) one_sided
                """)
        }
        return findings
    }

    /// Finds pairs that already have rows. It notes what this import would change, and whether they become
    /// friends.
    private func compare() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_exceptions ON COMMIT DROP AS
            WITH m AS MATERIALIZED (
                SELECT user_id, other_id, mine, theirs, \(isMadeWhole) OR mine IS NOT NULL AS i_list,
                       \(isMadeWhole) OR theirs IS NOT NULL AS they_list
                FROM import_rows)
            SELECT m.user_id, m.other_id, least(m.mine, m.theirs) AS record,
                   CASE WHEN \(oneSided == .refuse) AND (m.mine IS NULL OR m.theirs IS NULL) THEN 'one_sided'
                        WHEN r.i_block OR r.they_block THEN 'blocked'
                        WHEN (r.i_want OR NOT m.i_list) AND (r.they_want OR NOT m.they_list) THEN 'already'
                        ELSE 'change' END AS verdict,
                   (r.i_want OR m.i_list) AND (r.they_want OR m.they_list) AS befriends
            FROM m JOIN relationships r ON r.user_id = m.user_id AND r.other_id = m.other_id
            """)
        if oneSided == .refuse {
            try await staged.session.run(
                """
                INSERT INTO import_exceptions (user_id, other_id, record, verdict, befriends)
                SELECT user_id, other_id, coalesce(mine, theirs), 'one_sided', false
                FROM import_rows m
                WHERE (mine IS NULL OR theirs IS NULL) AND NOT EXISTS (
                    SELECT FROM import_exceptions e WHERE e.user_id = m.user_id AND e.other_id = m.other_id)
                """)
        }
        try await staged.session.script("ANALYZE import_exceptions")
    }

    private func insert() async throws -> Int {
        try await staged.session.run(
            """
            INSERT INTO relationships (
                user_id, other_id, other_uid, i_want, they_want, since, other_username, other_display_name,
                other_avatar_url, other_metadata, asked_at, heard_at, they_away)
            SELECT user_id, other_id, other_uid, i_list, they_list,
                   CASE WHEN i_list AND they_list THEN at END,
                   CASE WHEN i_list AND they_list THEN other_username END,
                   CASE WHEN i_list AND they_list THEN other_display_name END,
                   CASE WHEN i_list AND they_list THEN other_avatar_url END,
                   CASE WHEN i_list AND they_list THEN other_metadata END,
                   CASE WHEN i_list AND (NOT they_list OR they_away) THEN at END,
                   CASE WHEN they_list AND NOT i_list THEN at END, they_list AND they_away
            FROM (SELECT m.user_id, m.other_id, \(User.Profile.copied("m.")),
                         coalesce(m.since, now()) AS at,
                         \(isMadeWhole) OR m.mine IS NOT NULL AS i_list,
                         \(isMadeWhole) OR m.theirs IS NOT NULL AS they_list, away.id IS NOT NULL AS they_away
                  FROM import_rows m
                  LEFT JOIN import_exceptions e ON e.user_id = m.user_id AND e.other_id = m.other_id
                  LEFT JOIN import_changed away ON away.id = m.other_id AND away.status = 'suspended'
                  WHERE e.user_id IS NULL) new
            """)
    }

    private func change() async throws -> Int {
        let changed = try await staged.session.query(
            """
            SELECT change_relationship(
                i.user_id, i.other_id, i.other_uid,
                CASE WHEN \(isMadeWhole) OR i.mine IS NOT NULL THEN true END, NULL,
                CASE WHEN \(isMadeWhole) OR i.theirs IS NOT NULL THEN true END, NULL,
                CASE WHEN e.befriends THEN coalesce(i.since, now()) ELSE now() END,
                \(Int.max), \(limits.quietDays), false)
            FROM import_exceptions e
            JOIN import_rows i ON i.user_id = e.user_id AND i.other_id = e.other_id
            WHERE e.verdict = 'change' AND NOT EXISTS (
                SELECT FROM import_exceptions f
                WHERE f.user_id = e.user_id AND f.other_id = e.other_id
                  AND f.verdict IN ('friend_limit', 'request_limit'))
            """
        ) { _ in () }.count
        try await staged.session.run(
            """
            SELECT copy_user(away.id, array_agg(e.user_id ORDER BY e.user_id))
            FROM import_exceptions e JOIN import_changed away ON away.id = e.other_id AND away.status = 'suspended'
            WHERE e.verdict = 'change' GROUP BY away.id
            """)
        return changed
    }

    /// Adds the pairs that became requests to the report. Returns their number.
    private func requests(_ report: inout ImportReport) async throws -> Int {
        let findings = try await staged.findings(
            """
            SELECT 'made_request', count(*), (array_agg(record ORDER BY record))[1:5]
            FROM import_waiting WHERE user_id < other_id HAVING count(*) > 0
            """)
        report.findings += findings
        return findings.reduce(0) { $0 + $1.count }
    }
}
