import Imports
import Kernel
import Postgres

/// Imports the usernames that users had in another system, so that their old links keep working.
struct UsernameImportStore {
    let staged: StagedImport

    func write(complete: Bool) async throws -> ImportReport {
        try await staged.lock("users, usernames, username_periods")
        try await check()
        try await findOverlaps()
        staged.progress(.working("writing usernames", rows: staged.records))
        let moved = try await moveStarts()
        let imported = try await insert()
        if complete { try await markComplete() }
        let findings = try await staged.findings(
            """
            SELECT verdict, count(*), (array_agg(record ORDER BY record))[1:5]
            FROM import_judged WHERE verdict IS NOT NULL GROUP BY verdict
            """)
        return ImportReport(
            lines: staged.records, imported: imported,
            findings: (moved > 0 ? [.init(.startMoved, moved)] : []) + findings)
    }

    /// Validates each line by itself and against the existing rows.
    private func check() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_periods ON COMMIT DROP AS
            WITH ids AS MATERIALIZED (SELECT DISTINCT user_id(uid) AS id FROM import_file),
            people AS MATERIALIZED (
                SELECT u.id, u.uid, u.username FROM ids JOIN users u ON u.id = ids.id WHERE u.status <> 'deleted'),
            known AS MATERIALIZED (
                SELECT p.user_id, p.name_key, p.valid_from, p.valid_to
                FROM ids JOIN username_periods p ON p.user_id = ids.id WHERE p.valid_to IS NOT NULL)
            SELECT f.record, u.id, f.username, f.name_key, f.valid_from, f.valid_to,
                   coalesce(f.severed, false) AS severed,
                   CASE
                       WHEN u.id IS NULL THEN 'unknown_user'
                       WHEN (char_length(f.username) BETWEEN 1 AND 64 AND f.username !~ \(ImportText.control))
                           IS NOT TRUE THEN 'username_invalid'
                       WHEN 'infinity' IN (f.valid_from, f.valid_to) THEN 'time_invalid'
                       WHEN f.valid_to IS NULL AND f.name_key = fold(u.username) THEN 'already'
                       WHEN f.valid_from IS NULL OR f.valid_to IS NULL THEN 'period_open'
                       WHEN f.valid_to <= f.valid_from THEN 'period_reversed'
                       WHEN f.valid_from < '1970-01-01Z' OR f.valid_to > now() THEN 'time_invalid'
                       WHEN row_number() OVER (
                           PARTITION BY u.id, f.name_key, f.valid_from, f.valid_to ORDER BY f.record) > 1 THEN 'duplicate'
                       WHEN p.user_id IS NOT NULL THEN 'already'
                   END AS verdict
            FROM (SELECT record, uid, username COLLATE "C" AS username, valid_from, valid_to, severed,
                         fold(username COLLATE "C") AS name_key FROM import_file) f
            LEFT JOIN people u ON u.uid = f.uid
            LEFT JOIN known p ON p.user_id = u.id AND p.name_key = f.name_key
                AND p.valid_from = f.valid_from AND p.valid_to = f.valid_to
            """)
        try await staged.session.script("ANALYZE import_periods")
    }

    /// Finds overlaps, since a user has only one name at a time. The first period of an imported account
    /// gives way: it begins when the account was created only because no better time was known.
    private func findOverlaps() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_judged ON COMMIT DROP AS
            WITH ids AS MATERIALIZED (SELECT DISTINCT id FROM import_periods WHERE verdict IS NULL),
            known AS MATERIALIZED (
                SELECT p.user_id, p.valid_from, p.valid_to, p.valid_from = u.created_at AND s.user_id IS NULL AS gives_way
                FROM ids
                JOIN users u ON u.id = ids.id
                JOIN username_periods p ON p.user_id = u.id
                LEFT JOIN signups s ON s.user_id = u.id),
            overlapping AS MATERIALIZED (
                SELECT DISTINCT i.record FROM import_periods i JOIN known k ON k.user_id = i.id
                WHERE i.verdict IS NULL AND i.valid_from < coalesce(k.valid_to, now())
                  AND i.valid_to > CASE WHEN k.gives_way THEN coalesce(k.valid_to, now()) ELSE k.valid_from END)
            SELECT i.record, id, username, name_key, valid_from, valid_to, severed,
                   CASE
                       WHEN verdict IS NOT NULL THEN verdict
                       WHEN max(valid_to) FILTER (WHERE verdict IS NULL) OVER (
                           PARTITION BY id ORDER BY valid_from, valid_to, i.record
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) > valid_from THEN 'period_overlaps'
                       WHEN o.record IS NOT NULL THEN 'period_overlaps'
                   END AS verdict
            FROM import_periods i LEFT JOIN overlapping o ON o.record = i.record
            """)
        try await staged.session.script("ANALYZE import_judged")
    }

    private func moveStarts() async throws -> Int {
        try await staged.session.run(
            """
            WITH moves AS MATERIALIZED (
                SELECT id, max(valid_to) AS valid_to FROM import_judged WHERE verdict IS NULL GROUP BY id)
            UPDATE username_periods p SET valid_from = i.valid_to
            FROM moves i
            JOIN users u ON u.id = i.id
            LEFT JOIN signups s ON s.user_id = u.id
            WHERE p.user_id = u.id AND p.valid_from = u.created_at AND p.valid_from < i.valid_to
              AND (p.valid_to IS NULL OR i.valid_to <= p.valid_to) AND s.user_id IS NULL
            """)
    }

    /// Inserts the periods. Nobody loses a name: only a name that nobody had is added, as released by its
    /// last owner.
    private func insert() async throws -> Int {
        let imported = try await staged.session.run(
            """
            INSERT INTO username_periods (user_id, name_key, username, valid_from, valid_to, severed)
            SELECT id, name_key, username, valid_from, valid_to, severed
            FROM import_judged WHERE verdict IS NULL ORDER BY id, name_key
            """)
        try await staged.session.run(
            """
            INSERT INTO usernames (name_key, user_id, state, changed_at)
            SELECT DISTINCT ON (name_key) name_key, id, 'released', valid_to
            FROM import_judged WHERE verdict IS NULL ORDER BY name_key, valid_to DESC, record
            ON CONFLICT (name_key) DO NOTHING
            """)
        return imported
    }

    /// Marks histories as complete, except of users with a refused line.
    private func markComplete() async throws {
        try await staged.session.run(
            """
            WITH told AS MATERIALIZED (
                SELECT id FROM import_judged GROUP BY id
                HAVING bool_and(verdict IS NULL OR verdict IN ('already', 'duplicate')))
            UPDATE users u SET history_complete = true FROM told WHERE u.id = told.id AND NOT u.history_complete
            """)
    }
}
