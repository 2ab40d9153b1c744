import HTTPTypes
import Hummingbird

/// Deletion and suspension: `DELETE /v1/me`, and `/v1/admin/users/{uid}/suspension` for operators.
struct AccountRoutes {
    let users: UserStore
    let accounts: AccountStore

    /// `DELETE /v1/me` deletes the caller's account; a second call changes nothing.
    @Sendable func delete(_ request: Request, context: UserContext) async throws -> HTTPResponse.Status {
        // A rename or another deletion may come first, but not ten times in a row.
        for _ in 0..<10 {
            if try await users.find(context.userID)?.status == .deleted { return .noContent }
            _ = try await users.requireActive(context.userID)
            do {
                try await accounts.delete(context.userID)
                return .noContent
            } catch AccountError.changedMeanwhile, AccountError.inactive {
                continue
            }
        }
        throw Problem.changedMeanwhile
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

    /// `PUT /v1/admin/users/{uid}/suspension` hides a user everywhere and keeps everything.
    @Sendable func suspend(_ request: Request, context: AdminContext) async throws -> SuspensionResponse {
        let body = try await request.decode(as: SuspensionRequest.self, context: context)
        let reason = try body.reason.map(OperatorReason.requested)
        let user = try context.userInPath()
        guard try await accounts.suspend(User.ID(of: user), reason: reason) else {
            throw Problem.userNotFound
        }
        return SuspensionResponse(
            uid: user.text, status: User.Status.suspended.rawValue, reason: reason?.text)
    }

    /// `DELETE /v1/admin/users/{uid}/suspension` shows the user again as before.
    @Sendable func restore(_ request: Request, context: AdminContext) async throws -> SuspensionResponse {
        let user = try context.userInPath()
        guard try await accounts.restore(User.ID(of: user)) else { throw Problem.userNotFound }
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
}
