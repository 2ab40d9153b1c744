import Foundation
import Kernel

/// When the time of a reward has come, Kith gives it, keeps it for an operator, or ends it.
extension RewardMaking {
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

    private var tomorrow: Date {
        Date(timeIntervalSince1970: (now().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 + 86_400)
    }
}
