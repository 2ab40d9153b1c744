import HTTPTypes
import Hummingbird

/// Deletion and suspension: `DELETE /v1/me`, and `/v1/admin/users/{uid}/suspension` for operators.
struct AccountRoutes {
    let users: UserStore
    let accounts: AccountStore

    /// `DELETE /v1/me` deletes the caller's account; a second call changes nothing.
    @Sendable func delete(_ request: Request, context: UserContext) async throws -> HTTPResponse.Status {
        try await AccountDeletion(users: users, accounts: accounts).delete(context.userID)
        return .noContent
    }

    private struct SuspensionRequest: RequestBody {
        var reason: String?

        enum CodingKeys: CodingKey, CaseIterable { case reason }
    }

    struct SuspensionResponse: ResponseEncodable {
        let uid: String
        let status: String
        var reason: String?
    }

    /// `PUT /v1/admin/users/{uid}/suspension` hides a user everywhere and keeps everything. Another call without
    /// a reason keeps that of the first.
    @Sendable func suspend(_ request: Request, context: AdminContext) async throws -> SuspensionResponse {
        let body = try await request.decode(as: SuspensionRequest.self, context: context)
        let reason = try body.reason.map(OperatorReason.requested)
        let user = try context.userInPath()
        let id = User.ID(of: user)
        let act = OperatorAct(key: context.key, kind: .suspend, user: id, reason: reason)
        guard try await accounts.suspend(id, reason: reason, noting: act) else {
            throw Problem.userNotFound
        }
        return try await SuspensionResponse(
            uid: user.text, status: User.Status.suspended.rawValue,
            reason: accounts.suspensionReason(of: id))
    }

    /// `DELETE /v1/admin/users/{uid}/suspension?reason=…` shows the user again as before.
    @Sendable func restore(_ request: Request, context: AdminContext) async throws -> SuspensionResponse {
        let user = try context.userInPath()
        let id = User.ID(of: user)
        let act = try OperatorAct(
            key: context.key, kind: .restore, user: id, reason: .given(request.query))
        guard try await accounts.restore(id, noting: act) else { throw Problem.userNotFound }
        return SuspensionResponse(uid: user.text, status: User.Status.active.rawValue)
    }
}

extension OperatorReason {
    /// The reason in a body, or a 400.
    static func requested(_ text: String) throws(Problem) -> OperatorReason {
        guard let reason = OperatorReason(text) else {
            throw .invalid("reason", "must be one line of 1 to 500 characters")
        }
        return reason
    }

    /// The reason in a query, where it may be absent.
    static func given(_ query: Query) throws(Problem) -> OperatorReason? {
        guard let text = try query.value("reason") else { return nil }
        return try requested(text)
    }
}
