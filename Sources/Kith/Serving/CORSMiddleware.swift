import HTTPTypes
import Hummingbird
import Kernel
import Web

/// Lets browsers hand answers of the API to the web apps of `KITH_CORS_ORIGINS`, and those of some routes to
/// all (https://fetch.spec.whatwg.org/#http-cors-protocol). No other site may read Kith's pages.
struct CORSMiddleware: RouterMiddleware {
    let origins: CORSOrigins
    let routes: RouteTable

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let isPreflight =
            request.method == .options && request.headers[.accessControlRequestMethod] != nil
            && request.headers[.origin] != nil
        let route = isPreflight ? routes.route(of: request) : context.route
        let isForAll = route?.allOrigins == true || origins.areAll
        guard isForAll || origins != .none, context.form != .page else {
            return try await next(request, context)
        }
        let origin = isForAll ? "*" : request.headers[.origin].flatMap { origins.allow($0) ? $0 : nil }
        var response: Response
        if isPreflight, origin != nil, route != nil {
            response = Response(status: .noContent, headers: preflight(request))
        } else {
            response = try await next(request, context)
            // Phones ask for the settings too.
            if origin != nil, request.headers[.origin] != nil {
                response.headers[.accessControlExposeHeaders] = Self.exposed
            }
        }
        response.headers[.accessControlAllowOrigin] = origin
        // A cache must not give one origin what another may read.
        if !isForAll { response.headers.append(HTTPField(name: .vary, value: "Origin")) }
        return response
    }

    private func preflight(_ request: Request) -> HTTPFields {
        [
            .accessControlAllowMethods: routes.methods(of: request).sorted().joined(separator: ", "),
            .accessControlAllowHeaders: Self.sent,
            // Browsers keep it for two hours at most.
            .accessControlMaxAge: "7200",
        ]
    }

    /// The headers that clients may send in addition to those that every page may send.
    private static let sent = list([
        .authorization, .contentType, .idempotencyKey, .ifNoneMatch, .kithReadAfter, .kithUser, .lastEventID,
        .xRequestID,
    ])

    /// The headers that clients may read in addition to those that every page may read.
    private static let exposed = list([
        .allow, .contentDisposition, .eTag, .idempotentReplayed, .kithReadAfter, .kithSignature,
        .kithTestDevice, .link, .location, .rateLimit, .rateLimitPolicy, .retryAfter, .sunset,
        .wwwAuthenticate, .xRequestID,
    ])

    private static func list(_ names: [HTTPField.Name]) -> String {
        names.map(\.rawName).joined(separator: ", ")
    }
}
