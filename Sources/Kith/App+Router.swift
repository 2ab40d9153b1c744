import Console
import HTTPTypes
import Hummingbird
import Kernel
import Links
import Operations
import Postgres
import Web

/// Makes routers of routes and their rules.
extension App {
    private typealias Middleware = MiddlewareProtocol<Request, Response, AppContext>

    /// Returns the router of the hosts of the API and of invites.
    func router() -> Router<AppContext> { router(routes) }

    /// - Parameter console: the console, at whose host alone sessions count. Nil at all others.
    func router(_ routes: [Route], at console: SignInRoutes? = nil) -> Router<AppContext> {
        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
        let table = RouteTable(routes.map(\.rules))
        let (shared, finding) = (middleware(table, console), callerMiddleware(console?.door))
        for route in routes {
            let group = router.group().add(middleware: RouteMiddleware(route.rules, in: table))
            // At the console a page asks people to sign in, and their browser for no password.
            if route.rules.keyPlace == .query || route.rules.keyPlace == .password && console == nil {
                group.add(middleware: KeyPlaceMiddleware())
            }
            for middleware in shared { group.add(middleware: middleware) }
            add(route, to: group, finding)
        }
        // This handles requests without a route.
        router.add(middleware: RouteMiddleware(nil, in: table))
        for middleware in shared { router.add(middleware: middleware) }
        return router
    }

    /// Returns the middleware of each request, with a route or without.
    private func middleware(_ routes: RouteTable, _ console: SignInRoutes?) -> [any Middleware] {
        let landing = landingRoutes
        let errors = ErrorMiddleware(
            form: { problem, request, context in
                switch context.form {
                case .firebase: FirebaseErrorResponse.answer(to: problem, at: context.route?.path)
                case .problem: nil
                case .page:
                    console.map { $0.page(of: problem, request, id: context.id) }
                        ?? landing.page(of: problem, request, id: context.id)
                }
            }, routes: routes)
        let all: [(any Middleware)?] = [
            SunsetMiddleware(config.app),
            accessLog.map { AccessLogMiddleware(log: $0, routes: routes) },
            MetricsMiddleware(metrics: metrics, routes: routes),
            // No other site may call as whoever is signed in.
            routes.hasAPI && console == nil
                ? CORSMiddleware(origins: config.app.corsOrigins, routes: routes) : nil,
            db.hasStandbys ? WriteTokenMiddleware(db: db) : nil, errors,
            AddressLimitMiddleware(limiter: rateLimiter, proxies: config.server.trustedProxies),
        ]
        return all.compactMap(\.self)
    }

    /// The middleware that finds the caller, for routes that need one.
    private func callerMiddleware(_ door: ConsoleDoor?) -> [any Middleware] {
        let keys = APIKeyCache(store: APIKeyStore(db: db), now: world.now)
        let all: [(any Middleware)?] = [
            AuthenticationMiddleware(tokens: tokens, keys: keys, door: door),
            CallerLimitMiddleware(limiter: rateLimiter),
            ActivityMiddleware(active: active),
            OperatorCallMiddleware(audit: AuditStore(db: db)),
        ]
        return all.compactMap(\.self)
    }

    private func add(
        _ route: Route, to group: RouterGroup<AppContext>, _ finding: [any Middleware]
    ) {
        if route.rules.callers != .anybody {
            for middleware in finding { group.add(middleware: middleware) }
        }
        var ofUsers: RouterGroup<UserContext> {
            group.group(context: UserContext.self).add(middleware: AccountErrorMiddleware(users: users))
        }
        let rules = route.rules
        switch route.handler {
        case .anybody(let handler): add(rules, handler, to: group)
        case .caller(let handler), .key(let handler, _), .backend(let handler, _):
            add(rules, handler, to: group.group(context: CallerContext.self))
        case .user(let handler): add(rules, handler, to: ofUsers)
        case .reader(let handler):
            add(rules, handler, to: ofUsers.add(middleware: ConcurrentAccountMiddleware(users: users)))
        case .account(let handler):
            let active = ofUsers.add(middleware: AccountMiddleware(users: users))
            add(rules, handler, to: active.group(context: AccountContext.self))
        case .admin(let handler, _): add(rules, handler, to: group.group(context: AdminContext.self))
        }
    }

    /// Adds a handler. A call with anything that the rules do not name is refused before its handler runs: a
    /// mistyped filter must not return everything.
    private func add<Context: JSONContext>(
        _ rules: RouteRules, _ handler: @escaping Route.Function<Context>, to group: RouterGroup<Context>
    ) {
        var handler = rules.untilSunset ? whileOpen(handler) : handler
        if rules.standby { handler = rules.callers == .anybody ? link(handler) : reading(handler) }
        group.on(RouterPath(rules.path), method: rules.method) { [handler] request, context in
            if let query = rules.query {
                try request.query.require(only: query)
                if !rules.hasBody { try await JSONCoder().requireNoFields(in: request) }
            }
            var context = context
            context.bodyLimit = rules.bodyLimit
            return try await handler(request, context).response(from: request, context: context)
        }
    }
}
