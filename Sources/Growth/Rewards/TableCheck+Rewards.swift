import Kernel
import Postgres

/// The checks of rewards: of the ledger, and of what it says about each.
extension TableCheck {
    static let rewards = TableCheck(
        table: "rewards", home: .user,
        invariants: [
            Invariant(
                "reward_unposted", "the ledger has something else than the state of a reward says",
                .person("read both at /v1/admin/rewards/{reward}, and find out who changed one by hand")),
            Invariant(
                "reward_of_other",
                "a reward goes to somebody who did not invite the invitee, perhaps a second time",
                .person("take it back, with a reason")),
            Invariant(
                "reward_without_referral",
                "a reward is for an invite of which no program knows, so its purchase may pay again",
                .person("find out who deleted the row of referrals by hand, and write it again")),
            Invariant(
                "reward_without_code", "a reward says that its code was dealt, and the user has none",
                .person("find out who changed offer_codes by hand, and take the reward back, with a reason")),
            Invariant(
                "reward_of_deleted",
                "a reward waits for a deleted user, or says by which rules they were judged", .repair),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT user_id AS home, id, program, invitee_id, side, other_id, kind, unit, state, amount, reasons,
                       state IN ('approved', 'assigned', 'settled', 'expired') AS given, state IN ('pending', 'flagged') AS waits
                FROM rewards WHERE \(within("user_id"))),
            posted AS MATERIALIZED (
                SELECT user_id, reward_id, sum(amount * ((debit = 'program')::int - (credit = 'program')::int)) AS net
                FROM reward_postings WHERE \(within("user_id")) AND reward_id IS NOT NULL GROUP BY user_id, reward_id),
            known AS MATERIALIZED (
                SELECT r.invitee_id, r.program FROM referrals r
                JOIN (SELECT DISTINCT invitee_id FROM mine) m ON \(found("r.invitee_id", "m.invitee_id"))),
            codes AS MATERIALIZED (
                SELECT o.user_id, o.campaign FROM offer_codes o
                JOIN (SELECT DISTINCT home FROM mine WHERE kind = 'offer') m ON \(found("o.user_id", "m.home"))),
            came AS MATERIALIZED (
                SELECT a.invitee_id, a.inviter_id FROM acceptances a
                JOIN (SELECT DISTINCT invitee_id FROM mine) m ON \(found("a.invitee_id", "m.invitee_id"))),
            deleted AS MATERIALIZED (
                SELECT u.id FROM users u JOIN (SELECT DISTINCT home FROM mine) m ON \(found("u.id", "m.home"))
                WHERE u.status = 'deleted')
            SELECT mine.home, mine.id::text AS key,
                   coalesce(posted.net, 0) <> CASE WHEN given AND kind <> 'event' THEN amount ELSE 0 END AS reward_unposted,
                   (mine.invitee_id, CASE side WHEN 'inviter' THEN mine.home ELSE other_id END)
                       NOT IN (SELECT invitee_id, inviter_id FROM came) AS reward_of_other,
                   (mine.invitee_id, mine.program) NOT IN (SELECT invitee_id, program FROM known) AS reward_without_referral,
                   state IN ('assigned', 'settled') AND (mine.home, mine.unit) NOT IN (SELECT user_id, campaign FROM codes)
                       AND mine.home NOT IN (SELECT id FROM deleted) AS reward_without_code,
                   mine.home IN (SELECT id FROM deleted) AND (waits OR reasons IS NOT NULL) AS reward_of_deleted
            FROM mine LEFT JOIN posted ON posted.user_id = mine.home AND posted.reward_id = mine.id
            """
        },
        repairs: { homes in
            [
                """
                WITH deleted AS MATERIALIZED (SELECT id FROM users WHERE id = ANY(\(homes)::uuid[]) AND status = 'deleted')
                UPDATE rewards r SET state = 'voided', cause = 'deleted' FROM deleted
                WHERE r.user_id = ANY(\(homes)::uuid[]) AND r.user_id = deleted.id AND r.state IN ('pending', 'flagged')
                """,
                """
                WITH deleted AS MATERIALIZED (SELECT id FROM users WHERE id = ANY(\(homes)::uuid[]) AND status = 'deleted')
                UPDATE rewards r SET reasons = NULL FROM deleted
                WHERE r.user_id = ANY(\(homes)::uuid[]) AND r.user_id = deleted.id AND r.reasons IS NOT NULL
                """,
            ]
        })

    static let rewardPostings = TableCheck(
        table: "reward_postings", home: .user,
        invariants: [
            Invariant(
                "reversal_astray",
                "an entry of the ledger reverses none, or not exactly the one that it names",
                .person("find out who changed the ledger by hand")),
            Invariant(
                "balance_below_zero", "a user has less than nothing of a unit",
                .person("find out who changed the ledger by hand")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT user_id AS home, id, kind, debit, credit, unit, amount, reward_id, reverses FROM reward_postings
                WHERE \(within("user_id"))),
            owing AS MATERIALIZED (
                SELECT home, unit, max(id::text) AS id FROM mine GROUP BY home, unit
                HAVING sum(amount * ((credit = 'user')::int - (debit = 'user')::int)) < 0)
            SELECT mine.home, concat_ws(' ', mine.home, mine.id) AS key,
                   mine.kind = 'reversal' AND (o.id IS NULL OR mine.debit <> o.credit OR mine.credit <> o.debit OR mine.unit <> o.unit
                       OR mine.amount <> o.amount OR mine.reward_id IS DISTINCT FROM o.reward_id) AS reversal_astray,
                   owing.id IS NOT NULL AS balance_below_zero
            FROM mine LEFT JOIN mine o ON o.home = mine.home AND o.id = mine.reverses
            LEFT JOIN owing ON owing.home = mine.home AND owing.id = mine.id::text
            """
        })

    static let rewardBudgets = TableCheck(
        table: "reward_budgets", home: .text("program"),
        invariants: [
            Invariant(
                "budget_off", "the budget of a program says something else than its rewards",
                .person(
                    "compare with /v1/admin/rewards/programs/{program}/report, and find out who changed one by hand"
                ))
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT program AS home, side, unit, period, rewards, amount FROM reward_budgets WHERE \(within("program"))),
            days AS MATERIALIZED (
                SELECT home, side, unit, sum(rewards) AS rewards, sum(amount) AS amount FROM mine WHERE period <> 'all'
                GROUP BY home, side, unit),
            given AS MATERIALIZED (
                SELECT program AS home, side, CASE kind WHEN 'credit' THEN unit ELSE kind || ':' || unit END AS unit,
                       count(*) AS rewards, sum(amount) AS amount FROM rewards
                WHERE \(within("program")) AND approved_at IS NOT NULL GROUP BY 1, 2, 3)
            SELECT mine.home, concat_ws(' ', mine.home, mine.side, mine.unit) AS key,
                   (mine.rewards, mine.amount) IS DISTINCT FROM (given.rewards, given.amount)
                   OR (mine.rewards, mine.amount) IS DISTINCT FROM (days.rewards, days.amount) AS budget_off
            FROM mine
            LEFT JOIN given ON given.home = mine.home AND given.side = mine.side AND given.unit = mine.unit
            LEFT JOIN days ON days.home = mine.home AND days.side = mine.side AND days.unit = mine.unit
            WHERE mine.period = 'all'
            """
        })
}
