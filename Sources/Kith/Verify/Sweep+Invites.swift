import Postgres

/// The checks of links, their uses, attributions and answered sign-ups.
extension Sweep {
    static let links = Sweep(
        table: "links", home: .code,
        invariants: [
            Invariant("uses_miscounted", "links.uses differs from the number of link_uses", .repair),
            Invariant(
                "used_too_often", "a link was used more often than it allows",
                .person("raise max_uses, or leave it as a record of what happened")),
            Invariant("link_of_nobody", "a link whose owner does not exist", .person("revoke it")),
            Invariant(
                "link_of_deleted", "a link of a deleted account is in force, or has a label", .repair),
            Invariant("link_not_listed", "a custom link is missing in its owner's list", .repair),
            Invariant(
                "personal_link_astray", "a personal code in force that is not its owner's current one",
                .person("revoke it, unless the user has none: then set users.invite_code")),
        ],
        rows: """
            SELECT l.code AS home, l.code AS key,
                   l.uses <> used.times AS uses_miscounted,
                   greatest(l.uses, used.times) > l.max_uses AS used_too_often,
                   u.id IS NULL AS link_of_nobody,
                   u.status IS NOT DISTINCT FROM 'deleted' AND (l.revoked_at IS NULL OR l.label IS NOT NULL)
                       AS link_of_deleted,
                   l.kind = 'custom' AND u.id IS NOT NULL AND b.code IS NULL AS link_not_listed,
                   l.kind = 'personal' AND l.revoked_at IS NULL AND u.id IS NOT NULL
                       AND u.invite_code IS DISTINCT FROM l.code AS personal_link_astray
            FROM links l
            LEFT JOIN users u ON u.id = l.owner_id
            LEFT JOIN links_by_owner b ON b.owner_id = l.owner_id AND b.code = l.code
            CROSS JOIN LATERAL (SELECT count(*) AS times FROM link_uses x WHERE x.code = l.code) used
            """,
        repairs: { homes in
            [
                """
                UPDATE links l SET uses = used.times
                FROM (SELECT h.code, (SELECT count(*) FROM link_uses w WHERE w.code = h.code) AS times
                      FROM unnest(\(homes)::text[]) AS h (code)) used
                WHERE l.code = used.code AND l.uses <> used.times AND (l.max_uses IS NULL OR used.times <= l.max_uses)
                """,
                """
                UPDATE links SET revoked_at = now()
                WHERE code = ANY(\(homes)::text[]) AND revoked_at IS NULL
                  AND owner_id IN (SELECT id FROM users WHERE status = 'deleted')
                """,
                """
                UPDATE links SET label = NULL
                WHERE code = ANY(\(homes)::text[]) AND label IS NOT NULL AND owner_id IN (SELECT id FROM users WHERE status = 'deleted')
                """,
                """
                INSERT INTO links_by_owner (owner_id, code, kind, created_at)
                SELECT l.owner_id, l.code, l.kind, l.created_at
                FROM links l JOIN users u ON u.id = l.owner_id WHERE l.code = ANY(\(homes)::text[]) AND l.kind = 'custom'
                ON CONFLICT DO NOTHING
                """,
            ]
        })

    static let linksByOwner = Sweep(
        table: "links_by_owner", home: .user,
        invariants: [
            Invariant(
                "listed_link_astray",
                "an owner's list has a link of another owner or kind",
                .person("delete the row of links_by_owner"))
        ],
        rows: """
            SELECT b.owner_id AS home, b.code AS key,
                   (l.owner_id, l.kind) IS DISTINCT FROM (b.owner_id, b.kind) AS listed_link_astray
            FROM links_by_owner b LEFT JOIN links l ON l.code = b.code
            """)

    static let linkUses = Sweep(
        table: "link_uses", home: .code,
        invariants: [
            Invariant(
                "used_by_nobody", "a link was used by a user who does not exist",
                .person("delete the row and repair uses_miscounted"))
        ],
        rows: """
            SELECT w.code AS home, w.code || ' by ' || coalesce(u.uid, w.user_id::text) AS key,
                   u.id IS NULL AS used_by_nobody
            FROM link_uses w LEFT JOIN users u ON u.id = w.user_id
            """)

    /// A link that has been dead for long is deleted with its uses, but users who joined by it stay attributed.
    ///
    /// By the primary key of `acceptances` nobody is attributed twice. Users who joined before their inviter are found only
    /// among those who signed up here: the time of a sign-up is never before the inviter's, whatever the clock says.
    static let acceptances = Sweep(
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
        rows: """
            SELECT a.invitee_id AS home, coalesce(u.uid, a.invitee_id::text) AS key,
                   a.inviter_id = a.invitee_id AS invited_by_oneself,
                   u.id IS NULL AS joined_without_account,
                   i.id IS NULL AS inviter_unknown,
                   back.inviter_id = a.invitee_id AND a.inviter_id <> a.invitee_id AS invited_by_invitee,
                   s.created_at < i.created_at AS inviter_joined_later,
                   l.owner_id <> a.inviter_id AS joined_by_link_of_another,
                   l.revoked_at IS NULL AND l.code IS NOT NULL AND x.code IS NULL AS joined_uncounted,
                   i.status <> 'deleted' AND s.outcome <> 'accepted' AS joined_unanswered
            FROM acceptances a
            LEFT JOIN users u ON u.id = a.invitee_id
            LEFT JOIN users i ON i.id = a.inviter_id
            LEFT JOIN acceptances back ON back.invitee_id = a.inviter_id
            LEFT JOIN signups s ON s.user_id = a.invitee_id
            LEFT JOIN links l ON l.code = a.code
            LEFT JOIN link_uses x ON x.code = a.code AND x.user_id = a.invitee_id
            """)

    static let signups = Sweep(
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
        rows: """
            SELECT s.user_id AS home, coalesce(u.uid, s.user_id::text) AS key,
                   u.id IS NULL AS answered_without_account,
                   s.outcome = 'accepted' AND a.inviter_id IS DISTINCT FROM user_id(s.inviter_uid) AS answered_unattributed
            FROM signups s
            LEFT JOIN users u ON u.id = s.user_id
            LEFT JOIN acceptances a ON a.invitee_id = s.user_id
            """)
}
