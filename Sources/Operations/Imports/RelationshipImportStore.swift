import Imports
import Kernel
import Postgres

/// Imports what users did to others: requests, blocks, declines, ends, and friendships in which a user is
/// suspended. It writes only pairs that have no rows yet, so it takes nothing back.
///
/// A line says what one user did. The two rows of a pair follow from the lines of both.
struct RelationshipImportStore {
    let staged: StagedImport

    func write() async throws -> ImportReport {
        // From here on nobody else writes, or changes the names that are copied here.
        try await staged.lock("relationships")
        try await findPeople()
        try await judge()
        staged.progress(.working("writing relationships", rows: staged.records))
        try await insert()
        let findings = try await staged.findings(in: "import_judged")
        let refused = findings.reduce(0) { $0 + $1.count }
        return ImportReport(lines: staged.records, imported: staged.records - refused, findings: findings)
    }

    private func findPeople() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_people ON COMMIT DROP AS
            WITH named AS MATERIALIZED (
                SELECT user_id(uid) AS id FROM import_file UNION SELECT user_id(other_uid) FROM import_file)
            SELECT u.id, \(User.Profile.columns("u.")), u.status
            FROM named JOIN users u ON u.id = named.id WHERE u.status <> 'deleted'
            """)
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_lines ON COMMIT DROP AS
            SELECT f.record, u.id AS user_id, user_id(f.other_uid) AS other_id, f.other_uid, f.friends_since, f.asked_at,
                   f.shown_at, f.blocked_at, coalesce(f.declines, 0) AS declines, f.quiet_until, f.ended_at,
                   num_nonnulls(f.friends_since, f.asked_at) > 0 AS wants
            FROM import_file f LEFT JOIN import_people u ON u.uid = f.uid
            """)
        try await staged.session.script("ANALYZE import_people; ANALYZE import_lines")
    }

    private func judge() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_judged ON COMMIT DROP AS
            WITH keys AS MATERIALIZED (
                SELECT user_id, other_id FROM import_lines WHERE user_id IS NOT NULL
                UNION SELECT other_id, user_id FROM import_lines WHERE user_id IS NOT NULL),
            known AS MATERIALIZED (
                SELECT r.user_id, r.other_id, r.i_want, r.since, r.asked_at, r.heard_at, r.blocked_at, r.declines,
                       r.quiet_until, r.ended_at
                FROM keys JOIN relationships r ON r.user_id = keys.user_id AND r.other_id = keys.other_id)
            SELECT record, user_id, other_id, other_uid, friends_since, asked_at, shown_at, blocked_at, declines, quiet_until,
                   ended_at, wants,
                   CASE WHEN verdict IS NULL
                             AND row_number() OVER (PARTITION BY user_id, other_id, verdict IS NULL ORDER BY record) > 1
                        THEN 'duplicate' ELSE verdict END AS verdict
            FROM (SELECT f.*,
                   CASE
                       WHEN f.user_id IS NULL THEN 'unknown_user'
                       WHEN (char_length(f.other_uid) BETWEEN 1 AND 128 AND f.other_uid !~ \(ImportText.control))
                           IS NOT TRUE THEN 'uid_invalid'
                       WHEN f.user_id = f.other_id THEN 'oneself'
                       WHEN (\(Self.isPossible)) IS NOT TRUE THEN 'relationship_invalid'
                       WHEN f.friends_since NOT BETWEEN '1970-01-01Z' AND now()
                           OR f.asked_at NOT BETWEEN '1970-01-01Z' AND now()
                           OR f.shown_at NOT BETWEEN '1970-01-01Z' AND now()
                           OR f.blocked_at NOT BETWEEN '1970-01-01Z' AND now()
                           OR f.ended_at NOT BETWEEN '1970-01-01Z' AND now()
                           OR f.quiet_until NOT BETWEEN '1970-01-01Z' AND '3000-01-01Z' THEN 'time_invalid'
                       WHEN mine.i_want = f.wants AND mine.blocked_at IS NOT DISTINCT FROM f.blocked_at
                           AND (mine.since IS NOT NULL OR (
                               (mine.asked_at, mine.declines, mine.quiet_until, mine.ended_at, theirs.heard_at)
                               IS NOT DISTINCT FROM (f.asked_at, f.declines, f.quiet_until, f.ended_at, f.shown_at)))
                           THEN 'already'
                       WHEN num_nonnulls(mine.user_id, theirs.user_id) > 0 THEN 'stands_otherwise'
                   END AS verdict
            FROM import_lines f
            LEFT JOIN known mine ON mine.user_id = f.user_id AND mine.other_id = f.other_id
            LEFT JOIN known theirs ON theirs.user_id = f.other_id AND theirs.other_id = f.user_id) compared
            """)
        try await staged.session.script("ANALYZE import_judged")
    }

    /// A condition: a line says something, and nothing that the table refuses.
    private static let isPossible: Statement = """
        (f.wants OR f.blocked_at IS NOT NULL OR f.declines > 0 OR f.ended_at IS NOT NULL)
        AND NOT (f.wants AND f.blocked_at IS NOT NULL) AND f.declines >= 0 AND (f.quiet_until IS NULL OR f.declines > 0)
        AND (f.shown_at IS NULL OR f.wants)
        """

    /// Inserts the pairs. A phone is told only what its user can see: no block, no decline, and not who is
    /// away.
    private func insert() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_rows ON COMMIT DROP AS
            WITH lines AS MATERIALIZED (SELECT j.* FROM import_judged j WHERE j.verdict IS NULL),
            sides AS MATERIALIZED (
                SELECT user_id, other_id FROM lines UNION SELECT other_id, user_id FROM lines)
            SELECT s.user_id, s.other_id, coalesce(mine.other_uid, u.uid) AS other_uid,
                   coalesce(mine.wants, false) AS i_want, coalesce(theirs.wants, false) AS they_want,
                   mine.blocked_at, theirs.blocked_at IS NOT NULL AS they_block,
                   coalesce(theirs.wants, false) AND u.status IS NOT DISTINCT FROM 'suspended' AS they_away,
                   coalesce(least(mine.friends_since, theirs.friends_since), greatest(mine.asked_at, theirs.asked_at)) AS since,
                   mine.asked_at, theirs.shown_at, coalesce(mine.declines, 0) AS declines, mine.quiet_until, mine.ended_at,
                   coalesce(mine.wants, false) AND coalesce(theirs.wants, false) AS are_friends,
                   u.username, u.display_name, u.avatar_url, u.metadata
            FROM sides s
            LEFT JOIN lines mine ON mine.user_id = s.user_id AND mine.other_id = s.other_id
            LEFT JOIN lines theirs ON theirs.user_id = s.other_id AND theirs.other_id = s.user_id
            LEFT JOIN import_people u ON u.id = s.other_id
            """)
        try await staged.session.run(
            """
            INSERT INTO relationships (
                user_id, other_id, other_uid, i_want, they_want, i_block, they_block, they_away, declines, since, asked_at,
                heard_at, blocked_at, quiet_until, ended_at, change, other_username, other_display_name,
                other_avatar_url, other_metadata)
            SELECT user_id, other_id, other_uid, i_want, they_want, blocked_at IS NOT NULL, they_block, they_away,
                   CASE WHEN are_friends THEN 0 ELSE declines END, CASE WHEN are_friends THEN since END, asked_at,
                   heard_at, blocked_at, CASE WHEN NOT are_friends THEN quiet_until END,
                   CASE WHEN NOT are_friends THEN ended_at END,
                   CASE WHEN blocked_at IS NOT NULL OR asked_at IS NOT NULL
                             OR (NOT they_away AND (are_friends OR heard_at IS NOT NULL)) THEN NULL ELSE 0 END,
                   CASE WHEN are_friends THEN username END, CASE WHEN are_friends THEN display_name END,
                   CASE WHEN are_friends THEN avatar_url END, CASE WHEN are_friends THEN metadata END
            FROM (SELECT user_id, other_id, other_uid, i_want, they_want, they_block, they_away, declines, since,
                         CASE WHEN NOT are_friends AND i_want THEN coalesce(asked_at, since)
                              WHEN they_away THEN asked_at END AS asked_at,
                         CASE WHEN they_want AND NOT i_want AND blocked_at IS NULL AND NOT they_block THEN shown_at END
                             AS heard_at,
                         blocked_at, quiet_until, ended_at, are_friends, username, display_name, avatar_url, metadata
                  FROM import_rows
                  WHERE i_want OR they_want OR blocked_at IS NOT NULL OR they_block OR declines > 0 OR ended_at IS NOT NULL
            ) new
            ORDER BY user_id, other_id
            """)
    }
}
