import Kernel
import Postgres

/// The checks of invites on their way through a store. If a deletion stops after its COMMIT and before it
/// deletes the taps, they stay, with the name of the deleted user.
extension TableCheck {
    static let installs = TableCheck(
        table: "installs", home: .user,
        invariants: [
            Invariant("install_of_nobody", "an invite of a user who does not exist", .repair),
            Invariant("install_of_deleted", "an invite of a user who deleted their account", .repair),
            Invariant(
                "claimed_unattributed", "a user signed up by a claim, but is not attributed to its inviter",
                .person("find out which is right; the attribution is what counts")),
            Invariant(
                "likely_befriended",
                "a claim that was only likely made friends, or a request of the user, by itself",
                .person("ask the two; DELETE /v1/friends/{uid} ends the friendship")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT i.inviter_id AS home, i.id::text AS key, i.invitee_id, i.confidence,
                       u.id IS NULL AS is_of_nobody, u.status = 'deleted' AS is_of_deleted
                FROM installs i LEFT JOIN users u ON u.id = i.inviter_id
                WHERE \(within("i.inviter_id"))),
            joined AS MATERIALIZED (
                SELECT mine.key, a.inviter_id, s.result
                FROM mine
                JOIN acceptances a ON \(found("a.invitee_id", "mine.invitee_id"))
                LEFT JOIN signups s ON s.user_id = a.invitee_id)
            SELECT mine.home, mine.key, mine.is_of_nobody AS install_of_nobody,
                   coalesce(mine.is_of_deleted, false) AS install_of_deleted,
                   mine.invitee_id IS NOT NULL AND j.inviter_id IS DISTINCT FROM mine.home AS claimed_unattributed,
                   mine.confidence = 'likely' AND j.inviter_id = mine.home AND j.result IN ('friends', 'requested')
                       AS likely_befriended
            FROM mine LEFT JOIN joined j ON j.key = mine.key
            """
        },
        repairs: { homes in
            [
                """
                DELETE FROM installs i
                WHERE i.inviter_id = ANY(\(homes)::uuid[])
                  AND NOT EXISTS (SELECT FROM users u WHERE u.id = i.inviter_id AND u.status <> 'deleted')
                """
            ]
        })
}
