import Events
import Foundation
import Kernel
import Postgres
import Web

/// The transitions of rewards. Each is one batch. If another came first, it ends with `RewardError.changed`,
/// and nothing is written. Users are locked first, then their rewards, then the budgets of the program.
extension RewardStore {
    /// Makes the reward of a side. A repeated call changes nothing, and a deleted user gets none.
    func make(
        _ gift: RewardProgram.Gift, _ side: Reward.Side, of referral: Referral, holdDays: Int,
        verdict: FraudRule.Verdict, _ reasons: [FraudRules.Reason]
    ) async throws {
        let (user, change) = (referral.user(side), UUID.random())
        let id = Reward.id(referral.program, referral.invitee, side)
        let state: Reward.State =
            switch verdict {
            case .allow: .pending
            case .flag: .flagged
            case .block: .rejected
            }
        let cause: String? = verdict == .block ? Reward.Cause.rule.rawValue : nil
        let facts = Reward.facts(id, referral.program, side, gift)
        let isMade: Statement = "user_id = \(user) AND id = \(id) AND change_id = \(change)"
        func tell(_ kind: Event.Kind, _ facts: [String: EventFact]) -> Statement {
            EventStore.record(
                of:
                    "SELECT user_id, \(kind.rawValue), other_id, \(JSON.text(ifAny: facts)) FROM rewards WHERE \(isMade)"
            )
        }
        try await db.write.with(key: user).batch(
            [
                Self.lock(user),
                """
                INSERT INTO rewards (user_id, id, program, invitee_id, side, other_id, kind, unit, amount, state, cause, reasons,
                                     change_id, due_at)
                SELECT id, \(id), \(referral.program), \(referral.invitee), \(side.rawValue), \(referral.other(side)),
                       \(gift.kind.rawValue), \(gift.unit), \(gift.amount), \(state.rawValue), \(cause),
                       \(JSON.text(ifAny: reasons)), \(change), now() + \(holdDays) * interval '1 day'
                FROM users WHERE id = \(user) AND status <> 'deleted'
                ON CONFLICT DO NOTHING
                """,
            ] + (verdict == .block ? [] : [tell(.rewardEarned, facts)])
                + (verdict == .allow
                    ? [] : [tell(.rewardFlagged, facts.merging(["verdict": .text(verdict.rawValue)]) { $1 })])
        )
    }

    /// The most that may be given.
    struct Bounds: Sendable {
        /// The most for one inviter. Nil if an operator decides, or the side has no such limit.
        var perInviter: Int?
        var perDay: Int?
        var budget: Int?
    }

    /// Gives a reward, or gives it again after it was taken back. Then the posting that took it back is
    /// reversed, and a code that was dealt is the user's as before, redeemed or not.
    ///
    /// Throws a `RewardError`, or `AccountError.inactive` if the user is suspended or deleted. Unless an
    /// operator decides, it also throws that if the inviter is frozen or their invitee is suspended or
    /// deleted.
    /// - Parameter isRestored: whether the user had the reward, and the reason for its loss was undone. Then
    ///   only a deleted user does not get it.
    func approve(
        _ reward: Reward, within bounds: Bounds, isRestored: Bool = false, noting act: OperatorAct? = nil
    ) async throws {
        let isFirst = reward.approvedAt == nil
        let times: Statement =
            "\(isFirst ? ", approved_at = now()" : "" as Statement), decided_at = \(act == nil ? "NULL" : "now()" as Statement)"
        var statements =
            isRestored
            ? [
                UserStore.lock(reward.user),
                "SELECT require((SELECT status FROM users WHERE id = \(reward.user)) <> 'deleted', \(AccountError.inactive))",
            ] : [UserStore.lockActive(reward.user, else: AccountError.inactive)]
        if act == nil, !isRestored, reward.side == .inviter {
            // There are two statements, since the two users may be on two nodes.
            statements += [
                "SELECT require(NOT EXISTS (SELECT FROM users WHERE id = \(reward.user) AND frozen_at IS NOT NULL), \(AccountError.inactive))",
                "SELECT require(NOT EXISTS (SELECT FROM users WHERE id = \(reward.invitee) AND status <> 'active'), \(AccountError.inactive))",
            ]
        }
        if reward.kind == .offer {
            statements.append(
                """
                SELECT require(NOT EXISTS (SELECT FROM rewards WHERE user_id = \(reward.user) AND unit = \(reward.unit)
                                           AND kind = 'offer' AND state IN ('approved', 'assigned', 'settled', 'expired')), \(RewardError.offerHad))
                """)
        }
        let state: Statement =
            isFirst || reward.kind != .offer
            ? "\(Reward.State.approved.rawValue)"
            : """
            CASE WHEN settled_at IS NOT NULL THEN 'settled' WHEN \(Self.hasCode(reward.user)) THEN 'assigned' ELSE 'approved' END
            """
        statements += Self.set(reward, state, act == nil ? nil : .operator, times)
        statements += isFirst ? Self.give(reward, bounds) : Self.giveAgain(reward)
        try await run(
            statements + [tell(.rewardApproved, reward)] + AuditStore.note(act), of: reward.user)
    }

    private static func give(_ reward: Reward, _ bounds: Bounds) -> [Statement] {
        var statements: [Statement] = []
        if reward.side == .inviter, let most = bounds.perInviter {
            statements.append(
                """
                SELECT require((SELECT count(*) FROM rewards WHERE user_id = \(reward.user) AND program = \(reward.program)
                                AND side = 'inviter' AND approved_at IS NOT NULL) <= \(most), \(RewardError.capReached))
                """)
        }
        if let unit = reward.ledgerUnit {
            statements.append(
                """
                INSERT INTO reward_postings (user_id, id, kind, debit, credit, program, unit, amount, reward_id)
                VALUES (\(reward.user), \(UUID.random()), 'reward', 'program', 'user', \(reward.program), \(unit), \(reward.amount), \(reward.id))
                """)
        }
        return statements + count(reward, "'all'", "amount", bounds.budget, RewardError.budgetUsed)
            + count(
                reward, "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')", "rewards", bounds.perDay,
                RewardError.dayUsed)
    }

    /// Counts the reward in a period, and ends the batch if that is too much.
    private static func count(
        _ reward: Reward, _ period: Statement, _ column: Statement, _ most: Int?, _ outcome: RewardError
    ) -> [Statement] {
        let counted: Statement = """
            INSERT INTO reward_budgets AS b (program, side, unit, period, rewards, amount)
            VALUES (\(reward.program), \(reward.side.rawValue), \(reward.budgetUnit), \(period), 1, \(reward.amount))
            ON CONFLICT (program, side, unit, period) DO UPDATE SET rewards = b.rewards + 1, amount = b.amount + excluded.amount
            """
        guard let most else { return [counted] }
        return [
            counted,
            """
            SELECT require(NOT EXISTS (SELECT FROM reward_budgets WHERE program = \(reward.program) AND side = \(reward.side.rawValue)
                                       AND unit = \(reward.budgetUnit) AND period = \(period) AND \(column) > \(most)), \(outcome))
            """,
        ]
    }

    private static func giveAgain(_ reward: Reward) -> [Statement] {
        guard reward.ledgerUnit != nil else { return [] }
        return [reverse(reward, "credit = 'program'"), reverse(reward, "debit = 'loss'")]
    }

    /// Writes the opposite of the posting of a reward that is in force.
    private static func reverse(_ reward: Reward, _ which: Statement) -> Statement {
        """
        INSERT INTO reward_postings (user_id, id, kind, debit, credit, program, unit, amount, reward_id, reverses)
        SELECT p.user_id, \(UUID.random()), 'reversal', p.credit, p.debit, p.program, p.unit, p.amount, p.reward_id, p.id
        FROM reward_postings p
        WHERE p.user_id = \(reward.user) AND p.reward_id = \(reward.id) AND p.\(which)
          AND NOT EXISTS (SELECT FROM reward_postings r WHERE r.user_id = \(reward.user) AND r.user_id = p.user_id AND r.reverses = p.id)
        """
    }

    /// Takes back a given reward, or makes the end by a refund final. What the user has already spent is the
    /// operator's loss, so that nobody owes anything.
    func clawBack(_ reward: Reward, _ cause: Reward.Cause, noting act: OperatorAct? = nil) async throws {
        var statements = [Self.lock(reward.user)] + Self.set(reward, .clawedBack, cause)
        if let unit = reward.ledgerUnit {
            statements += [
                Self.reverse(reward, "debit = 'program'"),
                """
                INSERT INTO reward_postings (user_id, id, kind, debit, credit, program, unit, amount, reward_id)
                SELECT user_id, \(UUID.random()), 'loss', 'loss', 'user', \(reward.program), unit, -\(Self.balance)::bigint, \(reward.id)
                FROM reward_postings WHERE user_id = \(reward.user) AND unit = \(unit)
                GROUP BY user_id, unit HAVING \(Self.balance) < 0
                """,
            ]
        }
        let told = tell(.rewardClawedBack, reward, cause.told)
        try await run(statements + [told] + AuditStore.note(act), of: reward.user)
    }

    /// Ends a reward that was not given yet, or an unused code, or makes the end by a refund final.
    /// - Parameter reasons: the new reasons. Nil if they stay as before.
    func end(
        _ reward: Reward, _ state: Reward.State, _ cause: Reward.Cause, _ reasons: [FraudRules.Reason]? = nil,
        noting act: OperatorAct? = nil
    ) async throws {
        let found: Statement = reasons.map { ", reasons = \(JSON.text(ifAny: $0))" } ?? ""
        try await run(
            [Self.lock(reward.user)] + Self.set(reward, state, cause, found)
                + [tell(.rewardEnded, reward, cause.told.merging(["state": .text(state.rawValue)]) { $1 })]
                + AuditStore.note(act),
            of: reward.user)
    }

    func flag(_ reward: Reward, _ reasons: [FraudRules.Reason]) async throws {
        try await run(
            [Self.lock(reward.user)]
                + Self.set(reward, .flagged, nil, ", reasons = \(JSON.text(ifAny: reasons))")
                + [tell(.rewardFlagged, reward, ["verdict": .text(FraudRule.Verdict.flag.rawValue)])],
            of: reward.user)
    }

    /// Reopens a reward, because Apple took back the refund that had voided it. If a rule had flagged it, it
    /// waits for an operator again. Throws `AccountError.inactive` if the user has deleted their account.
    func reopen(_ reward: Reward) async throws {
        let isFlagged = reward.reasons.contains { $0.verdict == .flag }
        try await run(
            [
                Self.lock(reward.user),
                """
                SELECT require(EXISTS (SELECT FROM users WHERE id = \(reward.user) AND status <> 'deleted'), \(AccountError.inactive))
                """,
            ] + Self.set(reward, isFlagged ? .flagged : .pending, nil) + [tell(.rewardEarned, reward)],
            of: reward.user)
    }

    /// Notes that its code was redeemed. A reward that was taken back stays so.
    func settle(_ reward: Reward) async throws {
        let isTakenBack = reward.state == .clawedBack
        let cause = isTakenBack || reward.cause == .operator ? reward.cause : nil
        try await run(
            [Self.lock(reward.user)]
                + Self.set(reward, isTakenBack ? .clawedBack : .settled, cause, ", settled_at = now()")
                + (isTakenBack ? [] : [tell(.rewardSettled, reward)]),
            of: reward.user)
    }

    /// Postpones a reward to be looked at again later.
    func postpone(_ reward: Reward, to time: Date) async throws {
        try await db.write.run(
            """
            UPDATE rewards SET due_at = \(time) WHERE user_id = \(reward.user) AND id = \(reward.id) AND state = 'pending'
            """)
    }

    /// - Parameter more: further columns, each behind a comma.
    private static func set(
        _ reward: Reward, _ state: Reward.State, _ cause: Reward.Cause?, _ more: Statement = ""
    ) -> [Statement] {
        set(reward, "\(state.rawValue)", cause, more)
    }

    private static func set(
        _ reward: Reward, _ state: Statement, _ cause: Reward.Cause?, _ more: Statement = ""
    ) -> [Statement] {
        let change = UUID.random()
        let wasGiven: Statement = reward.approvedAt == nil ? "approved_at IS NULL" : "approved_at IS NOT NULL"
        return [
            """
            UPDATE rewards SET state = \(state), cause = \(cause?.rawValue), change_id = \(change), changed_at = now()\(more)
            WHERE user_id = \(reward.user) AND id = \(reward.id) AND state = \(reward.state.rawValue)
              AND cause IS NOT DISTINCT FROM \(reward.cause?.rawValue) AND \(wasGiven)
            """,
            """
            SELECT require(EXISTS (SELECT FROM rewards WHERE user_id = \(reward.user) AND id = \(reward.id) AND change_id = \(change)),
                           \(RewardError.changed))
            """,
        ]
    }

    /// Locks the user, whatever the status of their account.
    private static func lock(_ user: User.ID) -> Statement {
        "SELECT id FROM users WHERE id = \(user) FOR NO KEY UPDATE"
    }

    private func tell(_ kind: Event.Kind, _ reward: Reward, _ more: [String: EventFact] = [:]) -> Statement {
        EventStore.record(kind, reward.user, about: reward.other, facts: reward.facts.merging(more) { $1 })
    }

    private func run(_ statements: [Statement], of user: User.ID) async throws {
        try await db.write.with(key: user).batch(statements, throwing: RewardError.self, AccountError.self)
    }
}
