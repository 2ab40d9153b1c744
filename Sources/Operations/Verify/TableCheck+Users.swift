import Kernel
import Postgres

/// The checks of `users`, and of their current and former names.
extension TableCheck {
    static let users = TableCheck(
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
                .person(
                    "links with these names must lead nowhere: DELETE FROM username_periods WHERE user_id = user_id('…')"
                )),
            Invariant(
                "deleted_with_rows", "a deleted account still has dismissals or idempotency keys", .repair),
            Invariant(
                "invite_code_dead",
                "the code of the user's permanent link is not one of the user's, personal and in force",
                .person("have the user rotate the link")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT u.id AS home, u.uid AS key, u.status, fold(u.username) AS name_key, u.invite_code,
                       u.id <> user_id(u.uid) AS id_of_another,
                       u.status NOT IN ('active', 'suspended', 'deleted') AS status_unknown,
                       (u.frozen_at IS NULL) <> (u.frozen_reason IS NULL) AS frozen_without_reason,
                       u.ends_forgotten > u.changes AS ends_forgotten_beyond_count,
                       u.status <> 'deleted' AND p.name_key IS DISTINCT FROM fold(u.username) AS period_not_open,
                       u.status = 'deleted' AND EXISTS (SELECT 1 FROM username_periods had WHERE had.user_id = u.id)
                           AS deleted_with_names,
                       u.status = 'deleted' AND (
                           EXISTS (SELECT 1 FROM dismissals d WHERE d.user_id = u.id)
                           OR EXISTS (
                               SELECT 1 FROM invites_by_owner b WHERE b.owner_id = u.id AND b.idempotency_key IS NOT NULL))
                           AS deleted_with_rows
                FROM users u LEFT JOIN username_periods p ON p.user_id = u.id AND p.valid_to IS NULL
                WHERE \(within("u.id"))),
            names AS MATERIALIZED (
                SELECT mine.home FROM mine JOIN usernames n ON \(found("n.name_key", "mine.name_key"))
                WHERE n.state = 'active' AND n.user_id = mine.home),
            codes AS MATERIALIZED (
                SELECT mine.home FROM mine JOIN invites i ON \(found("i.code", "mine.invite_code"))
                WHERE i.owner_id = mine.home AND i.kind = 'personal' AND i.revoked_at IS NULL)
            SELECT mine.*, mine.status <> 'deleted' AND n.home IS NULL AS name_not_active,
                   mine.invite_code IS NOT NULL AND c.home IS NULL AS invite_code_dead
            FROM mine LEFT JOIN names n ON n.home = mine.home LEFT JOIN codes c ON c.home = mine.home
            """
        },
        repairs: { homes in
            [
                """
                UPDATE users SET changes = ends_forgotten WHERE id = ANY(\(homes)::uuid[]) AND ends_forgotten > changes
                """, requireNamesCurrent, openPeriods(homes),
                """
                DELETE FROM dismissals
                WHERE user_id IN (SELECT id FROM users WHERE id = ANY(\(homes)::uuid[]) AND status = 'deleted')
                """,
                """
                UPDATE invites_by_owner SET idempotency_key = NULL, request_sha256 = NULL, answer = NULL
                WHERE owner_id IN (SELECT id FROM users WHERE id = ANY(\(homes)::uuid[]) AND status = 'deleted')
                  AND idempotency_key IS NOT NULL
                """,
            ]
        },
        repairsOfNames: { ["SELECT set_config('kith.activated', activate_names(\($0)::uuid[])::text, true)"] }
    )

    static let periods = TableCheck(
        table: "username_periods", home: .user,
        invariants: [
            Invariant(
                "periods_overlap", "two periods of one user overlap",
                .person("correct the times: a user has one name at a time")),
            Invariant(
                "period_of_unknown_name", "a period of a name that is missing in usernames",
                .person("insert the name as released, with this user as its last owner")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT p.user_id AS home, coalesce(u.uid, p.user_id::text) || ' as ' || p.username AS key, p.name_key,
                       EXISTS (SELECT 1 FROM username_periods q
                               WHERE q.user_id = p.user_id
                                 AND (q.valid_from, q.name_key) > (p.valid_from, p.name_key)
                                 AND q.valid_from < coalesce(p.valid_to, 'infinity')) AS periods_overlap
                FROM username_periods p LEFT JOIN users u ON u.id = p.user_id WHERE \(within("p.user_id"))),
            names AS MATERIALIZED (
                SELECT DISTINCT n.name_key FROM mine JOIN usernames n ON \(found("n.name_key", "mine.name_key")))
            SELECT mine.*, n.name_key IS NULL AS period_of_unknown_name
            FROM mine LEFT JOIN names n ON n.name_key = mine.name_key
            """
        })

    static let usernames = TableCheck(
        table: "usernames", home: .name,
        invariants: [
            Invariant(
                "name_of_nobody", "a name whose owner does not exist",
                .person(
                    "keep it for nobody: UPDATE usernames SET user_id = NULL, state = 'reserved', held_until = NULL WHERE name_key = …"
                )),
            Invariant(
                "name_not_current", "an active name that is not its owner's current one",
                .person(
                    "free it, if its owner is not to take it back: UPDATE usernames SET state = 'released', changed_at = now() WHERE name_key = …"
                )),
            Invariant(
                "name_of_deleted", "a name that still refers to the deleted account that had it",
                .person(
                    "UPDATE usernames SET user_id = NULL, state = 'released', held_until = NULL, changed_at = now() WHERE name_key = …"
                )),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT n.name_key AS home, n.name_key AS key, n.user_id, n.state FROM usernames n
                WHERE \(within("n.name_key"))),
            owners AS MATERIALIZED (
                SELECT mine.home, u.status, fold(u.username) AS name_key
                FROM mine JOIN users u ON \(found("u.id", "mine.user_id")))
            SELECT mine.home, mine.key, mine.user_id IS NOT NULL AND u.home IS NULL AS name_of_nobody,
                   mine.state = 'active' AND (u.status = 'deleted' OR u.name_key <> mine.home) AS name_not_current,
                   u.status IS NOT DISTINCT FROM 'deleted' AS name_of_deleted
            FROM mine LEFT JOIN owners u ON u.home = mine.home
            """
        })

    /// Checks names that two users have at once. It leaves out imported names, which another system may have
    /// given to two users. It allows a minute of overlap, since a transaction's clock stands at its
    /// beginning. Of open periods it checks only that of a name's owner: for others `name_not_active` is
    /// broken.
    static let namesakes = TableCheck(
        table: "username_periods", home: .name, sliceRows: 100_000, countsRows: false,
        invariants: [
            Invariant(
                "name_had_by_two", "two users had one name at the same time",
                .person("correct the times: an old link leads to the user it names all the same"))
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT p.name_key, p.user_id, p.valid_from, p.valid_to
                FROM username_periods p JOIN signups s ON s.user_id = p.user_id AND s.created_at <= p.valid_from
                WHERE p.valid_to IS NOT NULL AND \(within("p.name_key"))),
            owners AS MATERIALIZED (
                SELECT n.name_key, n.user_id
                FROM (SELECT DISTINCT name_key FROM mine) names JOIN usernames n ON \(found("n.name_key", "names.name_key"))),
            current AS MATERIALIZED (
                SELECT o.name_key, o.user_id, o.valid_from, o.valid_to
                FROM owners n
                JOIN username_periods o ON \(found("o.user_id", "n.user_id")) AND o.name_key = n.name_key AND o.valid_to IS NULL
                JOIN signups s ON s.user_id = o.user_id AND s.created_at <= o.valid_from)
            SELECT name_key AS home, name_key AS key,
                   next_user <> user_id AND next_from < coalesce(valid_to, 'infinity') - interval '1 minute'
                       AS name_had_by_two
            FROM (SELECT p.name_key, p.user_id, p.valid_to,
                         lead(p.user_id) OVER later AS next_user, lead(p.valid_from) OVER later AS next_from
                  FROM (SELECT * FROM mine UNION ALL SELECT * FROM current) p
                  WINDOW later AS (PARTITION BY p.name_key ORDER BY p.valid_from)) born_here
            """
        })

    /// Ends the batch if the names have changed: a user may have left the name while this waited for its row.
    private static let requireNamesCurrent: Statement = """
        WITH activated AS MATERIALIZED (
            SELECT unnest(current_setting('kith.activated')::text[]) AS name_key),
        names AS MATERIALIZED (
            SELECT n.name_key, n.user_id FROM activated JOIN usernames n ON \(found("n.name_key", "activated.name_key"))),
        left_since AS MATERIALIZED (
            SELECT 1 FROM names n JOIN users u ON \(found("u.id", "n.user_id"))
            WHERE u.status = 'deleted' OR fold(u.username) <> n.name_key)
        SELECT require(NOT EXISTS (SELECT 1 FROM left_since), \(AccountError.changedMeanwhile))
        """

    /// Opens a period only if none is open, since an open one of another name may be right.
    private static func openPeriods(_ homes: [String]) -> Statement {
        """
        WITH mine AS MATERIALIZED (
            SELECT u.id, u.username, fold(u.username) AS name_key, max(p.valid_to) AS last
            FROM users u LEFT JOIN username_periods p ON p.user_id = u.id
            WHERE u.id = ANY(\(homes)::uuid[]) AND u.status <> 'deleted'
            GROUP BY u.id, u.username HAVING count(p.user_id) = count(p.valid_to)),
        names AS MATERIALIZED (
            SELECT n.name_key, n.user_id, n.changed_at
            FROM mine JOIN usernames n ON \(found("n.name_key", "mine.name_key")) WHERE n.state = 'active')
        INSERT INTO username_periods (user_id, name_key, username, valid_from)
        SELECT mine.id, mine.name_key, mine.username, greatest(n.changed_at, mine.last)
        FROM mine JOIN names n ON n.name_key = mine.name_key AND n.user_id = mine.id
        """
    }
}
