import Hummingbird

/// Reads the account of the caller for the routes behind it; if there is none in force, the call is a 403.
struct AccountMiddleware: RouterMiddleware {
    let users: UserStore

    func handle(
        _ request: Request, context: UserContext, next: (Request, UserContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.account = try await users.requireActive(context.userID)
        return try await next(request, context)
    }
}

/// Reads the account while the handler reads what it answers, which saves a round trip: for handlers that change
/// nothing. Without an account in force the call is a 403 all the same.
struct ConcurrentAccountMiddleware: RouterMiddleware {
    let users: UserStore

    func handle(
        _ request: Request, context: UserContext, next: (Request, UserContext) async throws -> Response
    ) async throws -> Response {
        async let account = users.requireActive(context.userID)
        do {
            let response = try await next(request, context)
            _ = try await account
            return response
        } catch {
            _ = try await account
            throw error
        }
    }
}

/// Tells callers why, if a write found that their account is no longer in force.
struct AccountErrorMiddleware: RouterMiddleware {
    let users: UserStore

    func handle(
        _ request: Request, context: UserContext, next: (Request, UserContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch AccountError.inactive {
            _ = try await users.requireActive(context.userID)
            // It was suspended, and is in force again by now.
            throw Problem.changedMeanwhile
        }
    }
}
