import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Finds out from where a request comes, and refuses it if too many came from there: before anything is looked up,
/// verified or read. Those without a good token are counted, but a good one passes whatever its neighbours send: to
/// verify one is cheap, and how many are verified for an address is bounded by `api`.
struct AddressLimitMiddleware: RouterMiddleware {
    let limiter: RateLimiter
    let proxies: TrustedProxies
    private let warning = ProxyWarning()

    init(limiter: RateLimiter, proxies: TrustedProxies) {
        self.limiter = limiter
        self.proxies = proxies
    }

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let address = client(request, context) else { return try await next(request, context) }
        var context = context
        context.address = address
        guard request.isForAPI else {
            try limiter.require(.landings, address.subject)
            return try await next(request, context)
        }
        let (isKey, isSuspect) = (
            hasKey(request, context), limiter.isSpent(.unauthenticated, address.subject)
        )
        // A key costs a look-up and is not counted by address; but it is if too many from there were bad.
        if !isKey || isSuspect { try limiter.require(.api, address.subject) }
        if !isKey, context.endpointPath == "/v1/signup" { try limiter.require(.signups, address.subject) }
        context.isSuspect = isSuspect
        do {
            return try await next(request, context)
        } catch let problem as Problem where problem.status == .unauthorized {
            try limiter.require(.unauthenticated, address.subject)
            throw problem
        }
    }

    /// Nil where the address is nobody's.
    private func client(_ request: Request, _ context: AppContext) -> ClientAddress? {
        guard let peer = context.peer else { return nil }
        let forwarded = request.headers[values: .xForwardedFor]
        if !forwarded.isEmpty, !proxies.contains(peer) { warning.tell(context.logger) }
        let client = forwarded.isEmpty ? peer : proxies.client(peer: peer, forwarded: forwarded)
        return client.isPrivate && !limiter.config.countsPrivateAddresses ? nil : client
    }

    /// A backend acts for many users from one address. Whether the key is good will be seen; a bad one counts as
    /// unauthenticated. Where no route is, nobody looks at it.
    private func hasKey(_ request: Request, _ context: AppContext) -> Bool {
        context.endpointPath != nil
            && request.headers[.authorization]?.dropFirst("Bearer ".count).hasPrefix(APIKey.prefix) == true
    }
}

/// Told once: a proxy that is not trusted makes all who call through it one.
private final class ProxyWarning: Sendable {
    private let isTold = Atomic(false)

    func tell(_ logger: Logger) {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            "a peer that KITH_TRUSTED_PROXIES does not name sends X-Forwarded-For, which is ignored: if it is your proxy, name it"
        )
    }
}
