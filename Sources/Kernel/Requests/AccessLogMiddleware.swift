import HTTPTypes
package import Hummingbird
package import Web

/// Logs each answer of the routes.
package struct AccessLogMiddleware: RouterMiddleware {
    private let log: AccessLog
    private let routes: RouteTable

    package init(log: AccessLog, routes: RouteTable) {
        self.log = log
        self.routes = routes
    }

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let known = AccessLog.AnsweredRequest(
            method: request.method.rawValue, route: context.path(of: request, response, in: routes),
            credentials: credentials(request.headers[.authorization]), duration: start.duration(to: .now))
        log.note(context.id, known, status: response.status.code, bytes: response.body.contentLength)
        return response
    }

    private func credentials(_ header: String?) -> AccessLog.Credentials {
        guard let header else { return .none }
        guard header.prefix(7).lowercased() == "bearer " else { return .other }
        return header.dropFirst(7).drop { $0 == " " }.hasPrefix("kith_") ? .key : .token
    }
}
