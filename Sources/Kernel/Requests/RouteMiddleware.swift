package import Hummingbird

/// Notes which route is called, once for all that stands behind it.
package struct RouteMiddleware: RouterMiddleware {
    private let route: RouteRules?
    private let table: RouteTable
    /// Nil if the path must say it: a code of a link may be called as a segment of the API.
    private let form: ErrorForm?

    package init(_ route: RouteRules?, in table: RouteTable) {
        (self.route, self.table) = (route, table)
        form = route.flatMap { $0.path.hasPrefix("/{") || $0.path == "/**" ? nil : $0.form }
    }

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.route = route
        context.form = form ?? table.form(of: request)
        return try await next(request, context)
    }
}
