import Foundation
import Hummingbird

/// For operators.
extension RewardRoutes {
    /// `GET /v1/admin/rewards/programs` shows the programs that `kith apply` made true, and which rules hold for them. Servers
    /// follow within a second.
    @Sendable func listPrograms(_ request: Request, context: AdminContext) async throws
        -> RewardProgramsResponse
    {
        let (version, rules) = try await programs()
        return RewardProgramsResponse(
            version: version,
            programs: rules.values.sorted { $0.key < $1.key }.map(RewardProgramResponse.init))
    }

    /// `GET /v1/admin/rewards/programs/{program}/report` counts what became of a program, also of one that is applied no more.
    @Sendable func report(_ request: Request, context: AdminContext) async throws -> RewardReportResponse {
        let program = context.parameters.get("program") ?? ""
        guard program.wholeMatch(of: /[a-z][a-z0-9-]{0,31}/) != nil else { throw RewardError.unknownProgram }
        async let counts = store.counts(of: program)
        async let sums = store.sums(of: program)
        let (referrals, isApplied) = try await (
            store.referrals(of: program), programs().rules[program] != nil
        )
        guard isApplied || referrals.all > 0 else {
            _ = try await (counts, sums)
            throw RewardError.unknownProgram
        }
        return try await RewardReportResponse(program, referrals, counts, sums)
    }

    /// `GET /v1/admin/rewards?program&state&uid` lists rewards, newest first, by pages.
    @Sendable func search(_ request: Request, context: AdminContext) async throws -> RewardRecordsResponse {
        let filter = try request.filter()
        let name =
            "rewards \(filter.program ?? "") \(filter.state?.rawValue ?? "") \(filter.user?.uuid.uuidString ?? "")"
        let list = Cursors.List(name: name, owner: User.ID.nobody.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await store.list(filter, after: after, limit: limit)
        let uids = try await store.uids(of: Set(page.items.flatMap { [$0.user, $0.other] }))
        return try await RewardRecordsResponse(
            rewards: page.items.map { RewardRecordResponse($0, uids) }, next: cursors.text(page.next, list))
    }

    /// `GET /v1/admin/rewards/{reward}`: a reward, why it is as it is, and its entries in the ledger.
    @Sendable func show(_ request: Request, context: AdminContext) async throws -> RewardRecordResponse {
        try await record(reward(context))
    }

    /// `POST /v1/admin/rewards/{reward}/decision` approves, rejects or takes back a reward, whatever the rules say of it. Again
    /// it changes nothing.
    @Sendable func decide(_ request: Request, context: AdminContext) async throws -> RewardRecordResponse {
        let (decision, reason) = try await request.decode(as: RewardDecisionRequest.self, context: context)
            .checked()
        let reward = try await reward(context)
        let act = OperatorAct(
            key: context.key, kind: .decideReward, user: reward.user, reason: reason,
            details: ["reward": reward.id.uuidString.lowercased(), "decision": decision.rawValue])
        try await carryOut(decision, on: reward, act)
        return try await record(self.reward(context))
    }

    private func carryOut(
        _ decision: RewardDecisionRequest.Decision, on reward: Reward, _ act: OperatorAct
    ) async throws {
        switch (decision, reward.state) {
        case (.approve, .approved), (.approve, .assigned), (.approve, .settled), (.reject, .rejected),
            (.clawBack, .clawedBack):
            return
        case (.approve, .pending), (.approve, .flagged), (.approve, .rejected), (.approve, .voided),
            (.approve, .clawedBack):
            let program = try await programs().rules[reward.program]
            let bounds = RewardStore.Bounds(
                perDay: program?.perDay, budget: program?.gifts[reward.side]?.budget)
            do { try await store.approve(reward, within: bounds, noting: act) } catch AccountError.inactive {
                throw RewardError.changed
            }
        case (.reject, .pending), (.reject, .flagged):
            try await store.end(reward, .rejected, .operator, noting: act)
        case (.clawBack, .approved), (.clawBack, .assigned), (.clawBack, .settled):
            try await store.clawBack(reward, .operator, noting: act)
        default: throw RewardError.changed
        }
    }

    private func reward(_ context: AdminContext) async throws -> Reward {
        guard let id = context.parameters.get("reward").flatMap({ UUID(uuidString: $0) }),
            let reward = try await store.find(id)
        else { throw RewardError.unknown }
        return reward
    }

    private func record(_ reward: Reward) async throws -> RewardRecordResponse {
        async let postings = store.postings(of: reward)
        let uids = try await store.uids(of: [reward.user, reward.other])
        return try await RewardRecordResponse(reward, uids, postings)
    }
}

extension Request {
    fileprivate func filter() throws(Problem) -> RewardStore.Filter {
        var filter = RewardStore.Filter()
        if let program = try query.value("program") {
            guard program.wholeMatch(of: /[a-z][a-z0-9-]{0,31}/) != nil else {
                throw .invalid("program", "must be the key of a program")
            }
            filter.program = program
        }
        if let state = try query.value("state") {
            filter.state = Reward.State(rawValue: state)
            if filter.state == nil {
                let all = Reward.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("state", "must be one of \(all)")
            }
        }
        if let uid = try query.value("uid") { filter.user = User.ID(of: try User.UID.checked(uid)) }
        return filter
    }
}
