package import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// Routes for rewards for invites: what users see, and what backends report and spend.
package struct RewardRoutes {
    package let store: RewardStore
    package let referrals: ReferralStore
    package let signals: RewardSignalStore
    package let applied: AppliedStore
    package let users: UserStore
    package let cursors: Cursors
    package let secretsKey: SecretsKey?
    package let disposable: DisposableDomains
    package let now: @Sendable () -> Date

    package init(
        store: RewardStore, referrals: ReferralStore, signals: RewardSignalStore, applied: AppliedStore,
        users: UserStore, cursors: Cursors, secretsKey: SecretsKey?, disposable: DisposableDomains,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.referrals = referrals
        self.signals = signals
        self.applied = applied
        self.users = users
        self.cursors = cursors
        self.secretsKey = secretsKey
        self.disposable = disposable
        self.now = now
    }

    /// `GET /v1/me/rewards` lists the caller's rewards, newest first, by pages, and how much they have of
    /// each credit.
    @Sendable package func list(_ request: Request, context: AccountContext) async throws -> RewardsResponse {
        let user = context.user.id
        let list = Cursors.List(name: "rewards", owner: user.uuid)
        let (after, limit) = try await cursors.page(request, of: list)
        async let balances = store.balances(of: user)
        let page = try await store.list(of: user, after: after, limit: limit)
        return try await RewardsResponse(
            rewards: page.items.map(RewardResponse.init),
            balances: balances.map { .init(unit: $0.unit, amount: $0.amount) },
            next: cursors.text(page.next, list))
    }

    /// `POST /v1/rewards/actions` reports an action of a user. The same id again changes nothing.
    @Sendable package func act(_ request: Request, context: CallerContext) async throws -> HTTPResponse.Status
    {
        let body = try await request.decode(as: RewardActionRequest.self, context: context)
        let (uid, time) = try body.checked(at: now())
        let programs = try await applied.rewardPrograms().rules.values.filter {
            switch $0.qualification {
            case .actions(let name, _): name == body.action
            case .days: true
            case .signedUp, .purchase: false
            }
        }
        let user = try await active(uid)
        // No program asks for it, so it is not kept.
        if programs.isEmpty { return .noContent }
        try await orNotFound {
            try await referrals.add(body.action, id: body.id, of: user.id, at: time, for: Array(programs))
        }
        return .noContent
    }

    /// `POST /v1/rewards/signals` reports what a user may be recognized by. Only keyed hashes are kept. A
    /// repeated report replaces the earlier one.
    @Sendable package func tell(_ request: Request, context: CallerContext) async throws
        -> HTTPResponse.Status
    {
        let body = try await request.decode(as: RewardSignalsRequest.self, context: context)
        guard let secretsKey else { throw OfferError.noSecretsKey }
        let signals = try body.signals(secretsKey, disposable, at: now())
        let user = try await active(User.UID.checked(body.uid))
        try await orNotFound { try await self.signals.put(signals, without: body.withdrawn, of: user.id) }
        return .noContent
    }

    /// `POST /v1/rewards/spend` spends credit of a user. Answers 201, and 200 to the same id again.
    @Sendable package func spend(
        _ request: Request, context: CallerContext
    ) async throws -> EditedResponse<SpendResponse> {
        let body = try await request.decode(as: SpendRequest.self, context: context)
        let user = try await active(body.checked())
        let spent = try await orNotFound {
            try await store.spend(body.amount, of: body.unit, by: user.id, id: body.id)
        }
        return EditedResponse(
            status: spent.isNew ? .created : .ok,
            response: SpendResponse(
                uid: user.uid.text, unit: body.unit, amount: body.amount, balance: spent.balance))
    }

    var review: RewardReview { RewardReview(store: store, applied: applied) }

    private func active(_ uid: User.UID) async throws -> User {
        guard let user = try await users.findCaller(User.ID(of: uid)), user.status == .active else {
            throw Problem.userNotFound
        }
        return user
    }

    /// Does the work, and answers 404 if the account has ended meanwhile.
    private func orNotFound<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch AccountError.inactive { throw Problem.userNotFound }
    }
}
