import Kernel
import Postgres

/// The checks of links, their uses, attributions and answered sign-ups.
extension TableCheck {
    static let invites = TableCheck(
        table: "invites", home: .text("code"),
        invariants: [
            Invariant("uses_miscounted", "invites.uses differs from the number of invite_uses", .repair),
            Invariant(
                "used_too_often", "a link was used more often than it allows",
                .person("raise max_uses, or leave it as a record of what happened")),
            Invariant("link_of_nobody", "a link whose owner does not exist", .person("revoke it")),
            Invariant(
                "link_of_deleted", "a link of a deleted account is in force, or has a label or note", .repair),
            Invariant("link_not_listed", "a custom link is missing in its owner's list", .repair),
            Invariant(
                "personal_link_astray", "a personal code in force that is not its owner's current one",
                .person("revoke it, unless the user has none: then set users.invite_code")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT i.code AS home, i.code AS key, i.owner_id, i.kind, coalesce(i.label, i.note) AS text, i.revoked_at, i.uses,
                       i.max_uses, used.times
                FROM invites i
                CROSS JOIN LATERAL (SELECT count(*) AS times FROM invite_uses x WHERE x.code = i.code) used
                WHERE \(within("i.code"))),
            owners AS MATERIALIZED (
                SELECT mine.home, u.status, u.invite_code, b.code IS NOT NULL AS lists_it
                FROM mine
                JOIN users u ON \(found("u.id", "mine.owner_id"))
                LEFT JOIN invites_by_owner b ON b.owner_id = u.id AND b.code = mine.home)
            SELECT mine.home, mine.key, mine.uses <> mine.times AS uses_miscounted,
                   greatest(mine.uses, mine.times) > mine.max_uses AS used_too_often,
                   u.home IS NULL AS link_of_nobody,
                   u.status IS NOT DISTINCT FROM 'deleted' AND (mine.revoked_at IS NULL OR mine.text IS NOT NULL)
                       AS link_of_deleted,
                   mine.kind = 'custom' AND NOT u.lists_it AS link_not_listed,
                   mine.kind = 'personal' AND mine.revoked_at IS NULL AND u.home IS NOT NULL
                       AND u.invite_code IS DISTINCT FROM mine.home AS personal_link_astray
            FROM mine LEFT JOIN owners u ON u.home = mine.home
            """
        },
        repairs: { homes in
            [
                """
                UPDATE invites i SET uses = used.times
                FROM (SELECT k.code, count(w.code) AS times
                      FROM invites k LEFT JOIN invite_uses w ON w.code = k.code
                      WHERE k.code = ANY(\(homes)::text[]) GROUP BY k.code) used
                WHERE i.code = used.code AND i.uses <> used.times AND (i.max_uses IS NULL OR used.times <= i.max_uses)
                """,
                """
                WITH \(ownedBy("u.status = 'deleted'", homes))
                UPDATE invites i SET revoked_at = now() FROM owned WHERE i.code = owned.code AND i.revoked_at IS NULL
                """,
                """
                WITH \(ownedBy("u.status = 'deleted'", homes))
                UPDATE invites i SET label = NULL, note = NULL FROM owned
                WHERE i.code = owned.code AND (i.label IS NOT NULL OR i.note IS NOT NULL)
                """,
                """
                WITH \(ownedBy("mine.kind = 'custom'", homes))
                INSERT INTO invites_by_owner (owner_id, code, kind, created_at)
                SELECT owner_id, code, kind, created_at FROM owned
                ON CONFLICT DO NOTHING
                """,
            ]
        })

    /// Returns the `WITH` query `owned`: the links of the homes whose owner exists, if the condition holds.
    private static func ownedBy(_ condition: Statement, _ homes: [String]) -> Statement {
        """
        mine AS MATERIALIZED (
            SELECT code, owner_id, kind, created_at FROM invites WHERE code = ANY(\(homes)::text[])),
        owned AS MATERIALIZED (
            SELECT mine.* FROM mine JOIN users u ON \(found("u.id", "mine.owner_id")) WHERE \(condition))
        """
    }

    static let invitesByOwner = TableCheck(
        table: "invites_by_owner", home: .user,
        invariants: [
            Invariant(
                "listed_link_astray",
                "an owner's list has a link of another owner or kind",
                .person("delete the row of invites_by_owner")),
            Invariant("listed_link_missing", "an owner's list has a link that does not exist", .repair),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT b.owner_id AS home, b.code AS key, b.kind FROM invites_by_owner b WHERE \(within("b.owner_id"))),
            owned AS MATERIALIZED (
                SELECT mine.home, mine.key, i.owner_id <> mine.home OR i.kind <> mine.kind AS is_astray
                FROM mine JOIN invites i ON \(found("i.code", "mine.key")))
            SELECT mine.home, mine.key, coalesce(i.is_astray, false) AS listed_link_astray,
                   i.key IS NULL AS listed_link_missing
            FROM mine LEFT JOIN owned i ON i.home = mine.home AND i.key = mine.key
            """
        },
        repairs: { homes in
            [
                """
                WITH mine AS MATERIALIZED (
                    SELECT owner_id, code FROM invites_by_owner WHERE owner_id = ANY(\(homes)::uuid[])),
                there AS MATERIALIZED (
                    SELECT i.code FROM mine JOIN invites i ON \(found("i.code", "mine.code"))),
                missing AS MATERIALIZED (
                    SELECT mine.owner_id, mine.code FROM mine LEFT JOIN there ON there.code = mine.code
                    WHERE there.code IS NULL)
                DELETE FROM invites_by_owner b USING missing
                WHERE b.owner_id = missing.owner_id AND b.code = missing.code
                """
            ]
        })

    static let inviteUses = TableCheck(
        table: "invite_uses", home: .text("code"),
        invariants: [
            Invariant(
                "used_by_nobody", "a link was used by a user who does not exist",
                .person("delete the row and repair uses_miscounted"))
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT w.code AS home, w.user_id FROM invite_uses w WHERE \(within("w.code"))),
            people AS MATERIALIZED (
                SELECT mine.home, u.id, u.uid FROM mine JOIN users u ON \(found("u.id", "mine.user_id")))
            SELECT mine.home, mine.home || ' by ' || coalesce(u.uid, mine.user_id::text) AS key,
                   u.id IS NULL AS used_by_nobody
            FROM mine LEFT JOIN people u ON u.home = mine.home AND u.id = mine.user_id
            """
        })

    /// A link that has been dead for long is deleted with its uses, but users who joined by it stay
    /// attributed.
    ///
    /// The primary key of `acceptances` keeps anybody from being attributed twice. Users who joined before
    /// their inviter are found only among those who signed up here: the time of a sign-up is never before the
    /// inviter's, whatever the clock says.
    static let acceptances = TableCheck(
        table: "acceptances", home: .user,
        invariants: [
            Invariant("invited_by_oneself", "a user is attributed to themselves", .person("delete the row")),
            Invariant(
                "joined_without_account", "an attribution of a user who does not exist",
                .person("delete the row")),
            Invariant(
                "inviter_unknown", "a user is attributed to an inviter who does not exist",
                .person("delete the row")),
            Invariant(
                "invited_by_invitee", "two users are attributed to each other",
                .person("delete the attribution of the one who joined first")),
            Invariant(
                "inviter_joined_later", "a user is attributed to a user who joined later",
                .person("find out what wrote it")),
            Invariant(
                "joined_by_link_of_another", "a user is attributed to a user who does not own the link",
                .person("find out which is right; links never change their owner")),
            Invariant(
                "joined_uncounted", "a user joined by a link in force, but no use of it is recorded",
                .person("insert the use, then run `kith verify --repair`, which counts it")),
            Invariant(
                "joined_unanswered", "a user is attributed, but the answer to the sign-up says otherwise",
                .person("find out which is right; the attribution is what counts")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT a.invitee_id AS home, coalesce(u.uid, a.invitee_id::text) AS key, a.inviter_id, a.code,
                       a.inviter_id = a.invitee_id AS invited_by_oneself, u.id IS NULL AS joined_without_account,
                       s.created_at, s.outcome
                FROM acceptances a
                LEFT JOIN users u ON u.id = a.invitee_id
                LEFT JOIN signups s ON s.user_id = a.invitee_id
                WHERE \(within("a.invitee_id"))),
            inviters AS MATERIALIZED (
                SELECT mine.home, i.status, i.created_at, back.inviter_id
                FROM mine
                JOIN users i ON \(found("i.id", "mine.inviter_id"))
                LEFT JOIN acceptances back ON back.invitee_id = i.id),
            codes AS MATERIALIZED (
                SELECT mine.home, c.owner_id, c.revoked_at, x.code IS NOT NULL AS counts
                FROM mine
                JOIN invites c ON \(found("c.code", "mine.code"))
                LEFT JOIN invite_uses x ON x.code = c.code AND x.user_id = mine.home)
            SELECT mine.home, mine.key, mine.invited_by_oneself, mine.joined_without_account,
                   i.home IS NULL AS inviter_unknown,
                   i.inviter_id = mine.home AND NOT mine.invited_by_oneself AS invited_by_invitee,
                   mine.created_at < i.created_at AS inviter_joined_later,
                   c.owner_id <> mine.inviter_id AS joined_by_link_of_another,
                   c.revoked_at IS NULL AND NOT c.counts AS joined_uncounted,
                   i.status <> 'deleted' AND mine.outcome <> 'accepted' AS joined_unanswered
            FROM mine LEFT JOIN inviters i ON i.home = mine.home LEFT JOIN codes c ON c.home = mine.home
            """
        })

    static let signups = TableCheck(
        table: "signups", home: .user,
        invariants: [
            Invariant(
                "answered_without_account", "a sign-up was answered, but there is no such user",
                .person("delete the row: the uid can sign up again")),
            Invariant(
                "answered_unattributed",
                "a sign-up was answered with an inviter to whom it is not attributed",
                .person("find out which is right; the attribution is what counts")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT s.user_id AS home, coalesce(u.uid, s.user_id::text) AS key,
                       u.id IS NULL AS answered_without_account,
                       s.outcome = 'accepted' AND a.inviter_id IS DISTINCT FROM user_id(s.inviter_uid)
                           AS answered_unattributed
                FROM signups s
                LEFT JOIN users u ON u.id = s.user_id
                LEFT JOIN acceptances a ON a.invitee_id = s.user_id
                WHERE \(within("s.user_id")))
            SELECT * FROM mine
            """
        })
}
