import Hummingbird
import Kernel
import Logging
import Web

/// Notes in the audit what admin keys do by calls that are not for them alone, before the call is handled: as a user (`Kith-User`),
/// to whom who has such a key may do what that user may, without a reason; or as a backend. A call that cannot be noted is refused.
struct OperatorCallMiddleware: RouterMiddleware {
    let audit: AuditStore

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        if let act = act(request, context) {
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

    private func act(_ request: Request, _ context: AppContext) -> OperatorAct? {
        guard case .key(.admin, let key, let uid) = context.caller, let route = context.route else {
            return nil
        }
        // Acts of operators note themselves, in their transaction.
        guard route.isAudited, uid != nil || route.callers != .operators else { return nil }
        // The pattern of the path: its parameters may be names. A code of a link says which.
        var details = ["method": request.method.rawValue, "route": route.path]
        if uid == nil, let code = context.parameters.get("code") {
            details["code"] = String(decoding: code.utf8.prefix(100), as: UTF8.self)
        }
        return OperatorAct(
            key: key, kind: uid == nil ? .call : .actAs, user: uid.map { context.userID ?? User.ID(of: $0) },
            details: details)
    }
}
