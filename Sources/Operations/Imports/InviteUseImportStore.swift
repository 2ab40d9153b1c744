import Imports
import Kernel
import Postgres

/// Imports who used which link, so that a limited link is used up as before, and nobody counts twice.
struct InviteUseImportStore {
    let staged: StagedImport

    func write() async throws -> ImportReport {
        try await staged.lock("invites, invite_uses")
        try await check()
        try await holdLimits()
        staged.progress(.working("writing uses", rows: staged.records))
        let imported = try await staged.session.run(
            """
            INSERT INTO invite_uses (code, user_id, used_at)
            SELECT code, user_id, used_at FROM import_judged WHERE verdict IS NULL ORDER BY code, user_id
            """)
        try await staged.session.run(
            """
            WITH counted AS MATERIALIZED (
                SELECT code, count(*)::integer AS new FROM import_judged WHERE verdict IS NULL GROUP BY code)
            UPDATE invites i SET uses = i.uses + counted.new FROM counted WHERE i.code = counted.code
            """)
        let findings = try await staged.findings(in: "import_judged")
        return ImportReport(lines: staged.records, imported: imported, findings: findings)
    }

    private func check() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_uses ON COMMIT DROP AS
            WITH ids AS MATERIALIZED (SELECT DISTINCT user_id(uid) AS id FROM import_file),
            people AS MATERIALIZED (SELECT u.id, u.uid FROM ids JOIN users u ON u.id = ids.id),
            codes AS MATERIALIZED (SELECT DISTINCT code COLLATE "C" AS code FROM import_file WHERE code IS NOT NULL),
            known AS MATERIALIZED (SELECT i.code, i.uses, i.max_uses FROM codes JOIN invites i ON i.code = codes.code),
            used AS MATERIALIZED (SELECT w.code, w.user_id FROM codes JOIN invite_uses w ON w.code = codes.code)
            SELECT f.record, k.code, u.id AS user_id, coalesce(f.used_at, now()) AS used_at, k.max_uses - k.uses AS room,
                   CASE
                       WHEN k.code IS NULL THEN 'unknown_code'
                       WHEN u.id IS NULL THEN 'unknown_user'
                       WHEN f.used_at NOT BETWEEN '1970-01-01Z' AND now() THEN 'time_invalid'
                       WHEN w.code IS NOT NULL THEN 'already'
                   END AS verdict
            FROM import_file f
            LEFT JOIN people u ON u.uid = f.uid
            LEFT JOIN known k ON k.code = f.code
            LEFT JOIN used w ON w.code = k.code AND w.user_id = u.id
            """)
        try await staged.session.script("ANALYZE import_uses")
    }

    /// Refuses uses beyond a link's limit. Those on the earliest lines stay.
    private func holdLimits() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_judged ON COMMIT DROP AS
            WITH single AS MATERIALIZED (
                SELECT record, code, user_id, used_at, room,
                       CASE WHEN verdict IS NULL
                                 AND row_number() OVER (PARTITION BY code, user_id, verdict IS NULL ORDER BY record) > 1
                            THEN 'duplicate' ELSE verdict END AS verdict
                FROM import_uses)
            SELECT record, code, user_id, used_at,
                   CASE WHEN verdict IS NULL
                             AND row_number() OVER (PARTITION BY code, verdict IS NULL ORDER BY record) > room
                        THEN 'use_limit' ELSE verdict END AS verdict
            FROM single
            """)
        try await staged.session.script("ANALYZE import_judged")
    }
}
