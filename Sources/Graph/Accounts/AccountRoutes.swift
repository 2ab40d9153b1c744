import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// Deletion and suspension: `DELETE /v1/me`, and `/v1/admin/users/{uid}/suspension` for operators.
package struct AccountRoutes {
    package let users: UserStore
    package let accounts: AccountStore

    package init(users: UserStore, accounts: AccountStore) {
        self.users = users
        self.accounts = accounts
    }

    /// `DELETE /v1/me` deletes the caller's account. A second call changes nothing.
    @Sendable package func delete(_ request: Request, context: UserContext) async throws
        -> HTTPResponse.Status
    {
        try await AccountDeletion(users: users, accounts: accounts).delete(context.userID)
        return .noContent
    }

    private struct SuspensionRequest: JSONBody {
        var reason: String?

        enum CodingKeys: CodingKey, CaseIterable { case reason }
    }

    package struct SuspensionResponse: ResponseEncodable {
        let uid: String
        let status: String
        var reason: String?
    }

    /// `PUT /v1/admin/users/{uid}/suspension` hides a user everywhere and keeps everything. Another call
    /// without a reason keeps the reason of the first.
    @Sendable package func suspend(_ request: Request, context: AdminContext) async throws
        -> SuspensionResponse
    {
        let body = try await request.decode(as: SuspensionRequest.self, context: context)
        let reason = try body.reason.map(OperatorReason.requested)
        let user = try context.userInPath()
        let id = User.ID(of: user)
        let act = OperatorAct(by: context.actor, kind: .suspend, user: id, reason: reason)
        guard try await accounts.suspend(id, reason: reason, noting: act) else {
            throw Problem.userNotFound
        }
        return try await SuspensionResponse(
            uid: user.text, status: User.Status.suspended.rawValue,
            reason: accounts.suspensionReason(of: id))
    }

    /// `DELETE /v1/admin/users/{uid}/suspension?reason=…` shows the user again as before.
    @Sendable package func restore(_ request: Request, context: AdminContext) async throws
        -> SuspensionResponse
    {
        let user = try context.userInPath()
        let id = User.ID(of: user)
        let act = try OperatorAct(
            by: context.actor, kind: .restore, user: id, reason: .given(request.query))
        guard try await accounts.restore(id, noting: act) else { throw Problem.userNotFound }
        return SuspensionResponse(uid: user.text, status: User.Status.active.rawValue)
    }
}
