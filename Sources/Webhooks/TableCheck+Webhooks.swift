import Kernel
import Postgres

/// The checks of deliveries to webhooks.
extension TableCheck {
    static let webhookDeliveries = TableCheck(
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
