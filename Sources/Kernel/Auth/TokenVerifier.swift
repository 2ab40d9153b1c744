import Foundation
import HTTPTypes
package import Logging
package import Web

/// Verifies bearer tokens.
package struct TokenVerifier: Sendable {
    private let rules: TokenRules
    /// The sources of keys: one for all issuers, or one for each.
    private let sources: [JWKSSource]
    private let verified = TokenCache()
    private let now: @Sendable () -> Date
    private let logger: Logger
    /// The log of refused tokens. It is limited, since each app that is open for an hour sends one that has
    /// expired.
    private let refused = PausedLog("token refused", .info, counting: "tokens")

    /// - Parameter uptime: the clock for the age of keys, which never steps.
    package init(
        _ config: AuthConfig, world: World, logger: Logger,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(AuthConfigError) {
        rules = try config.rules()
        sources = try config.keys(world.fetch).map { JWKSSource($0, logger: logger, now: uptime) }
        now = world.now
        self.logger = logger
    }

    /// Verifies a token. Throws a 401 that says whether the token has expired, which anybody can read in it,
    /// and nothing else. Throws a 503 if the provider's keys are unavailable, since the same token may be
    /// valid a moment later.
    func verify(_ bearer: String, logger: Logger? = nil) async throws(Problem) -> IDToken {
        do {
            return try await token(bearer)
        } catch {
            let reason = error.description
            let kind = String(reason.prefix { $0 != " " })
            refused.note(["reason": "\(String(reason.prefix(600)))"], of: kind, to: logger ?? self.logger)
            switch error {
            case .keysUnavailable: throw .keysUnavailable
            case .keyPostponed(_, let seconds): throw .keyPostponed(for: seconds)
            case .expired: throw .tokenExpired
            case .malformed, .algorithm, .unknownKey, .signature, .claim: throw .tokenInvalid
            }
        }
    }

    package func token(_ text: String) async throws(IDTokenError) -> IDToken {
        let (name, now) = (TokenCache.name(text), now())
        if let known = verified.find(name, at: now),
            try await keys(known, at: now).version == known.version
        {
            return known.token
        }
        let token = try JWS(text)
        guard rules.algorithms.contains(token.key.algorithm) else {
            throw .algorithm(token.key.algorithm.rawValue, wanted: SignatureAlgorithm.names(rules.algorithms))
        }
        // Claims are checked before the signature, so that a token of another issuer never causes a fetch of
        // keys.
        let claims = try token.claims(uidClaim: rules.uidClaim)
        let (claimed, issuer) = try rules.check(claims, at: now)
        var entry = TokenCache.Entry(
            token: claimed, issuedAt: claims.iat.date, issuer: issuer, key: token.key, version: 0,
            verifiedAt: now)
        let keys = try await keys(entry, at: now)
        guard keys.verifies(token) else { throw .signature }
        entry.version = keys.version
        verified.keep(entry, as: name)
        return claimed
    }

    /// Returns the keys of the token's own issuer, and of no other.
    private func keys(_ entry: TokenCache.Entry, at now: Date) async throws(IDTokenError) -> JWKS {
        let source = sources.count == 1 ? sources[0] : sources[entry.issuer]
        // The age is bounded because a claim may hold any number.
        let age = min(max(now.timeIntervalSince(entry.issuedAt), 0), 1e9)
        return try await source.keys(for: entry.key, issued: .seconds(age))
    }
}

extension TokenVerifier {
    /// Returns `kith_identity_provider_failing` and `kith_tokens_postponed_total`.
    package func metricsText() async -> String {
        var isFailing = false
        var postponed = 0
        for source in sources {
            if await source.isFailing { isFailing = true }
            postponed += await source.postponed
        }
        var text = MetricsText()
        text.family(
            "kith_identity_provider_failing", .gauge, "Whether the last fetch of its keys failed.",
            isFailing ? 1 : 0)
        text.family(
            "kith_tokens_postponed_total", .counter,
            "Tokens answered with a 503 because their key is not known yet. Anybody can cause these.",
            postponed)
        return text.text
    }
}

extension Problem {
    fileprivate static let keysUnavailable = Problem(
        .serviceUnavailable, "unavailable",
        "The identity provider's keys are temporarily unavailable. Try again.",
        retryAfter: Int(JWKSRefresh.pauseWithoutKeys.components.seconds))

    private static let keyPostponed =
        "The key of the ID token is not known yet, and the identity provider is asked again soon. Try again."

    fileprivate static func keyPostponed(for seconds: Int) -> Problem {
        Problem(.serviceUnavailable, "unavailable", keyPostponed, retryAfter: seconds)
    }

    /// Whether it says that the call had no valid token, or one whose key may not exist.
    var lacksToken: Bool { status == .unauthorized || detail == Self.keyPostponed }
}
