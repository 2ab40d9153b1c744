import HTTPTypes
import Hummingbird
import Kernel
import Postgres
import Web

/// Which calls a standby may answer.
extension App {
    /// Returns a handler of links, whose answer may be as old as `KITH_REDIRECT_LAG_SECONDS` says.
    func link<Context: RequestContext>(
        _ handler: @escaping Route.Function<Context>
    ) -> Route.Function<Context> {
        let (db, lag) = (db, config.database.redirectLag)
        guard db.hasStandbys, lag > .zero else { return handler }
        return { request, context in
            try await db.allowingStandbys(within: lag) { try await handler(request, context) }
        }
    }

    /// Returns a handler that only reads, whose answer may be as old as `KITH_READ_LAG_SECONDS` says.
    ///
    /// Users see what they wrote themselves, because they send the token of their last write. Without a token
    /// the primary answers. A key that acts for no user may read data that is some seconds old.
    func reading<Context: RequestContext>(
        _ handler: @escaping Route.Function<Context>
    ) -> Route.Function<Context> {
        let (db, lag) = (db, config.database.readLag)
        guard db.hasStandbys else { return handler }
        return { request, context in
            let text = request.headers[.kithReadAfter]
            let token = text.flatMap { WALPosition($0) }
            let isForNobody = (context as? CallerContext).map { $0.caller.user == nil } ?? false
            guard token != nil || (text == nil && isForNobody) else {
                return try await handler(request, context)
            }
            return try await db.allowingStandbys(within: lag, after: token) {
                try await handler(request, context)
            }
        }
    }
}

/// Gives clients a token for what they wrote. A standby that has the token's position shows the write.
struct WriteTokenMiddleware: RouterMiddleware {
    /// A token that is not a position. With it Kith asks the primary.
    private static let unknown = "primary"

    let db: Database

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.method != .get, request.method != .head else { return response }
        switch response.status.kind {
        case .successful:
            let position = try? await db.position()
            response.headers[.kithReadAfter] = position?.description ?? Self.unknown
        // The write may have succeeded, and the client must not go on with an older token.
        case .serverError: response.headers[.kithReadAfter] = Self.unknown
        default: break
        }
        return response
    }
}
