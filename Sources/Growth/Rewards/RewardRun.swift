import Events
package import Foundation
import Kernel
import Web

/// One server's work on rewards. A pass does what it finds, and another pass does the rest.
package struct RewardRun: Sendable {
    let events: EventStore
    let positions: RewardPositionStore
    let referrals: ReferralStore
    let following: RewardEventHandler
    let making: RewardMaking
    let programs: AppliedCache<AppliedRewards>
    /// The id of this server, so that one at a time works.
    let holder = UUID.random()

    static let lease = 30.0
    private static let (atOnce, width) = (200, 4)
    /// How many events a pass follows. There is one pass a second.
    private static let mostFollowed = 1000

    package init(_ rewards: RewardStore, now: @escaping @Sendable () -> Date) {
        let db = rewards.db
        (events, positions, referrals) = (EventStore(db: db), .init(db: db), .init(db: db))
        let purchases = PurchaseStore(db: db)
        let redemptions = RewardRedemptions(offers: OfferStore(db: db), purchases: purchases, now: now)
        following = RewardEventHandler(
            referrals: referrals, rewards: rewards, purchases: purchases, redemptions: redemptions)
        making = RewardMaking(
            referrals: referrals, rewards: rewards, signals: RewardSignalStore(db: db),
            redemptions: redemptions,
            now: now)
        programs = AppliedCache(store: AppliedStore(db: db))
    }

    /// Returns how far events are followed if this server holds the position from now on. Nil otherwise.
    func take() async throws -> Int64? { try await positions.take(holder, for: Self.lease) }

    /// Makes a pass, and returns how far it came.
    func pass(from position: Int64) async throws -> Int64 {
        let last = try await events.last()
        try await programs.follow()
        let rules = try await programs.current().rules
        // A locked row, or an event that cannot be followed, must not hold up rewards that were made before.
        let followed: Result<Int64, any Error>
        do {
            followed = .success(try await follow(from: position, through: last, Array(rules.values)))
        } catch {
            followed = .failure(error)
        }
        try await giveDue(rules)
        return try followed.get()
    }

    private func follow(
        from position: Int64, through last: Int64, _ programs: [RewardProgram]
    ) async throws -> Int64 {
        guard position < last else { return position }
        // Mostly there are no programs, and there were none.
        if programs.isEmpty, try await !referrals.areAny() {
            try await positions.move(to: last, by: holder)
            return last
        }
        let news = try await positions.news(
            after: position, through: last, of: RewardEventHandler.kinds, limit: Self.mostFollowed)
        for one in news { try await following.take(one, programs) }
        let reached = news.count == Self.mostFollowed ? news.last?.id ?? last : last
        try await positions.move(to: reached, by: holder)
        return reached
    }

    private func giveDue(_ rules: [String: RewardProgram]) async throws {
        guard !rules.isEmpty else { return }
        let keys = Array(rules.keys)
        let unmade = await Self.each(try await referrals.due(in: keys, limit: Self.atOnce)) {
            [making] referral in
            if let program = rules[referral.program] { try await making.make(referral, in: program) }
        }
        let ungiven = await Self.each(try await making.rewards.due(in: keys, limit: Self.atOnce)) {
            [making] reward in
            if let program = rules[reward.program] { try await making.decide(reward, in: program) }
        }
        if let failed = unmade ?? ungiven { throw failed }
    }

    /// Does the work for some items at once. If one fails, the others go on. Returns why one failed.
    private static func each<Item: Sendable>(
        _ items: [Item], _ work: @escaping @Sendable (Item) async throws -> Void
    ) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            var (failed, underWay) = ((any Error)?.none, 0)
            for item in items {
                if underWay == width, let outcome = await group.next() {
                    failed = failed ?? outcome
                    underWay -= 1
                }
                group.addTask {
                    do { try await work(item) } catch { return error }
                    return nil
                }
                underWay += 1
            }
            for await outcome in group { failed = failed ?? outcome }
            return failed
        }
    }

    /// Cleans up, which is done now and then.
    func clean() async throws {
        for program in try await programs.current().rules.values { try await referrals.endLate(program) }
        try await referrals.forgetActions()
        try await making.signals.forgetOld()
        try await making.endUnused()
        try await following.followDeleted()
    }
}
