import HTTPTypes
package import Hummingbird
import Logging
import Synchronization
package import Web

/// Finds the client's address, and refuses the request if too many came from there, before anything is looked
/// up, verified or read. Requests without a valid token are counted. But one with a valid token passes
/// whatever others at its address send: verifying a token is cheap, and `api` limits how many an address may
/// have verified.
package struct AddressLimitMiddleware: RouterMiddleware {
    /// Nil if nothing is limited.
    let limiter: RateLimiter?
    let proxies: TrustedProxies
    private let warning = ProxyWarning()

    package init(limiter: RateLimiter?, proxies: TrustedProxies) {
        self.limiter = limiter
        self.proxies = proxies
    }

    package func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let address = client(request, context) else { return try await next(request, context) }
        var context = context
        context.address = address
        guard let limiter else { return try await next(request, context) }
        guard context.form != .page || context.isForOperators else {
            try limiter.require(.landings, address.subject)
            // Forms that another site sends are refused anyway. Counted, they would use up somebody's
            // attempts.
            if let own = context.route?.addressLimit, !request.isFormOfAnotherSite {
                try limiter.require(own, address.subject)
            }
            return try await next(request, context)
        }
        let (isKey, isSuspect) = (
            hasKey(request, context), limiter.isSpent(.unauthenticated, address.subject)
        )
        // A key costs a look-up, but is counted by address only if too many keys from there were invalid.
        if !isKey || isSuspect { try limiter.require(.api, address.subject) }
        if !isKey, let own = context.route?.addressLimit { try limiter.require(own, address.subject) }
        context.isSuspect = isSuspect
        do {
            return try await next(request, context)
        } catch let problem as Problem where problem.lacksToken {
            try limiter.require(.unauthenticated, address.subject)
            throw problem
        }
    }

    /// Returns the client's address. Nil if it is not counted.
    private func client(_ request: Request, _ context: AppContext) -> ClientAddress? {
        guard let peer = context.peer else { return nil }
        let forwarded = request.headers[values: .xForwardedFor]
        if !forwarded.isEmpty, !proxies.contains(peer) { warning.tell(context.logger) }
        let client = forwarded.isEmpty ? peer : proxies.client(peer: peer, forwarded: forwarded)
        return client.isPrivate && limiter?.config.countsPrivateAddresses != true ? nil : client
    }

    /// Whether the request carries an API key, with which a backend acts for many users from one address, to
    /// a route that looks it up. The key may be invalid: then the request counts as unauthenticated. No key
    /// is looked up if there are several.
    private func hasKey(_ request: Request, _ context: AppContext) -> Bool {
        guard let header = (try? request.header(.authorization)) ?? nil else { return false }
        guard let route = context.route, route.callers != .anybody else { return false }
        return header.dropFirst("Bearer ".count).hasPrefix(APIKey.prefix)
    }
}

/// Warns once about a proxy that is not trusted, because all clients behind it count as one.
private final class ProxyWarning: Sendable {
    private let isTold = Atomic(false)

    func tell(_ logger: Logger) {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            "ignoring X-Forwarded-For of a peer that is not in KITH_TRUSTED_PROXIES: if it is your proxy, add it"
        )
    }
}

extension Request {
    fileprivate var isFormOfAnotherSite: Bool {
        method == .post && headers[.secFetchSite] == "cross-site"
    }
}
