import Counts
import Hummingbird
import Kernel

/// Notes that a user called with a token of their own, for the numbers of active people.
struct ActivityMiddleware: RouterMiddleware {
    let active: ActiveSource

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        if case .user(let uid, _) = context.caller { active.note(context.userID ?? User.ID(of: uid)) }
        return try await next(request, context)
    }
}
