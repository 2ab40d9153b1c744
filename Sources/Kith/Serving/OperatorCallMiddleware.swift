import Hummingbird
import Kernel
import Logging
import Web

/// Notes in the audit what operators do with calls that are not only for them, before the call is handled: as
/// a backend, or, with an admin key, as a user (`Kith-User`), with all that user's rights and without a
/// reason. A call that cannot be noted is refused.
struct OperatorCallMiddleware: RouterMiddleware {
    let audit: AuditStore

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        if let act = try act(request, context) {
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

    private func act(_ request: Request, _ context: AppContext) throws(Problem) -> OperatorAct? {
        let caller = try context.authorizedCaller()
        guard let actor = caller.actor, let route = context.route else { return nil }
        let uid = caller.user
        // Acts of operators note themselves, in their own transaction.
        guard route.isAudited, uid != nil || !route.callers.areOperators else { return nil }
        // The route is the pattern of the path, whose parameters may be names. The code of a link says which
        // link it is.
        var details = ["method": request.method.rawValue, "route": route.path]
        if uid == nil, let code = context.parameters.get("code") {
            details["code"] = Self.beginning(of: PercentEncoding.decode(code.utf8) ?? code)
            details["domain"] = ((try? request.query.value("domain")) ?? nil).map(Self.beginning)
        }
        return OperatorAct(
            by: actor, kind: uid == nil ? .call : .actAs,
            user: uid.map { context.userID ?? User.ID(of: $0) },
            details: details)
    }

    private static func beginning(of text: String) -> String {
        String(decoding: text.utf8.prefix(128), as: UTF8.self)
    }
}
