extension BrokenInvariant {
    static let rewards = [
        BrokenInvariant("reward_unposted", reward("fay", "approved", approved: "now()")),
        BrokenInvariant(
            "reward_of_other", reward("gus", "pending", approved: "NULL")),
        BrokenInvariant(
            "reward_of_deleted", deleted("fay"), referral("fay"), reward("fay", "pending", approved: "NULL")),
        BrokenInvariant("reward_without_referral", reward("fay", "pending", approved: "NULL")),
        BrokenInvariant("reward_without_code", offer),
        BrokenInvariant("referral_without_reward", referral("fay", made: "now()")),
        BrokenInvariant(
            "purchase_paid_twice", referral("fay", purchase: "'production 1'"),
            referral("gus", purchase: "'production 1'")),
        BrokenInvariant(
            "refunded_reward_stands",
            referral(
                "fay", purchase: "'production 1'", refunded: "now() - interval '2 hours'", made: "now()"),
            reward("fay", "approved", kind: "event", approved: "now()")),
        BrokenInvariant(
            "reversal_astray",
            """
            INSERT INTO reward_postings (user_id, id, kind, debit, credit, unit, amount)
            VALUES (user_id('u-ann'), user_id('one'), 'forfeit', 'user', 'forfeited', 'coins', 2),
                   (user_id('u-ann'), user_id('two'), 'loss', 'loss', 'user', 'coins', 2)
            """,
            """
            INSERT INTO reward_postings (user_id, id, kind, debit, credit, unit, amount, reverses)
            VALUES (user_id('u-ann'), user_id('three'), 'reversal', 'forfeited', 'user', 'coins', 1, user_id('one'))
            """),
        BrokenInvariant(
            "balance_below_zero",
            """
            INSERT INTO reward_postings (user_id, id, kind, debit, credit, unit, amount)
            VALUES (user_id('u-ann'), user_id('one'), 'spend', 'user', 'spent', 'coins', 1)
            """),
        BrokenInvariant(
            "budget_off",
            """
            INSERT INTO reward_budgets (program, side, unit, period, rewards, amount)
            SELECT 'autumn', 'inviter', 'coins', period, 1, 1 FROM unnest(ARRAY['all', '2026-10-01']) period
            """),
    ]

    /// As the invitee, by what the account of Fay came from.
    private static func reward(
        _ user: String, _ state: String, kind: String = "credit", approved: String
    ) -> String {
        """
        INSERT INTO rewards (user_id, id, program, invitee_id, side, other_id, kind, unit, amount, state, change_id, due_at, approved_at)
        VALUES (user_id('u-\(user)'), user_id('reward'), 'autumn', user_id('u-\(user)'), 'invitee', user_id('u-ann'), '\(kind)', 'coins', 1,
                '\(state)', user_id('change'), now(), \(approved))
        """
    }

    private static let offer = """
        INSERT INTO rewards (user_id, id, program, invitee_id, side, other_id, kind, unit, amount, state, change_id, due_at, approved_at)
        VALUES (user_id('u-fay'), user_id('reward'), 'autumn', user_id('u-fay'), 'invitee', user_id('u-ann'), 'offer', 'spring', 1,
                'assigned', user_id('change'), now(), now())
        """

    private static func referral(
        _ user: String, purchase: String = "NULL", refunded: String = "NULL", made: String = "NULL"
    ) -> String {
        """
        INSERT INTO referrals (invitee_id, program, inviter_id, signed_up_at, qualified_at, purchase, refunded_at, made_at)
        VALUES (user_id('u-\(user)'), 'autumn', user_id('u-ann'), now(), now(), \(purchase), \(refunded), \(made))
        """
    }
}
