import HTTPTypes
import Hummingbird
import Logging

/// Gives each request its id: the one that a trusted proxy sent, or a new one.
struct RequestIDMiddleware: RouterMiddleware {
    let proxies: TrustedProxies

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let given = proxies.requestID(request.headers[.xRequestID], of: context.peer)
        let id = (given ?? RequestID()).description
        var context = context
        context.logger[metadataKey: "hb.request.id"] = .string(id)
        var response = try await next(request, context)
        response.headers[.xRequestID] = id
        return response
    }
}
