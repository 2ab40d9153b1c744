import Events
import Foundation
import Kernel

/// What events mean for rewards. Each event may come again, and then changes nothing.
struct RewardEventHandler: Sendable {
    let referrals: ReferralStore
    let rewards: RewardStore
    let purchases: PurchaseStore
    let redemptions: RewardRedemptions

    static let kinds: [Event.Kind] = [
        .userSignedUp, .userDeleted, .purchaseStarted, .purchaseRenewed, .purchaseRefunded,
        .purchaseRefundReversed,
    ]

    func take(_ news: RewardPositionStore.News, _ programs: [RewardProgram]) async throws {
        switch news.kind {
        case .userSignedUp:
            guard let inviter = news.other else { return }
            try await referrals.add(
                news.user, by: inviter, at: news.at, to: programs.filter { $0.holds(at: news.at) })
        case .userDeleted: try await forget(news.user)
        case .purchaseStarted, .purchaseRenewed, .purchaseRefunded, .purchaseRefundReversed:
            guard let purchase = try await find(news) else { return }
            try await qualify(news, by: purchase, programs)
            // No further event comes for a purchase that was refunded before it was shown or by an upgrade,
            // so follow it now.
            try await follow(purchase)
            try await settle(news)
        default: break
        }
    }

    /// Ends the inviter's rewards that were not given yet, since the invitee left and did not stay.
    private func forget(_ invitee: User.ID) async throws {
        for referral in try await referrals.list(of: invitee) {
            try await change(referral, .inviter) { reward in
                if !reward.state.isGiven, reward.cause == nil {
                    try await rewards.end(reward, .voided, .deleted)
                }
            }
        }
    }

    private func qualify(
        _ news: RewardPositionStore.News, by purchase: Purchase, _ programs: [RewardProgram]
    ) async throws {
        // Nothing is told about a deleted user, and a family's share is not a purchase.
        guard news.facts["productId"] != nil, !purchase.isFamilyShared else { return }
        let bought = Set(purchase.firstBought.map(\.productID))
        for program in programs {
            guard case .purchase(let products, let environment) = program.qualification,
                environment == news.environment, products.isEmpty || !bought.isDisjoint(with: products)
            else { continue }
            // The purchase may have begun long before a user showed it.
            try await referrals.qualify(
                news.user, by: purchase.key.ofReferral, began: purchase.startedAt, at: news.at, in: program)
        }
    }

    private func settle(_ news: RewardPositionStore.News) async throws {
        guard news.facts["offer"] != nil, let environment = news.environment else { return }
        let campaigns = try await redemptions.campaigns(of: news.user, in: environment)
        for reward in try await rewards.unredeemed(by: news.user, of: campaigns) {
            try await RewardError.ignoringChanges { try await rewards.settle(reward) }
        }
    }

    /// Follows the purchases of users who have deleted their accounts, about whom no events come.
    func followDeleted() async throws {
        let known = try await referrals.purchasesOfDeleted()
        let refunded = try await purchases.withRefunds(
            among: known.compactMap { .init(ofReferral: $0.purchase) })
        for (text, isRefunded) in known {
            guard let key = Purchase.Key(ofReferral: text), isRefunded || refunded.contains(key),
                let purchase = try await purchases.find(key), purchase.isTakenBack != isRefunded
            else { continue }
            try await follow(purchase)
        }
    }

    private func follow(_ purchase: Purchase) async throws {
        let isRefunded = purchase.isTakenBack
        for referral in try await referrals.setRefund(of: purchase.key.ofReferral, isRefunded) {
            for side in Reward.Side.allCases {
                try await change(referral, side) { reward in
                    try await isRefunded ? takeBack(reward, referral) : restore(reward, referral)
                }
            }
        }
    }

    private func find(_ news: RewardPositionStore.News) async throws -> Purchase? {
        guard let environment = news.environment, let id = news.facts["originalTransactionId"]?.text else {
            return nil
        }
        return try await purchases.find(Purchase.Key(id: id, environment: environment))
    }

    private func takeBack(_ reward: Reward, _ referral: Referral) async throws {
        // An operator who gave the reward after the refund knew of the refund. A refund of a later month is
        // reported after that.
        if let decided = reward.decidedAt, let refunded = referral.refundedAt, decided > refunded { return }
        if reward.state.isGiven {
            try await rewards.clawBack(reward, .refund)
        } else if reward.cause == nil {
            try await rewards.end(reward, .voided, .refund)
        }
    }

    /// Restores a reward as it was before the refund, even for a user who is suspended now. It stays as it is
    /// if the user left, or got another code of the campaign. A reward that was not given yet also stays as
    /// it is if the invitee left.
    private func restore(_ reward: Reward, _ referral: Referral) async throws {
        guard reward.cause == .refund, reward.state != .voided || referral.leftAt == nil else { return }
        do {
            if reward.state == .voided { return try await rewards.reopen(reward) }
            try await rewards.approve(reward, within: .init(), isRestored: true)
        } catch RewardError.offerHad, AccountError.inactive {}
    }

    /// Does the work. Calls it again if the reward got another state meanwhile.
    private func change(
        _ referral: Referral, _ side: Reward.Side, _ work: (Reward) async throws -> Void
    ) async throws {
        let id = Reward.id(referral.program, referral.invitee, side)
        for _ in 0..<5 {
            guard let reward = try await rewards.find(id, of: referral.user(side)) else { return }
            do { return try await work(reward) } catch RewardError.changed { continue }
        }
        throw RewardError.changed
    }
}

extension RewardPositionStore.News {
    fileprivate var environment: OfferCampaign.Environment? {
        facts["environment"]?.text.flatMap(OfferCampaign.Environment.init)
    }
}

extension Purchase.Key {
    /// The purchase's key as text, with its environment, because ids are unique only within an environment.
    fileprivate var ofReferral: String { "\(environment.rawValue) \(id)" }

    fileprivate init?(ofReferral text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let environment = OfferCampaign.Environment(rawValue: String(parts[0])) else {
            return nil
        }
        self.init(id: String(parts[1]), environment: environment)
    }
}
