package import Foundation
package import Kernel
import Web

/// What operators see of rewards and decide about them, with calls and commands.
package struct RewardReview: Sendable {
    let store: RewardStore
    let applied: AppliedStore

    package init(store: RewardStore, applied: AppliedStore) {
        self.store = store
        self.applied = applied
    }

    /// Returns the reward. Throws `RewardError.unknown`.
    func find(_ id: UUID) async throws -> Reward {
        guard let reward = try await store.find(id) else { throw RewardError.unknown }
        return reward
    }

    /// Carries out a decision, whatever the rules say, and returns the reward as it is then. The same
    /// decision again changes nothing. Throws a `RewardError` that says why it is not possible.
    func decide(
        _ decision: OperatorDecision, on id: UUID, _ reason: OperatorReason, by actor: AuditActor
    ) async throws -> Reward {
        let reward = try await find(id)
        guard try reward.isChanged(by: decision) else { return reward }
        let act = OperatorAct(
            by: actor, kind: .decideReward, user: reward.user, reason: reason,
            details: ["reward": id.uuidString.lowercased(), "decision": decision.rawValue])
        switch decision {
        case .approve: try await approve(reward, act)
        case .reject: try await store.end(reward, .rejected, .operator, noting: act)
        case .clawBack: try await store.clawBack(reward, .operator, noting: act)
        }
        return try await find(id)
    }

    /// Approves within the limits of day and budget, which count only what is given for the first time. The
    /// inviter's cap is a rule, so it does not apply.
    private func approve(_ reward: Reward, _ act: OperatorAct) async throws {
        var bounds = RewardStore.Bounds()
        if reward.approvedAt == nil {
            bounds = try RewardMaking.bounds(
                of: reward, in: try await applied.rewardPrograms().rules[reward.program])
            bounds.perInviter = nil
        }
        do { try await store.approve(reward, within: bounds, noting: act) } catch AccountError.inactive {
            throw RewardError.userAway
        }
    }
}

/// The commands, which print texts. All throw a `Problem` that names a wrong value.
extension RewardReview {
    /// Returns a line for each reward, newest first.
    /// - Parameters:
    ///   - program: the program. Nil for all, as for the next two.
    ///   - limit: the most lines.
    package func lines(program: String?, state: String?, uid: String?, limit: Int) async throws -> [String] {
        let filter = try RewardStore.Filter(program: program, state: state, uid: uid)
        let rewards = try await store.list(filter, after: nil, limit: limit).items
        let uids = try await store.uids(of: Set(rewards.flatMap { [$0.user, $0.other] }))
        return rewards.map { Self.line($0, uids) }
    }

    /// Returns what the reward is, why, and its entries in the ledger.
    package func text(_ id: UUID) async throws -> String {
        let reward = try await find(id)
        let (uids, postings) = try await (
            store.uids(of: [reward.user, reward.other]), store.postings(of: reward)
        )
        let times: [(String, Date?)] = [
            ("created", reward.createdAt), ("due", reward.dueAt), ("given", reward.approvedAt),
            ("changed", reward.changedAt),
        ]
        return
            ([Self.line(reward, uids)]
            + times.compactMap { name, time in time.map { "\(name) \(JSON.timestamp($0))" } }
            + reward.reasons.map { reason in
                let threshold = reason.threshold.map { ", threshold \($0)" } ?? ""
                return "\(reason.verdict.rawValue) by \(reason.rule.rawValue): \(reason.fact)\(threshold)"
            }
            + postings.map {
                "\($0.kind) \($0.amount) \($0.unit) from \($0.debit) to \($0.credit) \(JSON.timestamp($0.at))"
            }).joined(separator: "\n")
    }

    /// Carries out a decision and returns a line with the result.
    package func decide(_ decision: OperatorDecision, on id: UUID, reason: String) async throws -> String {
        let reward = try await decide(decision, on: id, OperatorReason.requested(reason), by: .thisCommand)
        return Self.line(reward, try await store.uids(of: [reward.user, reward.other]))
    }

    private static func line(_ reward: Reward, _ uids: [User.ID: User.UID]) -> String {
        let cause = reward.cause.map { " by \($0.rawValue)" } ?? ""
        return
            "\(reward.id.uuidString.lowercased())  \(reward.state.rawValue)\(cause)  \(reward.amount) \(reward.unit) (\(reward.kind.rawValue))  "
            + "\(reward.program)  \(reward.side.rawValue) \(uids[reward.user]?.text ?? "unknown"), other side \(uids[reward.other]?.text ?? "unknown")"
    }
}
