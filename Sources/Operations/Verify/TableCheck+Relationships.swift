import Kernel
import Postgres

/// The checks of `relationships` and `dismissals`.
///
/// Each row is checked together with its mirror. What the mirror says about this row's owner is compared with
/// the owner's row in `users`, so that a slice needs only its own users. On Citus every shard reads all of
/// `keys`, so it is narrow.
extension TableCheck {
    static let relationships = TableCheck(
        table: "relationships", home: .user, sliceRows: 100_000,
        invariants: [
            Invariant(
                "mirrors_disagree", "the two rows of a pair disagree about who wants and who blocks",
                .repair),
            Invariant(
                "friends_since_differ", "the two rows of a pair disagree about being friends", .repair),
            Invariant(
                "heard_unasked", "a request is incoming on one side, but not outgoing on the other", .repair),
            Invariant(
                "friendship_inconsistent",
                "friends though one does not want it or blocks, or not friends though both want it and neither blocks",
                .repair),
            Invariant("friends_with_the_deleted", "friends with a deleted account", .repair),
            Invariant(
                "away_unlike_status", "they_away does not match the other user's wish and status", .repair),
            Invariant(
                "stale_profile", "the profile stored with a friendship is not the friend's current one",
                .repair),
            Invariant("other_uid_of_another", "other_uid does not match other_id", .repair),
            Invariant(
                "change_beyond_count", "the number of a change is greater than its owner's last", .repair),
            Invariant(
                "related_to_oneself", "a user is related to themselves", .person("delete the row")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT r.user_id, r.other_id, r.other_uid, r.i_want, r.they_want, r.i_block, r.they_block, r.they_away,
                       r.since, r.heard_at, r.change, \(User.Profile.columns("own.")), own.status, own.changes
                FROM relationships r LEFT JOIN users own ON own.id = r.user_id WHERE \(within("r.user_id"))),
            keys AS MATERIALIZED (SELECT user_id, other_id FROM mine),
            mirrors AS MATERIALIZED (
                SELECT m.user_id, m.other_id, m.other_uid, m.i_want, m.they_want, m.i_block, m.they_block, m.they_away,
                       m.since, m.asked_at, m.other_username, m.other_display_name, m.other_avatar_url, m.other_metadata
                FROM keys JOIN relationships m ON \(found("m.user_id", "keys.other_id")) AND m.other_id = keys.user_id),
            alone AS MATERIALIZED (
                SELECT r.user_id, r.other_id
                FROM mine r LEFT JOIN mirrors m ON m.user_id = r.other_id AND m.other_id = r.user_id
                WHERE r.they_want AND m.user_id IS NULL),
            away AS MATERIALIZED (
                SELECT r.user_id, r.other_id FROM alone r JOIN users other ON \(found("other.id", "r.other_id"))
                WHERE other.status = 'suspended')
            SELECT r.user_id AS home,
                   coalesce(r.uid, m.other_uid, r.user_id::text) || ' → ' || r.other_uid AS key,
                   (r.they_want, r.they_block, r.i_want, r.i_block) IS DISTINCT FROM
                       (coalesce(m.i_want, false), coalesce(m.i_block, false),
                        coalesce(m.they_want, false), coalesce(m.they_block, false)) AS mirrors_disagree,
                   r.since IS DISTINCT FROM m.since AS friends_since_differ,
                   r.heard_at IS NOT NULL AND m.asked_at IS NULL AS heard_unasked,
                   (r.since IS NOT NULL) <> (r.i_want AND r.they_want AND NOT r.i_block AND NOT r.they_block)
                       AS friendship_inconsistent,
                   r.since IS NOT NULL AND r.status = 'deleted' AS friends_with_the_deleted,
                   m.since IS NOT NULL AND (m.other_username, m.other_display_name, m.other_avatar_url, m.other_metadata)
                       IS DISTINCT FROM (r.username, r.display_name, r.avatar_url, r.metadata) AS stale_profile,
                   CASE WHEN m.user_id IS NOT NULL
                        THEN m.they_away <> (m.they_want AND r.status IS NOT DISTINCT FROM 'suspended')
                        ELSE r.they_away <> (away.user_id IS NOT NULL) END AS away_unlike_status,
                   CASE WHEN m.user_id IS NOT NULL AND r.uid IS NOT NULL THEN m.other_uid <> r.uid
                        WHEN m.user_id IS NOT NULL THEN user_id(m.other_uid) <> m.other_id
                        ELSE user_id(r.other_uid) <> r.other_id END AS other_uid_of_another,
                   r.change > coalesce(r.changes, 0) AS change_beyond_count,
                   r.user_id = r.other_id AS related_to_oneself
            FROM mine r
            LEFT JOIN mirrors m ON m.user_id = r.other_id AND m.other_id = r.user_id
            LEFT JOIN away ON away.user_id = r.user_id AND away.other_id = r.other_id
            """
        },
        repairs: { [insertMissingRows($0), repairPairs($0), renumber($0)] }, changesPairs: true)

    static let dismissals = TableCheck(
        table: "dismissals", home: .user,
        invariants: [
            Invariant(
                "dismissed_uid_of_another", "a dismissal's other_uid does not match its other_id",
                .person("delete the row: the suggestion shows again"))
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT user_id AS home, user_id::text || ' → ' || other_uid AS key,
                       user_id(other_uid) <> other_id AS dismissed_uid_of_another
                FROM dismissals WHERE \(within("user_id")))
            SELECT * FROM mine
            """
        })

    /// Inserts the missing row of the other side for a wish or a block. It needs the owner's account for
    /// their uid.
    private static func insertMissingRows(_ homes: [String]) -> Statement {
        """
        INSERT INTO relationships (
            user_id, other_id, other_uid, they_want, they_block, heard_at, they_away, change)
        SELECT r.other_id, own.id, own.uid, r.i_want, r.i_block,
               CASE WHEN r.i_want THEN coalesce(r.asked_at, r.touched_at) END, r.i_want AND own.status = 'suspended',
               CASE WHEN r.i_want THEN NULL ELSE 0 END
        FROM relationships r JOIN users own ON own.id = r.user_id
        WHERE r.user_id = ANY(\(homes)::uuid[]) AND r.other_id <> r.user_id AND (r.i_want OR r.i_block)
          AND own.status <> 'deleted'
        ON CONFLICT (user_id, other_id) DO NOTHING
        """
    }

    /// Repairs both rows of every pair of the homes. A row is right about its owner's own wish and block,
    /// unless the account was deleted. `relationship_after` derives all other columns again, as if a wish of
    /// the other side that the row did not know were new.
    private static func repairPairs(_ homes: [String]) -> Statement {
        """
        WITH mine AS MATERIALIZED (
            SELECT user_id, other_id FROM relationships WHERE user_id = ANY(\(homes)::uuid[]) AND other_id <> user_id),
        sides AS MATERIALIZED (
            SELECT user_id, other_id FROM mine UNION SELECT other_id, user_id FROM mine),
        kept AS MATERIALIZED (
            SELECT ROW(r.*)::relationships AS r, r.user_id, r.other_id, r.other_uid, r.i_want, r.they_want, r.i_block,
                   r.since, r.asked_at, r.touched_at
            FROM sides JOIN relationships r ON \(found("r.user_id", "sides.user_id")) AND r.other_id = sides.other_id),
        people AS MATERIALIZED (
            SELECT u.id, \(User.Profile.columns("u.")), u.status
            FROM (SELECT DISTINCT user_id FROM sides) s JOIN users u ON \(found("u.id", "s.user_id"))),
        facts AS MATERIALIZED (
            SELECT k.r, k.user_id, k.other_id, coalesce(u.uid, k.other_uid) AS other_uid, u.username, u.display_name,
                   u.avatar_url, u.metadata,
                   k.i_want AND own.status IS DISTINCT FROM 'deleted' AS i_want,
                   coalesce(m.i_want, false) AND u.status IS DISTINCT FROM 'deleted' AS they_want,
                   k.they_want AS knew, k.i_block, coalesce(m.i_block, false) AS they_block,
                   coalesce(m.i_want, false) AND u.status IS NOT DISTINCT FROM 'suspended' AS they_away,
                   coalesce(least(k.since, m.since), greatest(k.touched_at, m.touched_at)) AS since,
                   coalesce(m.asked_at, m.touched_at, k.touched_at) AS at
            FROM kept k
            LEFT JOIN kept m ON m.user_id = k.other_id AND m.other_id = k.user_id
            LEFT JOIN people u ON u.id = k.other_id
            LEFT JOIN people own ON own.id = k.user_id),
        judged AS MATERIALIZED (
            SELECT *, i_want AND they_want AND NOT i_block AND NOT they_block AS are_friends FROM facts),
        truth AS MATERIALIZED (
            SELECT a.*, CASE WHEN a.since IS NOT NULL THEN username END AS username,
                   CASE WHEN a.since IS NOT NULL THEN display_name END AS display_name,
                   CASE WHEN a.since IS NOT NULL THEN avatar_url END AS avatar_url,
                   CASE WHEN a.since IS NOT NULL THEN metadata END AS metadata
            FROM judged j, relationship_after(
                jsonb_populate_record(j.r, jsonb_build_object(
                    'other_uid', j.other_uid, 'they_away', j.they_away, 'i_want', j.i_want,
                    'they_want', j.they_want, 'they_block', j.they_block,
                    'since', CASE WHEN are_friends THEN j.since END)),
                CASE WHEN j.i_want AND NOT are_friends THEN true END, NULL,
                CASE WHEN j.they_want AND NOT knew THEN true END, NULL,
                at, ARRAY[0::bigint]) a)
        UPDATE relationships r
        SET (other_uid, i_want, they_want, they_block, they_away, since, asked_at, heard_at, quiet_until, ended_at, declines,
             other_username, other_display_name, other_avatar_url, other_metadata, touched_at, change) = (
            t.other_uid, t.i_want, t.they_want, t.they_block, t.they_away, t.since, t.asked_at, t.heard_at,
            t.quiet_until, t.ended_at, t.declines, t.username, t.display_name, t.avatar_url, t.metadata, now(), NULL)
        FROM truth t
        WHERE r.user_id = t.user_id AND r.other_id = t.other_id
          AND (r.other_uid, r.i_want, r.they_want, r.they_block, r.they_away, r.since, r.asked_at, r.heard_at,
               r.quiet_until, r.ended_at, r.declines, r.other_username, r.other_display_name, r.other_avatar_url,
               r.other_metadata) IS DISTINCT FROM
              (t.other_uid, t.i_want, t.they_want, t.they_block, t.they_away, t.since, t.asked_at, t.heard_at,
               t.quiet_until, t.ended_at, t.declines, t.username, t.display_name, t.avatar_url, t.metadata)
        """
    }

    /// Removes the numbers of the changes, so that they are numbered again, since nobody can know when they
    /// came.
    private static func renumber(_ homes: [String]) -> Statement {
        """
        UPDATE relationships r SET change = NULL
        FROM (SELECT k.user_id, k.other_id FROM relationships k LEFT JOIN users u ON u.id = k.user_id
              WHERE k.user_id = ANY(\(homes)::uuid[]) AND k.change > coalesce(u.changes, 0)) beyond
        WHERE r.user_id = beyond.user_id AND r.other_id = beyond.other_id
        """
    }
}
