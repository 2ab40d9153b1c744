import Postgres

/// The checks of events, and of those that wait for an endpoint. An event may be about a user who has not
/// signed up yet, since others can already ask them.
extension Sweep {
    static let events = Sweep(
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

    static let webhookDeliveries = Sweep(
        table: "webhook_deliveries", home: .user,
        invariants: [
            Invariant(
                "delivery_forgotten", "the first event of a user that waits has no time to be sent", .repair)
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT d.user_id AS home, concat_ws(' ', d.webhook_id, d.event_id) AS key,
                       d.due_at IS NULL AND row_number() OVER (PARTITION BY d.webhook_id, d.user_id ORDER BY d.event_id) = 1
                           AS delivery_forgotten
                FROM webhook_deliveries d WHERE d.dead_at IS NULL AND \(within("d.user_id")))
            SELECT home, key, delivery_forgotten FROM mine
            """
        },
        repairs: { homes in
            [
                """
                UPDATE webhook_deliveries d SET due_at = now()
                WHERE d.user_id = ANY(\(homes)::uuid[]) AND d.due_at IS NULL AND d.dead_at IS NULL
                  AND NOT EXISTS (SELECT FROM webhook_deliveries earlier
                                  WHERE earlier.webhook_id = d.webhook_id AND earlier.user_id = d.user_id
                                    AND earlier.event_id < d.event_id AND earlier.dead_at IS NULL)
                """
            ]
        })
}
