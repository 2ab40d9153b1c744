import Foundation
import Kernel
import Web

/// Makes the rewards of users who qualified, and gives rewards whose time has come.
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

    /// Judges a reward again, by everything that was learned during the hold, and gives it or not.
    func decide(_ reward: Reward, in program: RewardProgram) async throws {
        do {
            // This holds whatever the hold of the program is by now.
            if reward.dueAt > reward.createdAt, try await isEnded(reward, program) { return }
            try await rewards.approve(reward, within: Self.bounds(of: reward, in: program))
        } catch RewardError.changed {
            return
        } catch RewardError.capReached, RewardError.offerHad {
            try await RewardError.ignoringChanges { try await rewards.end(reward, .rejected, .cap) }
        } catch RewardError.dayUsed {
            try await rewards.postpone(reward, to: tomorrow)
        } catch RewardError.budgetUsed, RewardError.programGone {
            try await rewards.postpone(reward, to: now() + 3600)
        } catch AccountError.inactive {
            try await rewards.postpone(reward, to: now() + 86_400)
        }
    }

    /// Returns the bounds. Throws `programGone` if the program no longer says how much of the reward's unit
    /// it may give.
    static func bounds(
        of reward: Reward, in program: RewardProgram?
    ) throws(RewardError) -> RewardStore.Bounds {
        guard let program, let gift = program.gifts[reward.side], gift.kind == reward.kind,
            gift.unit == reward.unit
        else { throw .programGone }
        return .init(perInviter: program.perInviter, perDay: program.perDay, budget: gift.budget)
    }

    private func isEnded(_ reward: Reward, _ program: RewardProgram) async throws -> Bool {
        let known = try await referrals.list(of: reward.invitee)
        guard let referral = known.first(where: { $0.program == reward.program }), referral.leftAt == nil
        else {
            // The invitee left, perhaps before anybody knew that the reward was made.
            try await rewards.end(reward, .voided, .deleted)
            return true
        }
        let (verdict, reasons) = program.rules.verdict(on: try await signals.facts(of: referral))
        switch verdict {
        case .allow: return false
        case .flag: try await rewards.flag(reward, reasons)
        case .block: try await rewards.end(reward, .rejected, .rule, reasons)
        }
        return true
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

    private var tomorrow: Date {
        Date(timeIntervalSince1970: (now().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 + 86_400)
    }
}
