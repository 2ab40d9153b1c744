import Imports
import Kernel
import Postgres

/// Imports names that nobody has now, so that nobody takes one that is held or reserved, and none looks as if
/// nobody ever had it. It changes no existing name.
struct NameStateImportStore {
    let staged: StagedImport

    func write() async throws -> ImportReport {
        try await staged.lock("usernames")
        try await judge()
        staged.progress(.working("writing names", rows: staged.records))
        let imported = try await staged.session.run(
            """
            INSERT INTO usernames (name_key, user_id, state, held_until)
            SELECT name_key, owner_id, state, held_until FROM import_judged WHERE verdict IS NULL ORDER BY name_key
            """)
        let findings = try await staged.findings(in: "import_judged")
        return ImportReport(lines: staged.records, imported: imported, findings: findings)
    }

    private func judge() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_judged ON COMMIT DROP AS
            WITH lines AS MATERIALIZED (
                SELECT record, username COLLATE "C" AS username, fold(username COLLATE "C") AS name_key, state,
                       nullif(uid, '') AS uid, held_until FROM import_file),
            ids AS MATERIALIZED (SELECT DISTINCT user_id(uid) AS id FROM lines WHERE uid IS NOT NULL),
            people AS MATERIALIZED (
                SELECT u.id, u.uid FROM ids JOIN users u ON u.id = ids.id WHERE u.status <> 'deleted'),
            keys AS MATERIALIZED (SELECT DISTINCT name_key FROM lines WHERE name_key IS NOT NULL),
            known AS MATERIALIZED (
                SELECT n.name_key, n.user_id, n.state, n.held_until
                FROM keys JOIN usernames n ON n.name_key = keys.name_key)
            SELECT record, name_key, owner_id, state, held_until,
                   CASE WHEN verdict IS NULL
                             AND row_number() OVER (PARTITION BY name_key, verdict IS NULL ORDER BY record) > 1
                        THEN 'duplicate' ELSE verdict END AS verdict
            FROM (SELECT f.record, f.name_key, u.id AS owner_id, f.state, f.held_until,
                   CASE
                       WHEN (char_length(f.username) BETWEEN 1 AND 64 AND f.username !~ \(ImportText.control))
                           IS NOT TRUE THEN 'username_invalid'
                       WHEN f.held_until = 'infinity' THEN 'time_invalid'
                       WHEN CASE f.state WHEN 'held' THEN f.uid IS NOT NULL AND f.held_until IS NOT NULL
                                         WHEN 'reserved' THEN f.uid IS NULL
                                         WHEN 'released' THEN f.held_until IS NULL END IS NOT TRUE
                           THEN 'name_state_invalid'
                       WHEN f.uid IS NOT NULL AND u.id IS NULL THEN 'unknown_user'
                       WHEN k.state = f.state AND (k.user_id, k.held_until) IS NOT DISTINCT FROM (u.id, f.held_until)
                           THEN 'already'
                       WHEN k.name_key IS NOT NULL THEN 'username_taken'
                   END AS verdict
            FROM lines f
            LEFT JOIN people u ON u.uid = f.uid
            LEFT JOIN known k ON k.name_key = f.name_key) compared
            """)
        try await staged.session.script("ANALYZE import_judged")
    }
}
