import Hummingbird

/// Counts every response by its route and status.
struct MetricsMiddleware<Context: RequestContext>: RouterMiddleware {
    let metrics: Metrics
    let allowedMethods: AllowedMethods

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        metrics.answered(
            request.method.rawValue, allowedMethods.route(of: request, response, context),
            status: response.status.code, in: start.duration(to: .now))
        return response
    }
}
