package import HTTPTypes
package import Hummingbird
package import Web

/// A route of the product: its rules, and what answers it. The router, limits, keys, methods, origins and the
/// names in logs and metrics come from a list of these.
package struct Route: Sendable {
    package typealias Function<Context> = @Sendable (Request, Context) async throws -> any ResponseGenerator

    /// The function that answers, by who may call.
    package enum Handler: Sendable {
        case anybody(Function<AppContext>)
        /// The caller is a user, or a key of an app, a backend or an admin.
        case caller(Function<CallerContext>)
        /// The caller is a key of an app, a backend, an admin or one of these roles, that acts for no user.
        case key(Function<CallerContext>, or: Set<Role> = [])
        /// The caller is a key of a backend, an admin or one of these roles, that acts for no user.
        case backend(Function<CallerContext>, or: Set<Role> = [])
        /// The caller is a user, with or without an account. The handler checks it itself, mostly in the
        /// statement that writes or reads.
        case user(Function<UserContext>)
        /// The caller has an active account, which is read while the handler reads its answer. This is for
        /// handlers that change nothing.
        case reader(Function<UserContext>)
        /// The caller has an active account, which the handler gets.
        case account(Function<AccountContext>)
        /// The caller is an operator: an admin, or of one of these roles.
        case admin(Function<AdminContext>, or: Set<Role> = [])
    }

    package let rules: RouteRules
    package let handler: Handler

    /// Creates a route of the API. `RouteRules` says what the parameters are.
    /// - Parameter hasBody: whether it has a body. Nil if that is as usual for the method.
    /// - Parameter isAudited: whether a call is noted although it changes nothing.
    /// - Parameter freshSignIn: whether people must have signed in a short while ago.
    package init(
        _ method: HTTPRequest.Method, _ path: String, _ handler: Handler, query: [String]? = [],
        hasBody: Bool? = nil, bodyLimit: BodyLimit = .usual, limit: RateLimit = .calls,
        addressLimit: RateLimit? = nil, clientLimit: RateLimit? = nil,
        keyPlace: RouteRules.KeyPlace = .bearer, form: ErrorForm = .problem, allOrigins: Bool = false,
        standby: Bool = false, untilSunset: Bool = false, isAudited: Bool = false, freshSignIn: Bool = false
    ) {
        self.handler = handler
        rules = RouteRules(
            method: method, path: path, callers: handler.callers, keyPlace: keyPlace, form: form,
            allOrigins: allOrigins, query: query, hasBody: hasBody ?? ![.get, .delete].contains(method),
            bodyLimit: bodyLimit, limit: limit, addressLimit: addressLimit, clientLimit: clientLimit,
            standby: standby, untilSunset: untilSunset, isAudited: isAudited || method != .get,
            wantsFreshSignIn: freshSignIn)
    }

    /// Creates the route of a page or picture for everybody.
    package static func page(
        _ path: String, _ handler: @escaping Function<AppContext>, addressLimit: RateLimit? = nil,
        standby: Bool = false, untilSunset: Bool = false
    ) -> Route {
        Route(
            .get, path, .anybody(handler), query: nil, addressLimit: addressLimit, form: .page,
            standby: standby, untilSunset: untilSunset)
    }

    /// Creates the route to which a form of a page leads. The handler checks that it was a page of this host.
    package static func form(
        _ path: String, _ handler: @escaping Function<AppContext>, addressLimit: RateLimit? = nil
    ) -> Route {
        Route(
            .post, path, .anybody(handler), query: nil, addressLimit: addressLimit, form: .page)
    }

    /// Creates the route of a call of Firebase Dynamic Links.
    package static func firebase(
        _ method: HTTPRequest.Method, _ path: String, _ handler: Handler, clientLimit: RateLimit? = nil,
        untilSunset: Bool = false
    ) -> Route {
        Route(
            method, path, handler, query: nil, clientLimit: clientLimit, keyPlace: .query, form: .firebase,
            untilSunset: untilSunset)
    }
}

extension Route.Handler {
    fileprivate var callers: RouteRules.Callers {
        switch self {
        case .anybody: .anybody
        case .caller: .callers
        case .user: .users
        case .reader, .account: .accounts
        case .key(_, let roles): .keys(Self.scopes([.client, .server], roles))
        case .backend(_, let roles): .keys(Self.scopes([.server], roles))
        case .admin(_, let roles): .keys(Self.scopes([], roles))
        }
    }

    /// Returns the scopes with those of the roles. An admin may always.
    private static func scopes(_ scopes: Set<APIKey.Scope>, _ roles: Set<Role>) -> Set<APIKey.Scope> {
        scopes.union(roles.union([.admin]).map(APIKey.Scope.init))
    }
}
