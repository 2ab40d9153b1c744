import Kernel
import Postgres

/// The checks of offer codes.
extension TableCheck {
    static let offerCampaigns = TableCheck(
        table: "offer_campaigns", home: .text("key"),
        invariants: [
            Invariant(
                "quarter_overcounted",
                "more codes count as dealt in a quarter than were, so its budget ends too early",
                .person("set quarter_dealt of offer_campaigns to the number of codes dealt since quarter"))
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT key AS home, quarter, quarter_dealt FROM offer_campaigns WHERE \(within("key"))),
            dealt AS MATERIALIZED (
                SELECT o.campaign, count(*) AS codes FROM offer_codes o
                JOIN mine ON \(found("o.campaign", "mine.home")) AND o.dealt_at >= mine.quarter::timestamp AT TIME ZONE 'UTC'
                GROUP BY o.campaign)
            SELECT home, home AS key, quarter_dealt > coalesce(dealt.codes, 0) AS quarter_overcounted
            FROM mine LEFT JOIN dealt ON dealt.campaign = mine.home
            """
        })

    static let offerCodes = TableCheck(
        table: "offer_codes", home: .text("campaign"), sliceRows: 100_000,
        invariants: [
            Invariant(
                "offer_code_twice", "a code is in two campaigns, so two people may get it",
                .person("find out which campaign the code is of, and give that one's users another")),
            Invariant(
                "offer_code_of_deleted", "a code still says which deleted user got it", .repair),
            Invariant(
                "offer_code_of_nobody", "a code was dealt to somebody who has no account",
                .person("find out who got it: nobody else will")),
            Invariant(
                "offer_code_dealt_late", "a code was dealt after it had expired",
                .person("give its user another, and find out whose clock was wrong")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT campaign AS home, id, user_id, dealt_at, expires_at FROM offer_codes WHERE \(within("campaign"))),
            others AS MATERIALIZED (
                SELECT o.id FROM offer_codes o JOIN mine ON \(found("o.id", "mine.id")) AND o.campaign <> mine.home),
            owners AS MATERIALIZED (
                SELECT u.id, u.status FROM users u JOIN mine ON \(found("u.id", "mine.user_id")))
            SELECT home, concat_ws(' ', home, id) AS key, id IN (SELECT id FROM others) AS offer_code_twice,
                   coalesce(user_id IN (SELECT id FROM owners WHERE status = 'deleted'), false) AS offer_code_of_deleted,
                   user_id IS NOT NULL AND user_id NOT IN (SELECT id FROM owners) AS offer_code_of_nobody,
                   coalesce(dealt_at >= expires_at, false) AS offer_code_dealt_late
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
