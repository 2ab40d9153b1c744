package import Kernel

extension Feature {
    package static let rewards = Feature(
        tables: [
            Table("referrals", .insert, .update, .delete), Table("rewards", .insert, .update),
            Table("reward_actions", .insert, .delete), Table("reward_signals", .insert, .update, .delete),
            Table("reward_postings", .insert), Table("reward_budgets", .insert, .update),
            Table("reward_positions", .update),
        ],
        userData: [RewardStore.self], sections: [AppliedRewardStore.self],
        checks: [.referrals, .rewards, .rewardPostings, .rewardBudgets])
}
