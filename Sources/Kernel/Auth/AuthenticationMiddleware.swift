import Foundation
package import Hummingbird
import Logging
import Web

/// Finds the caller. A call without a bearer token, and at the console without a session, continues without
/// one, and is refused if the route's context needs a caller.
package struct AuthenticationMiddleware: RouterMiddleware {
    package let tokens: TokenVerifier
    package let keys: APIKeyCache
    /// Finds who is signed in. Nil at all hosts but the console's.
    package let door: ConsoleDoor?

    package init(tokens: TokenVerifier, keys: APIKeyCache, door: ConsoleDoor? = nil) {
        self.tokens = tokens
        self.keys = keys
        self.door = door
    }

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.isAtConsole = door != nil
        context.caller = try await caller(request, context)
        if case .person(let session) = context.caller {
            context.isSignInStale = door?.isStale(session) ?? false
        }
        return try await next(request, context)
    }

    private func caller(_ request: Request, _ context: AppContext) async throws -> Caller? {
        guard let header = try request.header(.authorization) else {
            return try await door?.caller(request)
        }
        guard header.prefix(7).lowercased() == "bearer " else { throw context.unauthenticated }
        let bearer = String(header.dropFirst(7).drop { $0 == " " })
        if bearer.hasPrefix(APIKey.prefix) { return try await key(bearer, request) }
        var logger = context.logger
        if context.isSuspect { logger.logLevel = max(logger.logLevel, .notice) }
        let token = try await tokens.verify(bearer, logger: logger)
        guard try actingFor(request) ?? token.uid == token.uid else {
            throw Problem(
                .forbidden, "forbidden", "An ID token is for its own user: leave out the header Kith-User.")
        }
        return .user(token.uid, until: token.expiresAt + TokenRules.leeway)
    }

    private func key(_ text: String, _ request: Request) async throws -> Caller {
        guard let key = APIKey(text), let rights = try await keys.rights(of: text) else {
            throw Problem.tokenInvalid
        }
        guard request.headers[.kithUser] == nil || rights.actsForUsers else {
            let what =
                rights.scope.mayActForUsers
                ? "This key was made without the right to act for users"
                : "A \(rights.scope) key cannot act for a user"
            throw Problem(.forbidden, "forbidden", "\(what): leave out the header Kith-User.")
        }
        return .key(rights.scope, id: key.id, actingFor: try actingFor(request))
    }

    private func actingFor(_ request: Request) throws -> User.UID? {
        guard let name = try request.header(.kithUser) else { return nil }
        guard name.utf8.allSatisfy(\.isVisibleASCII),
            let text = PercentEncoding.decode(name.utf8), let uid = User.UID(text)
        else {
            throw Problem.invalid(
                "Kith-User", "must be a uid, percent-encoded if it has a space, `%` or anything but ASCII")
        }
        return uid
    }
}
