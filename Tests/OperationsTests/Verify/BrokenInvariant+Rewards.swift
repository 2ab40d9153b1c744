extension BrokenInvariant {
    static let rewards = [
        BrokenInvariant("reward_unposted", reward("fay", "approved", approved: "now()")),
        unchecked("reward_unposted", reward("fay", "assigned", approved: "now()")),
        unchecked("reward_unposted", reward("fay", "settled", approved: "now()")),
        unchecked("reward_unposted", reward("fay", "expired", approved: "now()")),
        BrokenInvariant("reward_unposted", reward("fay", "pending", approved: "NULL"), posting),
        BrokenInvariant(
            "reward_of_other", reward("gus", "pending", approved: "NULL")),
        BrokenInvariant(
            "reward_of_other", reward("bob", side: "inviter", "pending", invitee: "fay", approved: "NULL")),
        BrokenInvariant(
            "reward_of_deleted", deleted("fay"), referral("fay"), reward("fay", "pending", approved: "NULL")),
        BrokenInvariant(
            "reward_of_deleted", deleted("fay"), referral("fay"), reward("fay", "flagged", approved: "NULL")),
        BrokenInvariant(
            "reward_of_deleted", deleted("fay"), referral("fay"), reward("fay", "pending", approved: "NULL"),
            """
            UPDATE rewards SET state = 'voided', cause = 'deleted', reasons = '[{"rule": "selfReferral", "verdict": "flag", "fact": "the same phone"}]'
            """),
        BrokenInvariant("reward_without_referral", reward("fay", "pending", approved: "NULL")),
        BrokenInvariant("reward_without_code", offer),
        unchecked("reward_without_code", offer, "UPDATE rewards SET state = 'settled'"),
        BrokenInvariant("referral_without_reward", referral("fay", made: "now()")),
        BrokenInvariant(
            "purchase_paid_twice", referral("fay", purchase: "'production 1'"),
            referral("gus", purchase: "'production 1'")),
        BrokenInvariant(
            "refunded_reward_stands",
            referral(
                "fay", purchase: "'production 1'", refunded: "now() - interval '2 hours'", made: "now()"),
            reward("fay", "approved", kind: "event", approved: "now()")),
        unchecked("refunded_reward_stands", refunded, reward("fay", "assigned", approved: "now()")),
        unchecked("refunded_reward_stands", refunded, reward("fay", "settled", approved: "now()")),
        BrokenInvariant(
            "refunded_reward_stands", refunded, reward("fay", "approved", kind: "event", approved: "now()"),
            "UPDATE rewards SET decided_at = now() - interval '3 hours'"),
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
            "reversal_astray", reversal("user_id('none'), 'forfeited', 'user', 'coins', NULL")),
        BrokenInvariant(
            "reversal_astray", reversal("user_id('one'), 'spent', 'user', 'coins', NULL")),
        unchecked("reversal_astray", reversal("user_id('one'), 'forfeited', 'spent', 'coins', NULL")),
        BrokenInvariant(
            "reversal_astray", reversal("user_id('one'), 'forfeited', 'user', 'gems', NULL")),
        unchecked(
            "reversal_astray", reversal("user_id('one'), 'forfeited', 'user', 'coins', user_id('reward')")),
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
        BrokenInvariant("budget_off", reward("fay", "approved", approved: "now()"), budget(day: "2, 2")),
        BrokenInvariant("budget_off", reward("fay", "approved", approved: "now()"), budget(day: "1, 2")),
        BrokenInvariant(
            "budget_off", reward("fay", "approved", approved: "now()"), budget(all: "1, 2", day: "1, 2")),
    ]

    /// Without the CHECKs that forbid some of these states.
    private static func unchecked(_ invariant: String, _ sql: String...) -> BrokenInvariant {
        var broken = BrokenInvariant(invariant)
        broken.sql =
            [
                ("rewards", "offer"), ("rewards", "settled"), ("rewards", "cause"),
                ("reward_postings", "accounts"), ("reward_postings", "program"),
            ].map { "ALTER TABLE \($0.0) DROP CONSTRAINT \($0.0)_\($0.1)" } + sql
        return broken
    }

    /// By what the account of Fay came from.
    private static func reward(
        _ user: String, side: String = "invitee", _ state: String, kind: String = "credit",
        invitee: String? = nil, approved: String
    ) -> String {
        """
        INSERT INTO rewards (user_id, id, program, invitee_id, side, other_id, kind, unit, amount, state, change_id, due_at, approved_at)
        VALUES (user_id('u-\(user)'), user_id('reward'), 'autumn', user_id('u-\(invitee ?? user)'), '\(side)', user_id('u-ann'), '\(kind)',
                'coins', 1, '\(state)', user_id('change'), now(), \(approved))
        """
    }

    private static let posting = """
        INSERT INTO reward_postings (user_id, id, kind, debit, credit, program, unit, amount, reward_id)
        VALUES (user_id('u-fay'), user_id('one'), 'reward', 'program', 'user', 'autumn', 'coins', 1, user_id('reward'))
        """

    private static let refunded = referral(
        "fay", purchase: "'production 1'", refunded: "now() - interval '2 hours'", made: "now()")

    /// An entry, what balances it, and one that claims to reverse it.
    /// - Parameter columns: the entry that it names, debit, credit, unit and reward.
    private static func reversal(_ columns: String) -> String {
        """
        INSERT INTO reward_postings (user_id, id, kind, amount, reverses, debit, credit, unit, reward_id)
        VALUES (user_id('u-ann'), user_id('one'), 'forfeit', 2, NULL, 'user', 'forfeited', 'coins', NULL),
               (user_id('u-ann'), user_id('two'), 'loss', 2, NULL, 'loss', 'user', 'coins', NULL),
               (user_id('u-ann'), user_id('three'), 'reversal', 2, \(columns))
        """
    }

    /// - Parameters:
    ///   - all: how many rewards, and of how much, since the program began.
    ///   - day: the same of its only day.
    private static func budget(all: String = "1, 1", day: String) -> String {
        """
        INSERT INTO reward_budgets (program, side, unit, period, rewards, amount)
        VALUES ('autumn', 'invitee', 'coins', 'all', \(all)), ('autumn', 'invitee', 'coins', '2026-10-01', \(day))
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
