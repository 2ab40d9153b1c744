import Graph
import Imports
import Kernel
import Postgres

/// Imports users, each with a username and its period, which begins with the account unless the file says
/// otherwise. For a deleted account it stores only that there was one.
struct UserImportStore {
    let staged: StagedImport
    let policy: UsernamePolicy

    func write(keepNames: Bool, historyComplete: Bool) async throws -> ImportReport {
        try await check(keepNames: keepNames)
        try await staged.lock("users, usernames, username_periods")
        try await judge()
        staged.progress(.working("writing users", rows: staged.records))
        let imported = try await insert(historyComplete: historyComplete)
        let findings = try await staged.findings(
            """
            SELECT verdict, count(*), (array_agg(record ORDER BY record))[1:5]
            FROM (SELECT verdict, record FROM import_judged WHERE verdict IS NOT NULL
                  UNION ALL
                  SELECT 'display_name_dropped', record FROM import_judged
                  WHERE verdict IS NULL AND display_name_dropped
                  UNION ALL
                  SELECT 'avatar_dropped', record FROM import_judged WHERE verdict IS NULL AND avatar_dropped
                  UNION ALL
                  SELECT 'metadata_dropped', record FROM import_judged WHERE verdict IS NULL AND metadata_dropped) found
            GROUP BY verdict
            """)
        return ImportReport(lines: staged.records, imported: imported, findings: findings)
    }

    /// Validates each line by itself.
    private func check(keepNames: Bool) async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_users ON COMMIT DROP AS
            SELECT record, id, uid, username, name_key, created_at, coalesce(username_since, created_at) AS username_since,
                   CASE WHEN shows THEN display_name END AS display_name,
                   display_name <> '' AND NOT shows AS display_name_dropped,
                   CASE WHEN avatar_is_possible THEN avatar_url END AS avatar_url,
                   avatar_url <> '' AND NOT avatar_is_possible AS avatar_dropped,
                   CASE WHEN metadata_is_possible THEN metadata_text END AS metadata,
                   metadata IS NOT NULL AND metadata_is_possible IS NOT TRUE AS metadata_dropped,
                   status, \(Self.reason("reason")) AS reason, invites, frozen_at,
                   CASE WHEN frozen_at IS NOT NULL
                        THEN coalesce(\(Self.reason("frozen_reason")), 'frozen before the import') END AS frozen_reason,
                   history_complete,
                   CASE
                       WHEN uid_is_possible IS NOT TRUE THEN 'uid_invalid'
                       WHEN row_number() OVER (PARTITION BY id ORDER BY record) > 1 THEN 'uid_twice'
                       WHEN status NOT IN ('active', 'suspended', 'deleted') THEN 'status_invalid'
                       WHEN invites NOT IN ('auto', 'ask', 'off') THEN 'invites_invalid'
                       WHEN created_at NOT BETWEEN '1970-01-01Z' AND now()
                           OR username_since NOT BETWEEN '1970-01-01Z' AND now()
                           OR frozen_at NOT BETWEEN '1970-01-01Z' AND now() THEN 'time_invalid'
                       WHEN status = 'deleted' THEN NULL
                       WHEN (char_length(username) BETWEEN 1 AND 64 AND username !~ \(ImportText.control))
                           IS NOT TRUE THEN 'username_invalid'
                       WHEN username IN ('.', '..') THEN 'username_no_link'
                       WHEN NOT \(keepNames) AND (
                           username !~ '^[A-Za-z][A-Za-z0-9_]*$' OR strpos(username, '__') > 0
                           OR char_length(username) NOT BETWEEN \(policy.rules.length.lowerBound) AND \(policy.rules.length.upperBound)
                           OR name_key = ANY(\(policy.rules.reservedWords))
                           OR name_key ^@ ANY(\(policy.rules.reservedPrefixes))) THEN 'username_not_allowed'
                   END AS verdict
            FROM (SELECT record, uid, created_at, username_since, display_name, avatar_url, metadata, status, reason,
                         invites, frozen_at, frozen_reason, history_complete, user_id(uid) AS id,
                         CASE WHEN status = 'deleted' THEN \(AccountStore.noName) ELSE username END AS username,
                         CASE WHEN status <> 'deleted' OR status IS NULL THEN fold(username) END AS name_key,
                         char_length(uid) BETWEEN 1 AND 128 AND uid !~ \(ImportText.control) AS uid_is_possible,
                         char_length(display_name) <= 100 AND octet_length(display_name) <= 300 AND display_name !~ \(ImportText.neverShown)
                             AND display_name ~ \(ImportText.visible) AS shows,
                         avatar_url ~ \(ImportText.avatar) AND octet_length(avatar_url) <= \(AvatarURL.maxLength)
                             AS avatar_is_possible,
                         \(Self.metadataIsPossible) AS metadata_is_possible, \(Self.metadataText) AS metadata_text
                  FROM (SELECT record, uid COLLATE "C" AS uid, username COLLATE "C" AS username,
                               coalesce(created_at, now()) AS created_at, username_since, avatar_url COLLATE "C" AS avatar_url,
                               metadata, nullif(status, '') AS status, reason, nullif(invites, '') AS invites, frozen_at,
                               frozen_reason, history_complete,
                               regexp_replace(display_name COLLATE "C", \(ImportText.margin), '', 'g') AS display_name
                        FROM import_file) trimmed) lines
            """)
        try await staged.session.script("ANALYZE import_users")
    }

    /// Returns SQL for a reason by the rules of `OperatorReason`: one line.
    private static func reason(_ column: Statement) -> Statement {
        "nullif(left(btrim(regexp_replace(\(column), \(ImportText.neverShown), ' ', 'g')), 500), '')"
    }

    /// A condition by the rules of `User.Metadata`.
    private static let metadataIsPossible: Statement = """
        CASE WHEN jsonb_typeof(metadata) = 'object' THEN (
            SELECT count(*) BETWEEN 1 AND \(User.Metadata.maxEntries) AND bool_and(
                jsonb_typeof(entry.value) = 'string' AND entry.key ~ '^[A-Za-z0-9_.-]+$'
                AND octet_length(entry.key) <= \(User.Metadata.maxKey) AND (entry.value #>> '{}') !~ \(ImportText.control))
            FROM jsonb_each(metadata) AS entry) AND octet_length(\(metadataText)) <= \(User.Metadata.maxBytes) END
        """

    /// SQL for metadata as `User.Metadata.json` writes them.
    private static let metadataText: Statement = """
        CASE WHEN jsonb_typeof(metadata) = 'object' THEN (
            SELECT '{' || string_agg(to_json(entry.key)::text || ':' || entry.value::text, ',' ORDER BY entry.key COLLATE "C")
                || '}'
            FROM jsonb_each(metadata) AS entry) END
        """

    /// Compares the lines with each other and with the existing rows, while nobody else writes.
    private func judge() async throws {
        try await staged.session.run(
            """
            CREATE TEMP TABLE import_judged ON COMMIT DROP AS
            WITH valid AS MATERIALIZED (SELECT id, name_key FROM import_users WHERE verdict IS NULL),
            people AS MATERIALIZED (
                SELECT u.id, u.status, fold(u.username) AS name_key FROM valid JOIN users u ON u.id = valid.id),
            names AS MATERIALIZED (
                SELECT n.name_key, n.user_id, n.state, n.held_until
                FROM (SELECT DISTINCT name_key FROM valid) v JOIN usernames n ON n.name_key = v.name_key)
            SELECT record, id, uid, username, name_key, created_at, username_since, display_name, display_name_dropped,
                   avatar_url, avatar_dropped, metadata, metadata_dropped, status, reason, invites, frozen_at,
                   frozen_reason, history_complete,
                   CASE WHEN verdict IS NULL AND name_key IS NOT NULL
                             AND row_number() OVER (PARTITION BY name_key, verdict IS NULL ORDER BY record) > 1
                        THEN 'username_twice' ELSE verdict END AS verdict
            FROM (SELECT i.record, i.id, i.uid, i.username, i.name_key, i.created_at, i.username_since, i.display_name,
                         i.display_name_dropped, i.avatar_url, i.avatar_dropped, i.metadata, i.metadata_dropped,
                         i.status, i.reason, i.invites, i.frozen_at, i.frozen_reason, i.history_complete,
                         CASE
                             WHEN i.verdict IS NOT NULL THEN i.verdict
                             WHEN u.status = 'deleted' AND i.status = 'deleted' THEN 'already'
                             WHEN u.status <> 'deleted' AND (u.name_key = i.name_key OR i.status = 'deleted')
                                 THEN CASE WHEN u.status <> i.status THEN 'status_differs' ELSE 'already' END
                             WHEN u.id IS NOT NULL THEN 'uid_taken'
                             WHEN n.user_id = i.id OR n.state = 'released'
                                 OR n.held_until < now() THEN NULL
                             WHEN n.name_key IS NOT NULL THEN 'username_taken'
                         END AS verdict
                  FROM import_users i
                  LEFT JOIN people u ON u.id = i.id
                  LEFT JOIN names n ON n.name_key = i.name_key) compared
            """)
        try await staged.session.script("ANALYZE import_judged")
    }

    private func insert(historyComplete: Bool) async throws -> Int {
        let imported = try await staged.session.run(
            """
            INSERT INTO users (
                id, uid, username, display_name, avatar_url, metadata, status, status_reason, invites, frozen_at,
                frozen_reason, history_complete, created_at)
            SELECT id, uid, username, CASE WHEN is_there THEN display_name END, CASE WHEN is_there THEN avatar_url END,
                   CASE WHEN is_there THEN metadata END, status, CASE WHEN status = 'suspended' THEN reason END,
                   CASE WHEN is_there THEN invites ELSE 'auto' END, CASE WHEN is_there THEN frozen_at END,
                   CASE WHEN is_there THEN frozen_reason END, history_complete, created_at
            FROM (SELECT id, uid, username, display_name, avatar_url, metadata, reason, frozen_at, frozen_reason,
                         created_at, coalesce(status, 'active') AS status, coalesce(invites, 'auto') AS invites,
                         coalesce(history_complete, \(historyComplete)) AS history_complete, name_key IS NOT NULL AS is_there
                  FROM import_judged WHERE verdict IS NULL) new
            ORDER BY id
            """)
        try await staged.session.run(
            """
            INSERT INTO usernames (name_key, user_id, state)
            SELECT name_key, id, 'active' FROM import_judged
            WHERE verdict IS NULL AND name_key IS NOT NULL ORDER BY name_key
            ON CONFLICT (name_key) DO UPDATE
            SET user_id = excluded.user_id, state = 'active', held_until = NULL, changed_at = excluded.changed_at
            """)
        try await staged.session.run(
            """
            INSERT INTO username_periods (user_id, name_key, username, valid_from)
            SELECT id, name_key, username, username_since FROM import_judged
            WHERE verdict IS NULL AND name_key IS NOT NULL ORDER BY id
            """)
        return imported
    }
}

/// The rules for text of `User.UID`, `Username.Key` and `DisplayName`, as regular expressions of PostgreSQL.
enum ImportText {
    /// A pattern for `AvatarURL` on any host. Pages show only those on hosts that are allowed at that time.
    static let avatar =
        "^https://[A-Za-z0-9.-]+(:443)?([/?]([A-Za-z0-9._~!$&()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$"
    static let control = "[\\u0001-\\u001f\\u007f-\\u009f]"
    private static let spaces = "\\t \\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f\\u3000"
    /// A pattern for white space at the start or end.
    static let margin = "^[\(spaces)]+|[\(spaces)]+$"
    /// A pattern for control characters, line breaks and direction controls.
    static let neverShown = "[\\u0001-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]"
    /// A pattern for a character that is neither white space nor invisible.
    static let visible =
        "[^\(spaces)\\u0001-\\u001f\\u0085\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200c-\\u200f"
        + "\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8\\ufffc\\U0001bca0-\\U0001bca3"
        + "\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]"
}
