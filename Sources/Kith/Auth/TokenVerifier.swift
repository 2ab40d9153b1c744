import Foundation
import HTTPTypes
import Logging

/// Verifies bearer tokens.
struct TokenVerifier: Sendable {
    private let rules: TokenRules
    private let keys: JWKSSource
    private let verified = TokenCache()
    private let now: @Sendable () -> Date
    private let logger: Logger

    /// - Parameter uptime: the clock for the age of keys, which never steps.
    init(
        _ config: AuthConfig, world: World, logger: Logger,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(AuthConfigError) {
        rules = try config.rules()
        keys = JWKSSource(try config.keys(world.fetch), logger: logger, now: uptime)
        now = world.now
        self.logger = logger
    }

    /// Throws a 401 that says whether the token has expired, as anybody can read in it, and nothing else; or 503 if the
    /// provider's keys are unavailable, since the same token may be valid a moment later.
    func verify(_ bearer: String, logger: Logger? = nil) async throws(Problem) -> IDToken {
        do {
            return try await token(bearer)
        } catch {
            (logger ?? self.logger).info(
                "token refused", metadata: ["reason": "\(String("\(error)".prefix(200)))"])
            switch error {
            case .keysUnavailable: throw .keysUnavailable
            case .expired: throw .tokenExpired
            case .malformed, .algorithm, .unknownKey, .signature, .claim: throw .tokenInvalid
            }
        }
    }

    func token(_ text: String) async throws(IDTokenError) -> IDToken {
        let (name, now) = (TokenCache.name(text), now())
        if let known = verified.find(name, at: now),
            try await keys.keys(for: known.key).version == known.version
        {
            return known.token
        }
        let token = try JWS(text)
        guard rules.algorithms.contains(token.key.algorithm) else {
            throw .algorithm(token.key.algorithm.rawValue)
        }
        // Before the signature, so that a token of another issuer never causes a fetch of keys.
        let claimed = try rules.check(token.claims(), at: now)
        let keys = try await keys.keys(for: token.key)
        guard keys.verifies(token) else { throw .signature }
        verified.keep(.init(token: claimed, key: token.key, version: keys.version, verifiedAt: now), as: name)
        return claimed
    }
}

extension TokenVerifier {
    /// `kith_identity_provider_failing`.
    func metricsText() async -> String {
        var isFailing = false
        for source in [keys] where await source.isFailing { isFailing = true }
        var text = MetricsText()
        text.family("kith_identity_provider_failing", .gauge, "Whether the last fetch of its keys failed.")
        text.sample("kith_identity_provider_failing", [], isFailing ? 1 : 0)
        return text.text
    }
}

extension Problem {
    fileprivate static let keysUnavailable = Problem(
        .serviceUnavailable, "unavailable",
        "The identity provider's keys are temporarily unavailable. Try again.",
        retryAfter: Int(JWKSRefresh.pauseWithoutKeys.components.seconds))
}
