import Postgres

/// The checks of purchases.
extension Sweep {
    static let purchases = Sweep(
        table: "purchases", home: .purchase,
        invariants: [
            Invariant(
                "purchase_without_period", "a purchase has no transaction",
                .person("delete it: Apple's next notification, or the user's app, brings it back")),
            Invariant(
                "purchase_of_deleted", "a purchase still says which deleted user has it", .repair),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT original_transaction_id AS home, environment, user_id FROM purchases
                WHERE \(within("original_transaction_id"))),
            paid AS MATERIALIZED (
                SELECT DISTINCT original_transaction_id AS home, environment FROM purchase_periods
                WHERE \(within("original_transaction_id"))),
            deleted AS MATERIALIZED (
                SELECT u.id FROM users u JOIN mine ON \(found("u.id", "mine.user_id")) WHERE u.status = 'deleted')
            SELECT mine.home, concat_ws(' ', mine.environment, mine.home) AS key, paid.home IS NULL AS purchase_without_period,
                   coalesce(user_id IN (SELECT id FROM deleted), false) AS purchase_of_deleted
            FROM mine LEFT JOIN paid ON paid.home = mine.home AND paid.environment = mine.environment
            """
        },
        repairs: { ids in
            [
                """
                WITH deleted AS MATERIALIZED (
                    SELECT u.id FROM users u
                    JOIN (SELECT user_id FROM purchases
                          WHERE original_transaction_id = ANY(\(ids)::text[]) AND user_id IS NOT NULL) p
                      ON p.user_id = u.id
                    WHERE u.status = 'deleted')
                UPDATE purchases p SET user_id = NULL FROM deleted
                WHERE p.original_transaction_id = ANY(\(ids)::text[]) AND p.user_id = deleted.id
                """
            ]
        })
}
