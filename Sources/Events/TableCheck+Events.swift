import Kernel
import Postgres

/// The checks of events. An event may be about a user who has not signed up yet, since others can already
/// ask them.
extension TableCheck {
    static let events = TableCheck(
        table: "events", home: .user, sliceRows: 100_000,
        invariants: [
            Invariant(
                "event_of_deleted", "an event still says what a deleted user was called, or did", .repair),
            Invariant(
                "event_not_numbered", "an event has a number that comes after the last one given", .repair),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT e.user_id AS home, e.id::text AS key,
                       e.facts IS NOT NULL AND coalesce(u.status = 'deleted', false) AS event_of_deleted,
                       e.id > (SELECT last FROM event_numbers WHERE scope = 'all') AS event_not_numbered
                FROM events e LEFT JOIN users u ON u.id = e.user_id
                WHERE \(within("e.user_id")))
            SELECT home, key, event_of_deleted, event_not_numbered FROM mine
            """
        },
        repairs: { homes in
            [
                """
                UPDATE events e SET facts = NULL
                WHERE e.user_id = ANY(\(homes)::uuid[]) AND e.facts IS NOT NULL
                  AND EXISTS (SELECT FROM users u WHERE u.id = e.user_id AND u.status = 'deleted')
                """,
                """
                UPDATE event_numbers
                SET last = greatest(last, (SELECT max(id) FROM events WHERE user_id = ANY(\(homes)::uuid[])))
                WHERE scope = 'all'
                """,
            ]
        })
}
