import Kernel
import Postgres

/// The checks of purchases.
extension TableCheck {
    static let purchases = TableCheck(
        table: "purchases", home: .text("original_transaction_id"),
        invariants: [
            Invariant(
                "purchase_without_period", "a purchase has no transaction",
                .person("delete it: Apple's next notification, or the user's app, brings it back")),
            Invariant(
                "purchase_of_deleted", "a purchase still says which deleted user has it", .repair),
            Invariant(
                "purchase_of_nobody", "a purchase is somebody's who has no account",
                .person("set its user_id to NULL: whoever shows it next has it")),
            Invariant(
                "period_backwards", "a period of a purchase ends before it begins",
                .person("compare it with App Store Connect: whether the user has something goes by its end")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT original_transaction_id AS home, environment, user_id FROM purchases
                WHERE \(within("original_transaction_id"))),
            paid AS MATERIALIZED (
                SELECT original_transaction_id AS home, environment, bool_or(expires_at < purchased_at) AS is_backwards
                FROM purchase_periods WHERE \(within("original_transaction_id")) GROUP BY 1, 2),
            owners AS MATERIALIZED (
                SELECT u.id, u.status FROM users u JOIN mine ON \(found("u.id", "mine.user_id")))
            SELECT mine.home, concat_ws(' ', mine.environment, mine.home) AS key, paid.home IS NULL AS purchase_without_period,
                   coalesce(user_id IN (SELECT id FROM owners WHERE status = 'deleted'), false) AS purchase_of_deleted,
                   user_id IS NOT NULL AND user_id NOT IN (SELECT id FROM owners) AS purchase_of_nobody,
                   coalesce(paid.is_backwards, false) AS period_backwards
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
                UPDATE purchases p SET user_id = NULL, consumption_id = NULL FROM deleted
                WHERE p.original_transaction_id = ANY(\(ids)::text[]) AND p.user_id = deleted.id
                """
            ]
        })
}
