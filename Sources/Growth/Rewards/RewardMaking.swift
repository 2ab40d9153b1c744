import Foundation
import Kernel
import Web

/// Makes the rewards of users who qualified, and ends those whose codes were not used.
struct RewardMaking: Sendable {
    let referrals: ReferralStore
    let rewards: RewardStore
    let signals: RewardSignalStore
    let redemptions: RewardRedemptions
    let now: @Sendable () -> Date

    /// Makes the rewards, each side's on its own. If only one is made before a crash, only the other one is
    /// missing, and comes the next time.
    func make(_ referral: Referral, in program: RewardProgram) async throws {
        let (verdict, reasons) = program.rules.verdict(on: try await signals.facts(of: referral))
        for side in Reward.Side.allCases {
            guard let gift = program.gifts[side] else { continue }
            try await rewards.make(
                gift, side, of: referral, holdDays: program.holdDays, verdict: verdict, reasons)
        }
        try await referrals.setMade(referral)
    }

    /// Ends the rewards whose codes expired without a redemption that Kith learned of.
    func endUnused(atOnce: Int = 500) async throws {
        var cursor: Cursor?
        repeat {
            let page = try await rewards.list(.init(state: .assigned), after: cursor, limit: atOnce)
            for environment in OfferCampaign.Environment.allCases {
                let dealt = try await redemptions.offers.dealt(
                    to: Set(page.items.map(\.user)), in: environment)
                for reward in page.items {
                    let code = dealt.first { $0.user == reward.user && $0.campaign.text == reward.unit }
                    guard let code, code.expiresAt < now() else { continue }
                    // The code may have been redeemed before its reward was given.
                    let redeemed = try await redemptions.campaigns(of: reward.user, in: environment)
                    try await RewardError.ignoringChanges {
                        if redeemed.contains(reward.unit) {
                            try await rewards.settle(reward)
                        } else {
                            try await rewards.end(reward, .expired, .unused)
                        }
                    }
                }
            }
            cursor = page.next
        } while cursor != nil
    }
}
