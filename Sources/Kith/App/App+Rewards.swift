import Hummingbird
public import Postgres

/// Rewards: the routes, and the handlers.
extension App {
    func addRoutes(forRewards v1: APIRoutes<AccountContext>) {
        v1.get("me/rewards", query: ["after", "limit"], use: reading(rewardRoutes.list))
    }

    /// For keys of backends.
    func addRoutes(forRewards v1: APIRoutes<CallerContext>) {
        v1.post("rewards/actions", use: rewardRoutes.act)
        v1.post("rewards/signals", use: rewardRoutes.tell)
        v1.post("rewards/spend", use: rewardRoutes.spend)
    }

    /// For admin keys.
    func addRoutes(forRewards v1: APIRoutes<AdminContext>) {
        v1.get(
            "admin/rewards", query: ["program", "state", "uid", "after", "limit"], use: rewardRoutes.search)
        v1.get("admin/rewards/programs", use: rewardRoutes.listPrograms)
        v1.get("admin/rewards/programs/{program}/report", use: rewardRoutes.report)
        v1.get("admin/rewards/{reward}", use: rewardRoutes.show)
        v1.post("admin/rewards/{reward}/decision", use: rewardRoutes.decide)
    }

    private var rewardRoutes: RewardRoutes {
        RewardRoutes(
            store: RewardStore(db: db), referrals: ReferralStore(db: db), signals: RewardSignalStore(db: db),
            applied: AppliedStore(db: db), users: users, cursors: cursors, secretsKey: config.secretsKey,
            disposable: config.disposableDomains, now: world.now)
    }
}

extension RewardReview {
    /// For commands.
    public init(_ db: Database) {
        self.init(store: RewardStore(db: db), applied: AppliedStore(db: db))
    }
}
