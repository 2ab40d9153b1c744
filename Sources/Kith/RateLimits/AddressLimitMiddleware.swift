import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Finds the client's address, and refuses the request if too many came from there, before anything is looked up,
/// verified or read. Requests without a valid token are counted, but one with a valid token passes whatever others
/// at its address send: verifying a token is cheap, and `api` limits how many an address may have verified.
struct AddressLimitMiddleware: RouterMiddleware {
    let limiter: RateLimiter
    let proxies: TrustedProxies
    let routes: RouteTable
    let keyedPaths: KeyedPaths
    private let warning = ProxyWarning()

    init(limiter: RateLimiter, proxies: TrustedProxies, routes: RouteTable, keyedPaths: KeyedPaths) {
        self.limiter = limiter
        self.proxies = proxies
        self.routes = routes
        self.keyedPaths = keyedPaths
    }

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let address = client(request, context) else { return try await next(request, context) }
        var context = context
        context.address = address
        guard routes.api(of: request) != nil || context.isForOperators else {
            try limiter.require(.landings, address.subject)
            return try await next(request, context)
        }
        let (isKey, isSuspect) = (
            hasKey(request, context), limiter.isSpent(.unauthenticated, address.subject)
        )
        // A key costs a look-up, but is counted by address only if too many from there were invalid.
        if !isKey || isSuspect { try limiter.require(.api, address.subject) }
        if !isKey, context.endpointPath == "/v1/signup" { try limiter.require(.signups, address.subject) }
        context.isSuspect = isSuspect
        do {
            return try await next(request, context)
        } catch let problem as Problem where problem.lacksToken {
            try limiter.require(.unauthenticated, address.subject)
            throw problem
        }
    }

    /// The client's address; nil if it is not to be counted.
    private func client(_ request: Request, _ context: AppContext) -> ClientAddress? {
        guard let peer = context.peer else { return nil }
        let forwarded = request.headers[values: .xForwardedFor]
        if !forwarded.isEmpty, !proxies.contains(peer) { warning.tell(context.logger) }
        let client = forwarded.isEmpty ? peer : proxies.client(peer: peer, forwarded: forwarded)
        return client.isPrivate && !limiter.config.countsPrivateAddresses ? nil : client
    }

    /// Whether the request carries an API key, with which a backend acts for many users from one address, to a route
    /// that looks it up. It may be invalid: then it counts as unauthenticated. No key is looked up if there are several.
    private func hasKey(_ request: Request, _ context: AppContext) -> Bool {
        guard let header = (try? request.header(.authorization)) ?? nil else { return false }
        return header.dropFirst("Bearer ".count).hasPrefix(APIKey.prefix)
            && keyedPaths.contains(context.endpointPath)
    }
}

/// The paths whose routes look up the key of a request.
final class KeyedPaths: Sendable {
    private let paths = Mutex<Set<String>>([])

    /// Learns the paths of the routes that `add` adds to the router, all of which must look up keys.
    func learn(_ router: Router<some RequestContext>, _ add: () -> Void) {
        func all() -> Set<String> { Set(router.routes.map(\.path.description)) }
        let others = all()
        add()
        let added = all().subtracting(others)
        paths.withLock { $0.formUnion(added) }
    }

    /// Whether keys are looked up here; false for a path without a route.
    fileprivate func contains(_ path: String?) -> Bool {
        guard let path else { return false }
        return paths.withLock { $0.contains(path) }
    }
}

/// Warns once about a proxy that is not trusted: all clients behind it count as one.
private final class ProxyWarning: Sendable {
    private let isTold = Atomic(false)

    func tell(_ logger: Logger) {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            "ignoring X-Forwarded-For of a peer that is not in KITH_TRUSTED_PROXIES: if it is your proxy, add it"
        )
    }
}
