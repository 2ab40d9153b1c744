import Postgres

/// The checks of `users`, and of their current and former names.
extension Sweep {
    static let users = Sweep(
        table: "users", home: .user,
        invariants: [
            Invariant(
                "id_of_another", "users.id does not match the uid",
                .person("find out what wrote it; no token leads to this row")),
            Invariant("status_unknown", "a status that Kith does not know", .person("set users.status")),
            Invariant(
                "frozen_without_reason", "frozen_at and frozen_reason are not set together",
                .person("set both, or neither")),
            Invariant(
                "ends_forgotten_beyond_count",
                "the last forgotten end has a greater number than the last change", .repair),
            Invariant(
                "name_not_active", "the user's current username is not an active name of the user", .repair,
                unless: "somebody else has a claim to the name"),
            Invariant(
                "period_not_open", "the user's open period is not that of the current username", .repair),
            Invariant(
                "deleted_with_names", "a deleted account still has periods of usernames",
                .person("delete them: links with these names must lead nowhere")),
            Invariant(
                "deleted_with_rows", "a deleted account still has dismissals or idempotency keys", .repair),
            Invariant(
                "invite_code_dead",
                "the code of the user's permanent link is not one of the user's, personal and in force",
                .person("have the user rotate the link")),
        ],
        rows: """
            SELECT u.id AS home, u.uid AS key,
                   u.id <> user_id(u.uid) AS id_of_another,
                   u.status NOT IN ('active', 'suspended', 'deleted') AS status_unknown,
                   (u.frozen_at IS NULL) <> (u.frozen_reason IS NULL) AS frozen_without_reason,
                   u.ends_forgotten > u.changes AS ends_forgotten_beyond_count,
                   u.status <> 'deleted' AND (n.state, n.user_id) IS DISTINCT FROM ('active', u.id) AS name_not_active,
                   u.status <> 'deleted' AND p.name_key IS DISTINCT FROM fold(u.username) AS period_not_open,
                   u.status = 'deleted' AND EXISTS (SELECT FROM username_periods had WHERE had.user_id = u.id)
                       AS deleted_with_names,
                   u.status = 'deleted' AND (
                       EXISTS (SELECT FROM dismissals d WHERE d.user_id = u.id)
                       OR EXISTS (SELECT FROM links_by_owner b WHERE b.owner_id = u.id AND b.idempotency_key IS NOT NULL))
                       AS deleted_with_rows,
                   u.invite_code IS NOT NULL
                       AND (l.owner_id, l.kind, l.revoked_at) IS DISTINCT FROM (u.id, 'personal', NULL::timestamptz)
                       AS invite_code_dead
            FROM users u
            LEFT JOIN usernames n ON n.name_key = fold(u.username)
            LEFT JOIN username_periods p ON p.user_id = u.id AND p.valid_to IS NULL
            LEFT JOIN links l ON l.code = u.invite_code
            """,
        repairs: { homes in
            [
                """
                UPDATE users SET changes = ends_forgotten WHERE id = ANY(\(homes)::uuid[]) AND ends_forgotten > changes
                """, requireNamesCurrent, openPeriod(homes),
                """
                DELETE FROM dismissals
                WHERE user_id IN (SELECT id FROM users WHERE id = ANY(\(homes)::uuid[]) AND status = 'deleted')
                """,
                """
                UPDATE links_by_owner SET idempotency_key = NULL, request_sha256 = NULL
                WHERE owner_id IN (SELECT id FROM users WHERE id = ANY(\(homes)::uuid[]) AND status = 'deleted')
                  AND idempotency_key IS NOT NULL
                """,
            ]
        },
        repairsOfNames: { [lockPeriods($0), activateNames($0)] })

    static let periods = Sweep(
        table: "username_periods", home: .user,
        invariants: [
            Invariant(
                "periods_overlap", "two periods of one user overlap",
                .person("correct the times: a user has one name at a time")),
            Invariant(
                "period_of_unknown_name", "a period of a name that is missing in usernames",
                .person("insert the name as released, with this user as its last owner")),
        ],
        rows: """
            SELECT p.user_id AS home, coalesce(u.uid, p.user_id::text) || ' as ' || p.username AS key,
                   EXISTS (SELECT FROM username_periods q
                           WHERE q.user_id = p.user_id
                             AND (q.valid_from, q.name_key) > (p.valid_from, p.name_key)
                             AND q.valid_from < coalesce(p.valid_to, 'infinity')) AS periods_overlap,
                   n.name_key IS NULL AS period_of_unknown_name
            FROM username_periods p
            LEFT JOIN usernames n ON n.name_key = p.name_key
            LEFT JOIN users u ON u.id = p.user_id
            """)

    static let usernames = Sweep(
        table: "usernames", home: .name,
        invariants: [
            Invariant(
                "name_of_nobody", "a name whose owner does not exist",
                .person("set it to reserved, or to released and an owner")),
            Invariant(
                "name_not_current", "an active name that is not its owner's current one",
                .person("set it to held or released")),
            Invariant(
                "name_of_deleted", "a name that still refers to the deleted account that had it",
                .person("set usernames.user_id to NULL, and the state to released")),
        ],
        rows: """
            SELECT n.name_key AS home, n.name_key AS key,
                   n.user_id IS NOT NULL AND u.id IS NULL AS name_of_nobody,
                   n.state = 'active' AND u.id IS NOT NULL
                       AND (u.status = 'deleted' OR fold(u.username) <> n.name_key) AS name_not_current,
                   u.status IS NOT DISTINCT FROM 'deleted' AS name_of_deleted
            FROM usernames n LEFT JOIN users u ON u.id = n.user_id
            """)

    /// Leaves out imported names, which another system may have given to two users. Allows a minute of overlap, since a
    /// transaction's clock stands at its beginning. Of open periods it checks only that of a name's owner: for others
    /// `name_not_active` is broken.
    static let namesakes = Sweep(
        table: "username_periods", home: .name, sliceRows: 100_000, countsRows: false,
        invariants: [
            Invariant(
                "name_had_by_two", "two users had one name at the same time",
                .person("correct the times: an old link leads to the user it names all the same"))
        ],
        rows: """
            SELECT name_key AS home, name_key AS key,
                   next_user <> user_id AND next_from < coalesce(valid_to, 'infinity') - interval '1 minute'
                       AS name_had_by_two
            FROM (SELECT p.name_key, p.user_id, p.valid_to,
                         lead(p.user_id) OVER later AS next_user, lead(p.valid_from) OVER later AS next_from
                  FROM (SELECT name_key, user_id, valid_from, valid_to FROM username_periods
                        WHERE valid_to IS NOT NULL
                        UNION ALL
                        SELECT n.name_key, o.user_id, o.valid_from, o.valid_to
                        FROM usernames n JOIN username_periods o
                          ON o.user_id = n.user_id AND o.name_key = n.name_key AND o.valid_to IS NULL) p
                  JOIN signups s ON s.user_id = p.user_id AND s.created_at <= p.valid_from
                  WINDOW later AS (PARTITION BY p.name_key ORDER BY p.valid_from)) born_here
            """)

    /// A rename locks the open period first, so this does, too.
    private static func lockPeriods(_ homes: [String]) -> Statement {
        """
        SELECT FROM username_periods WHERE user_id = ANY(\(homes)::uuid[]) AND valid_to IS NULL ORDER BY user_id FOR UPDATE
        """
    }

    /// Activates the users' current names to which nobody else has a claim.
    private static func activateNames(_ homes: [String]) -> Statement {
        """
        WITH activated AS (
            INSERT INTO usernames (name_key, user_id, state)
            SELECT fold(username) COLLATE "C" AS name_key, id, 'active' FROM users
            WHERE id = ANY(\(homes)::uuid[]) AND status <> 'deleted' ORDER BY name_key
            ON CONFLICT (name_key) DO UPDATE
            SET user_id = excluded.user_id, state = 'active', held_until = NULL, changed_at = excluded.changed_at
            WHERE (usernames.user_id = excluded.user_id AND usernames.state <> 'active') OR usernames.state = 'released'
            RETURNING name_key)
        SELECT set_config('kith.activated', coalesce(array_agg(name_key), '{}')::text, true) FROM activated
        """
    }

    /// A user may have left the name while this waited for its row.
    private static let requireNamesCurrent: Statement = """
        SELECT require(
            NOT EXISTS (
                SELECT FROM usernames n JOIN users u ON u.id = n.user_id
                WHERE n.name_key = ANY(current_setting('kith.activated')::text[])
                  AND (u.status = 'deleted' OR fold(u.username) <> n.name_key)),
            \(AccountError.changedMeanwhile))
        """

    /// Opens a period only if none is open: an open one of another name may be right.
    private static func openPeriod(_ homes: [String]) -> Statement {
        """
        INSERT INTO username_periods (user_id, name_key, username, valid_from)
        SELECT u.id, n.name_key, u.username, greatest(n.changed_at, (
                   SELECT max(valid_to) FROM username_periods WHERE user_id = u.id))
        FROM users u JOIN usernames n ON n.name_key = fold(u.username)
        WHERE u.id = ANY(\(homes)::uuid[]) AND u.status <> 'deleted' AND n.user_id = u.id AND n.state = 'active'
          AND NOT EXISTS (SELECT FROM username_periods p WHERE p.user_id = u.id AND p.valid_to IS NULL)
        """
    }
}
