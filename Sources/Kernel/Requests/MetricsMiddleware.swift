package import Hummingbird
package import Web

/// Counts every response by its route and status.
package struct MetricsMiddleware: RouterMiddleware {
    private let metrics: Metrics
    private let routes: RouteTable

    package init(metrics: Metrics, routes: RouteTable) {
        self.metrics = metrics
        self.routes = routes
    }

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        metrics.answered(
            Self.method(of: request, response), context.path(of: request, response, in: routes),
            status: response.status.code, in: start.duration(to: .now))
        return response
    }

    /// Returns the method for a label: `other` if the route does not have the method. Anybody can send any
    /// method to any route, and each pair that is told apart takes some 2 KB of every scrape until the server
    /// ends.
    private static func method(of request: Request, _ response: Response) -> String {
        guard response.status != .methodNotAllowed else { return "other" }
        return switch request.method {
        case .delete, .get, .head, .patch, .post, .put: request.method.rawValue
        default: "other"
        }
    }
}
