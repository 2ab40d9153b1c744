import Postgres

/// The checks of offer codes.
extension Sweep {
    static let offerCodes = Sweep(
        table: "offer_codes", home: .campaign, sliceRows: 100_000,
        invariants: [
            Invariant(
                "offer_code_twice", "a code is in two campaigns, so two people may get it",
                .person("find out which campaign the code is of, and give that one's users another")),
            Invariant(
                "offer_code_of_deleted", "a code still says which deleted user got it", .repair),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT campaign AS home, id, user_id FROM offer_codes WHERE \(within("campaign"))),
            others AS MATERIALIZED (
                SELECT o.id FROM offer_codes o JOIN mine ON \(found("o.id", "mine.id")) AND o.campaign <> mine.home),
            deleted AS MATERIALIZED (
                SELECT u.id FROM users u JOIN mine ON \(found("u.id", "mine.user_id")) WHERE u.status = 'deleted')
            SELECT home, concat_ws(' ', home, id) AS key, id IN (SELECT id FROM others) AS offer_code_twice,
                   coalesce(user_id IN (SELECT id FROM deleted), false) AS offer_code_of_deleted
            FROM mine
            """
        },
        repairs: { campaigns in
            [
                """
                WITH deleted AS MATERIALIZED (
                    SELECT u.id FROM users u
                    JOIN (SELECT user_id FROM offer_codes WHERE campaign = ANY(\(campaigns)::text[]) AND user_id IS NOT NULL) o
                      ON o.user_id = u.id
                    WHERE u.status = 'deleted')
                UPDATE offer_codes o SET user_id = NULL FROM deleted
                WHERE o.campaign = ANY(\(campaigns)::text[]) AND o.user_id = deleted.id
                """
            ]
        })
}
