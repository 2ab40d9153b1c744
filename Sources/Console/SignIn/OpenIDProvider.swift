import Foundation
import Kernel
package import Logging
package import Web

/// The OpenID Connect provider with which people sign in at the console: the flow with a code
/// (https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth), PKCE, state and nonce.
package actor OpenIDProvider {
    private let issuer: String
    private let clientID: String
    private let clientSecret: String
    private let asksGroups: Bool
    /// Where the provider sends browsers back to.
    private let callback: String
    private let world: World
    private let logger: Logger
    private let failing = PausedLog("the provider of the console cannot be used")
    /// Until when it is not asked again, and why.
    private var pause: (end: Date, why: String)?
    private var known: (document: OpenIDDocument, verifier: TokenVerifier, at: Date)?
    /// For how long the document is not fetched again: an hour.
    private static let lifetime: TimeInterval = 3600
    /// For how long it rests after a failure: 5 seconds.
    private static let rest: TimeInterval = 5

    /// Nil if the settings name no provider.
    package init?(_ config: ConsoleConfig, world: World, logger: Logger) {
        guard let url = config.url, let issuer = config.issuer, let clientID = config.clientID,
            let clientSecret = config.clientSecret
        else { return nil }
        (self.issuer, self.clientID, self.clientSecret) = (issuer, clientID, clientSecret)
        (asksGroups, callback) = (config.roles.hasGroups, "\(url)/sign-in/openid/callback")
        (self.world, self.logger) = (world, logger)
    }

    /// Returns the URL at which a browser asks the provider. Throws `away`.
    /// - Parameter isAnew: whether the provider asks people who are signed in there to sign in again.
    package func authorization(
        _ attempt: OpenIDAttempt, isAnew: Bool = false
    ) async throws(OpenIDError) -> String {
        let document = try await provider().document
        // Not every provider knows the scope, and some refuse one that they do not know.
        let groups = asksGroups && document.scopes?.contains("groups") == true ? " groups" : ""
        let parameters =
            [
                ("response_type", "code"), ("client_id", clientID), ("redirect_uri", callback),
                ("scope", "openid email profile\(groups)"), ("state", attempt.state),
                ("nonce", attempt.nonce),
                ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
            ] + (isAnew ? [("prompt", "login")] : [])
        let start = document.authorizationEndpoint
        return start + (start.contains("?") ? "&" : "?") + Self.form(parameters)
    }

    /// Redeems a code, and returns whom the provider says it is for.
    package func identity(
        code: String, _ attempt: OpenIDAttempt
    ) async throws(OpenIDError) -> OpenIDIdentity {
        let (document, verifier) = try await provider()
        let text = try await token(code, attempt, document)
        do {
            _ = try await verifier.token(text)
        } catch IDTokenError.keysUnavailable, IDTokenError.keyPostponed {
            throw .away("its keys are unavailable")
        } catch {
            throw .refused(.tokenInvalid, detail: "\(error)")
        }
        guard let claims = try? JSONDecoder().decode(OpenIDClaims.self, from: JWS(text).payload) else {
            throw .refused(.tokenInvalid, detail: "a claim has the wrong type")
        }
        return try claims.identity(attempt, client: clientID)
    }

    /// Whether an answer says that another provider sent it (RFC 9207).
    package nonisolated func isOther(_ issuer: String?) -> Bool {
        issuer.map { !$0.hasSameBytes(as: self.issuer) } ?? false
    }

    private func provider() async throws(OpenIDError) -> (document: OpenIDDocument, verifier: TokenVerifier) {
        let now = world.now()
        if let known, known.at <= now, now < known.at + Self.lifetime {
            return (known.document, known.verifier)
        }
        if let pause, now < pause.end, now > pause.end - 2 * Self.rest {
            if let known { return (known.document, known.verifier) }
            throw .away(pause.why)
        }
        do {
            let document = try await OpenIDDocument(of: issuer, world.fetch)
            let verifier: TokenVerifier
            if let known, known.document.keys == document.keys {
                verifier = known.verifier
            } else {
                let config = AuthConfig(jwks: document.keys, issuer: issuer, audience: clientID)
                verifier = try TokenVerifier(config, world: world, logger: logger)
            }
            known = (document, verifier, now)
            return (document, verifier)
        } catch {
            failing.note(["issuer": "\(issuer)", "error": "\(error)"], to: logger)
            pause = (now + Self.rest, "\(error)")
            // What it said before is better than nothing.
            if let known { return (known.document, known.verifier) }
            throw .away("\(error)")
        }
    }

    /// Redeems a code for an ID token.
    private func token(_ code: String, _ attempt: OpenIDAttempt, _ document: OpenIDDocument)
        async throws(OpenIDError) -> String
    {
        var headers = ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"]
        var parameters = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", callback),
            ("code_verifier", attempt.verifier),
        ]
        if document.takesBasic {
            // RFC 6749 §2.3.1: both are encoded as in a form first.
            let pair = "\(PercentEncoding.encode(clientID)):\(PercentEncoding.encode(clientSecret))"
            headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
        } else {
            parameters += [("client_id", clientID), ("client_secret", clientSecret)]
        }
        let answer: HTTPFetch.Answer
        do {
            answer = try await world.post.send(
                document.tokenEndpoint, headers, Data(Self.form(parameters).utf8))
        } catch {
            throw .away("\(error)")
        }
        let body = try? JSONDecoder().decode(TokenResponse.self, from: answer.body)
        switch (answer.status, body?.idToken, body?.error) {
        case (200, let token?, _): return token
        case (400, _, "invalid_grant"?):
            throw .refused(.codeRefused, detail: "invalid_grant")
        default:
            logger.warning(
                "the provider of the console gave no token",
                metadata: [
                    "issuer": "\(issuer)", "status": "\(answer.status)",
                    "error": "\((body?.error ?? "none").quoted)",
                ])
            throw .away("status \(answer.status) instead of a token")
        }
    }

    private struct TokenResponse: Decodable {
        let idToken: String?
        let error: String?

        enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case error
        }
    }

    private static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
