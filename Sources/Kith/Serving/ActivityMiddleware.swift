import Counts
import Hummingbird
import Kernel

/// Notes that somebody called with a token of their own, for the numbers of active people. Whether they have
/// an account is looked up when they are counted.
struct ActivityMiddleware: RouterMiddleware {
    let active: ActiveSource

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        // Afterwards, since a sign-up makes the account.
        defer {
            if case .user(let uid, _) = context.caller { active.note(context.userID ?? User.ID(of: uid)) }
        }
        return try await next(request, context)
    }
}
