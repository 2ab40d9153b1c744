import Imports
import Kernel
import Postgres

/// Imports who joined by whose invite. Nobody's existing inviter changes.
struct InviterImportStore {
    let staged: StagedImport

    func write() async throws -> ImportReport {
        try await judge()
        staged.progress(.working("writing inviters", rows: staged.records))
        let imported = try await staged.session.run(
            """
            INSERT INTO acceptances (invitee_id, inviter_id, code, accepted_at)
            SELECT invitee_id, inviter_id, code, accepted_at FROM import_judged WHERE verdict IS NULL ORDER BY invitee_id
            """)
        let findings = try await staged.findings(in: "import_judged")
        return ImportReport(lines: staged.records, imported: imported, findings: findings)
    }

    /// Judges the lines. A sign-up writes its attribution with the user, so none comes for these users
    /// meanwhile.
    private func judge() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_judged ON COMMIT DROP AS
            WITH ids AS MATERIALIZED (
                SELECT user_id(uid) AS id FROM import_file UNION SELECT user_id(inviter_uid) FROM import_file),
            people AS MATERIALIZED (SELECT u.id, u.uid FROM ids JOIN users u ON u.id = ids.id),
            known AS MATERIALIZED (
                SELECT a.invitee_id, a.inviter_id FROM ids JOIN acceptances a ON a.invitee_id = ids.id),
            codes AS MATERIALIZED (SELECT DISTINCT code COLLATE "C" AS code FROM import_file WHERE code IS NOT NULL),
            owners AS MATERIALIZED (SELECT i.code, i.owner_id FROM codes JOIN invites i ON i.code = codes.code),
            lines AS MATERIALIZED (
                SELECT f.record, u.id AS invitee_id, i.id AS inviter_id, nullif(f.code COLLATE "C", '') AS code,
                       f.accepted_at
                FROM import_file f LEFT JOIN people u ON u.uid = f.uid LEFT JOIN people i ON i.uid = f.inviter_uid),
            both_ways AS MATERIALIZED (
                SELECT DISTINCT l.invitee_id, l.inviter_id
                FROM lines l JOIN lines m ON m.invitee_id = l.inviter_id AND m.inviter_id = l.invitee_id)
            SELECT record, invitee_id, inviter_id, code, accepted_at,
                   CASE WHEN verdict IS NULL
                             AND row_number() OVER (PARTITION BY invitee_id, verdict IS NULL ORDER BY record) > 1
                        THEN 'duplicate' ELSE verdict END AS verdict
            FROM (
            SELECT l.record, l.invitee_id, l.inviter_id, l.code, coalesce(l.accepted_at, now()) AS accepted_at,
                   CASE
                       WHEN l.invitee_id IS NULL OR l.inviter_id IS NULL THEN 'unknown_user'
                       WHEN l.invitee_id = l.inviter_id THEN 'oneself'
                       WHEN l.accepted_at NOT BETWEEN '1970-01-01Z' AND now() THEN 'time_invalid'
                       WHEN mine.inviter_id = l.inviter_id THEN 'already'
                       WHEN mine.invitee_id IS NOT NULL OR theirs.inviter_id = l.invitee_id OR b.invitee_id IS NOT NULL
                           THEN 'inviter_taken'
                       WHEN o.owner_id <> l.inviter_id THEN 'code_taken'
                   END AS verdict
            FROM lines l
            LEFT JOIN known mine ON mine.invitee_id = l.invitee_id
            LEFT JOIN known theirs ON theirs.invitee_id = l.inviter_id
            LEFT JOIN both_ways b ON b.invitee_id = l.invitee_id AND b.inviter_id = l.inviter_id
            LEFT JOIN owners o ON o.code = l.code) compared
            """)
        try await staged.session.script("ANALYZE import_judged")
    }
}
