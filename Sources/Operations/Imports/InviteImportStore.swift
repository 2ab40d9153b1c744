import Imports
import Kernel
import Postgres

/// Imports links with a code, so that printed ones lead to the right person. An existing code stays as it is.
struct InviteImportStore {
    let staged: StagedImport

    func write() async throws -> ImportReport {
        // The lock keeps others from setting a user's code meanwhile.
        try await staged.lock("users")
        try await judge()
        staged.progress(.working("writing invites", rows: staged.records))
        let imported = try await staged.session.run(
            """
            INSERT INTO invites (code, owner_id, kind, mode, label, note, max_uses, expires_at, revoked_at, created_at)
            SELECT code, owner_id, kind, mode, label, note, max_uses, expires_at, revoked_at, created_at
            FROM import_judged WHERE verdict IS NULL ORDER BY code
            """)
        try await staged.session.run(
            """
            INSERT INTO invites_by_owner (owner_id, code, kind, created_at)
            SELECT owner_id, code, kind, created_at FROM import_judged WHERE verdict IS NULL ORDER BY owner_id, code
            """)
        try await staged.session.run(
            """
            WITH given AS MATERIALIZED (
                SELECT owner_id, code FROM import_judged WHERE verdict IS NULL AND is_current)
            UPDATE users u SET invite_code = given.code FROM given WHERE u.id = given.owner_id
            """)
        let findings = try await staged.findings(in: "import_judged")
        return ImportReport(lines: staged.records, imported: imported, findings: findings)
    }

    private func judge() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_judged ON COMMIT DROP AS
            WITH lines AS MATERIALIZED (
                SELECT record, code COLLATE "C" AS code, uid, kind, coalesce(nullif(mode, ''), 'auto') AS mode,
                       nullif(label, '') AS label, nullif(note, '') AS note, max_uses, expires_at, revoked_at,
                       coalesce(created_at, now()) AS created_at,
                       kind = 'personal' AND revoked_at IS NULL AS is_current
                FROM import_file),
            ids AS MATERIALIZED (SELECT DISTINCT user_id(uid) AS id FROM lines),
            people AS MATERIALIZED (
                SELECT u.id, u.uid, u.status, u.invite_code FROM ids JOIN users u ON u.id = ids.id),
            codes AS MATERIALIZED (SELECT DISTINCT code FROM lines WHERE code IS NOT NULL),
            known AS MATERIALIZED (SELECT i.code, i.owner_id FROM codes JOIN invites i ON i.code = codes.code)
            SELECT record, code, owner_id, kind, mode, label, note, max_uses, expires_at, revoked_at, created_at, is_current,
                   CASE
                       WHEN verdict IS NOT NULL THEN verdict
                       WHEN row_number() OVER (PARTITION BY code, verdict IS NULL ORDER BY record) > 1 THEN 'duplicate'
                       WHEN is_current AND row_number() OVER (
                           PARTITION BY owner_id, is_current, verdict IS NULL ORDER BY record) > 1 THEN 'code_second'
                   END AS verdict
            FROM (SELECT f.record, f.code, u.id AS owner_id, f.kind, f.mode, f.label, f.note, f.max_uses, f.expires_at,
                   f.revoked_at, f.created_at, f.is_current,
                   CASE
                       WHEN (f.code ~ \(Self.code)) IS NOT TRUE THEN 'code_invalid'
                       WHEN u.id IS NULL
                           OR (u.status = 'deleted' AND (f.revoked_at IS NULL OR coalesce(f.label, f.note) IS NOT NULL))
                           THEN 'unknown_user'
                       WHEN (f.kind IN ('personal', 'custom') AND f.mode IN ('auto', 'ask')
                             AND coalesce(char_length(f.label) <= 100 AND f.label !~ \(ImportText.neverShown), true)
                             AND coalesce(char_length(f.note) <= 140 AND f.note !~ \(ImportText.neverShown), true)
                             AND coalesce(f.max_uses > 0, true)) IS NOT TRUE THEN 'invite_invalid'
                       WHEN f.created_at NOT BETWEEN '1970-01-01Z' AND now()
                           OR f.revoked_at NOT BETWEEN '1970-01-01Z' AND now()
                           OR f.expires_at NOT BETWEEN '1970-01-01Z' AND '3000-01-01Z' THEN 'time_invalid'
                       WHEN k.owner_id = u.id THEN 'already'
                       WHEN k.code IS NOT NULL THEN 'code_taken'
                       WHEN f.is_current AND u.invite_code IS NOT NULL THEN 'code_second'
                   END AS verdict
            FROM lines f
            LEFT JOIN people u ON u.uid = f.uid
            LEFT JOIN known k ON k.code = f.code) compared
            """)
        try await staged.session.script("ANALYZE import_judged")
    }

    /// A pattern for sixteen characters of `Base32`.
    private static let code = "^[0-9a-hjkmnp-tv-z]{16}$"
}
