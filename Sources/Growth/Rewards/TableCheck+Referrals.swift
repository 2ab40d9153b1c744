import Kernel
import Postgres

/// The checks of referrals: what was paid for them, and what happened to that.
extension TableCheck {
    static let referrals = TableCheck(
        table: "referrals", home: .user,
        invariants: [
            Invariant(
                "referral_without_reward", "the rewards of an invite count as made, and there is none",
                .person("set its made_at to NULL in referrals: a server makes them within seconds")),
            Invariant(
                "purchase_paid_twice", "a purchase paid for two invites of one program",
                .person("take the rewards of the later one back, with a reason")),
            Invariant(
                "refunded_reward_stands", "a purchase was refunded, and a reward for it was not taken back",
                .person("take it back, with a reason")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT invitee_id AS home, program, inviter_id, purchase, refunded_at, made_at FROM referrals
                WHERE \(within("invitee_id"))),
            sides AS MATERIALIZED (
                SELECT home AS who, home, program FROM mine UNION ALL SELECT inviter_id, home, program FROM mine),
            made AS MATERIALIZED (
                SELECT r.invitee_id, r.program, r.state, r.decided_at FROM rewards r
                JOIN sides ON \(found("r.user_id", "sides.who")) AND r.program = sides.program AND r.invitee_id = sides.home),
            -- A refund is followed within seconds.
            standing AS MATERIALIZED (
                SELECT made.invitee_id, made.program FROM made JOIN mine ON mine.home = made.invitee_id AND mine.program = made.program
                WHERE mine.refunded_at < now() - interval '1 hour' AND made.state IN ('approved', 'assigned', 'settled')
                  AND (made.decided_at IS NULL OR made.decided_at <= mine.refunded_at)),
            others AS MATERIALIZED (
                SELECT o.purchase, o.program FROM referrals o
                JOIN mine ON \(found("o.purchase", "mine.purchase")) AND o.program = mine.program AND o.invitee_id <> mine.home),
            deleted AS MATERIALIZED (
                SELECT u.id FROM users u JOIN sides ON \(found("u.id", "sides.who")) WHERE u.status = 'deleted')
            SELECT home, concat_ws(' ', home, program) AS key,
                   made_at IS NOT NULL AND (home, program) NOT IN (SELECT invitee_id, program FROM made)
                       AND home NOT IN (SELECT id FROM deleted) AND inviter_id NOT IN (SELECT id FROM deleted) AS referral_without_reward,
                   coalesce((purchase, program) IN (SELECT purchase, program FROM others), false) AS purchase_paid_twice,
                   (home, program) IN (SELECT invitee_id, program FROM standing) AS refunded_reward_stands
            FROM mine
            """
        })
}
