import Hummingbird
import Logging

/// Notes in the audit each call but GET and HEAD by which an admin key acts as a user (`Kith-User`), before the call is handled:
/// who has such a key may do to anybody what that user may, without a reason. A call that cannot be noted is refused.
struct ActingAsMiddleware: RouterMiddleware {
    let audit: AuditStore

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        if case .key(.admin, let key, let uid?) = context.caller, ![.get, .head].contains(request.method) {
            // The pattern of the path: its parameters may be names.
            let act = OperatorAct(
                key: key, kind: .actAs, user: context.userID ?? User.ID(of: uid),
                details: ["method": request.method.rawValue, "route": context.endpointPath ?? ""])
            do {
                try await audit.write(act)
            } catch {
                context.logger.error(
                    "the audit takes no row", metadata: ["error": "\(String(reflecting: error))"])
                throw Problem(
                    .serviceUnavailable, "unavailable",
                    "The audit cannot be written, so nothing was done. Try again.", retryAfter: 1)
            }
        }
        return try await next(request, context)
    }
}
