import HTTPTypes
import Hummingbird
import Kernel
import Postgres
import Web

/// Which calls a standby may answer.
extension App {
    /// A handler of links, whose answer may be as old as `KITH_REDIRECT_LAG_SECONDS` says.
    func link<Context: RequestContext>(
        _ handler: @escaping Route.Function<Context>
    ) -> Route.Function<Context> {
        let (db, lag) = (db, config.database.redirectLag)
        guard db.hasStandbys, lag > .zero else { return handler }
        return { request, context in
            try await db.allowingStandbys(within: lag) { try await handler(request, context) }
        }
    }

    /// A handler that only reads, whose answer may be as old as `KITH_READ_LAG_SECONDS` says.
    ///
    /// Users see what they wrote themselves: they give back the token of their last write. Without one Kith asks the primary,
    /// unless a key acts for nobody: it may see some seconds later who has a name.
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

/// Gives clients a token for what they wrote: a standby that has it shows the write.
struct WriteTokenMiddleware: RouterMiddleware {
    /// Is no position: with such a token Kith asks the primary.
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
        // It may have been written, and the client must not go on with an older token.
        case .serverError: response.headers[.kithReadAfter] = Self.unknown
        default: break
        }
        return response
    }
}
