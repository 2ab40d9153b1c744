package import Graph
package import Hummingbird
package import Kernel
package import Web

/// Routes for the statistics of a user's invites.
package struct StatisticsRoutes {
    package let clicks: ClickStore
    package let invites: InviteStore

    package init(clicks: ClickStore, invites: InviteStore) {
        self.clicks = clicks
        self.invites = invites
    }

    /// `GET /v1/me/invite/stats?days=…` shows what happened to all of the caller's invites.
    @Sendable package func ofAll(_ request: Request, context: AccountContext) async throws
        -> StatisticsResponse
    {
        try await statistics(.invites(of: context.user.id), of: context.user, nil, request)
    }

    /// `GET /v1/invites/{code}/stats?days=…` shows what happened to a custom link of the caller.
    @Sendable package func ofOne(_ request: Request, context: AccountContext) async throws
        -> StatisticsResponse
    {
        guard let code = context.parameters.get("code").flatMap({ Invite.Code($0) }),
            try await invites.find(code, owner: context.user.id) != nil
        else { throw InviteError.notFound }
        return try await statistics(.invite(code), of: context.user, code, request)
    }

    private func statistics(
        _ link: ClickedLink, of user: User, _ code: Invite.Code?, _ request: Request
    ) async throws -> StatisticsResponse {
        let days = try request.statisticsDays()
        return try await StatisticsResponse(
            clicks.counts(of: link, days: days), clicks.signUps(by: user.id, code: code, days: days),
            days: days, in: clicks.policy)
    }
}

extension Request {
    /// Reads `?days=`: 1 to 3650, or 30 if it is absent.
    package func statisticsDays() throws(Problem) -> Int {
        guard let text = try query.value("days") else { return 30 }
        guard let days = Int(text), (1...3650).contains(days) else {
            throw .invalid("days", "must be from 1 to 3650")
        }
        return days
    }
}
