package import Hummingbird
import Web

/// Reads the caller's account for the routes behind it. Throws a 403 if they have no active one.
package struct AccountMiddleware: RouterMiddleware {
    package let users: UserStore

    package init(users: UserStore) {
        self.users = users
    }

    package func handle(
        _ request: Request, context: UserContext, next: (Request, UserContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.account = try await users.requireActive(context.userID)
        return try await next(request, context)
    }
}

/// Reads the account while the handler reads its answer, which saves a round trip. It is for handlers that
/// change nothing. Throws a 403 if the caller has no active account.
package struct ConcurrentAccountMiddleware: RouterMiddleware {
    package let users: UserStore

    package init(users: UserStore) {
        self.users = users
    }

    package func handle(
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

/// Replaces the error of a write that found the caller's account inactive by a 403 that says why.
package struct AccountErrorMiddleware: RouterMiddleware {
    package let users: UserStore

    package init(users: UserStore) {
        self.users = users
    }

    package func handle(
        _ request: Request, context: UserContext, next: (Request, UserContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch AccountError.inactive {
            _ = try await users.requireActive(context.userID)
            // The account was suspended, and is active again by now.
            throw Problem.changedMeanwhile
        }
    }
}
