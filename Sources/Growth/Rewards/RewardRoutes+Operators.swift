import Foundation
package import Hummingbird
package import Kernel
import Web

/// Routes for operators.
package extension RewardRoutes {
    /// `GET /v1/admin/rewards/programs` shows the programs that `kith apply` has set up, and which rules
    /// apply to them. Servers follow within a second.
    @Sendable func listPrograms(_ request: Request, context: AdminContext) async throws
        -> RewardProgramsResponse
    {
        let (version, rules) = try await applied.rewardPrograms()
        return RewardProgramsResponse(
            version: version,
            programs: rules.values.sorted { $0.key < $1.key }.map(RewardProgramResponse.init))
    }

    /// `GET /v1/admin/rewards/programs/{program}/report` counts the results of a program, even of one that is
    /// no longer applied.
    @Sendable func report(_ request: Request, context: AdminContext) async throws -> RewardReportResponse {
        let program = context.parameters.get("program") ?? ""
        guard EntryKey.isOne(program) else { throw RewardError.unknownProgram }
        async let counts = store.counts(of: program)
        async let sums = store.sums(of: program)
        let (referrals, isApplied) = try await (
            store.referrals(of: program), applied.rewardPrograms().rules[program] != nil
        )
        guard isApplied || referrals.all > 0 else {
            _ = try await (counts, sums)
            throw RewardError.unknownProgram
        }
        return try await RewardReportResponse(program, referrals, counts, sums)
    }

    /// `GET /v1/admin/rewards?program&state&uid` lists rewards, newest first, by pages.
    @Sendable func search(_ request: Request, context: AdminContext) async throws -> RewardRecordsResponse {
        let filter = try RewardStore.Filter(
            program: request.query.value("program"), state: request.query.value("state"),
            uid: request.query.value("uid"))
        let name =
            "rewards \(filter.program ?? "") \(filter.state?.rawValue ?? "") \(filter.user?.uuid.uuidString ?? "")"
        let list = Cursors.List(name: name)
        let (after, limit) = try await cursors.page(request, of: list)
        let page = try await store.list(filter, after: after, limit: limit)
        let uids = try await store.uids(of: Set(page.items.flatMap { [$0.user, $0.other] }))
        return try await RewardRecordsResponse(
            rewards: page.items.map { RewardRecordResponse($0, uids) }, next: cursors.text(page.next, list))
    }

    /// `GET /v1/admin/rewards/{reward}` shows a reward, why it is as it is, and its entries in the ledger.
    @Sendable func show(_ request: Request, context: AdminContext) async throws -> RewardRecordResponse {
        try await record(review.find(id(context)))
    }

    /// `POST /v1/admin/rewards/{reward}/decision` approves, rejects or takes back a reward, whatever the
    /// rules say. The same decision again changes nothing.
    @Sendable func decide(_ request: Request, context: AdminContext) async throws -> RewardRecordResponse {
        let (decision, reason) = try await request.decode(as: RewardDecisionRequest.self, context: context)
            .checked()
        return try await record(review.decide(decision, on: id(context), reason, by: context.actor))
    }

    private func id(_ context: AdminContext) throws(RewardError) -> UUID {
        guard let id = context.parameters.get("reward").flatMap({ UUID(uuidString: $0) }) else {
            throw .unknown
        }
        return id
    }

    private func record(_ reward: Reward) async throws -> RewardRecordResponse {
        async let postings = store.postings(of: reward)
        let uids = try await store.uids(of: [reward.user, reward.other])
        return try await RewardRecordResponse(reward, uids, postings)
    }
}

extension RewardStore.Filter {
    /// Reads a filter. Throws a 400 that names the field.
    init(program: String?, state: String?, uid: String?) throws(Problem) {
        if let program, !EntryKey.isOne(program) {
            throw .invalid("program", "must be the key of a program")
        }
        self.program = program
        if let state {
            self.state = Reward.State(rawValue: state)
            if self.state == nil {
                let all = Reward.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("state", "must be one of \(all)")
            }
        }
        if let uid { user = User.ID(of: try User.UID.checked(uid)) }
    }
}
