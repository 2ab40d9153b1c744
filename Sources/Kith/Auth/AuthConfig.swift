import Foundation

/// Settings of the identity provider whose ID tokens are accepted.
public struct AuthConfig: Sendable {
    /// `KITH_AUTH_JWKS`; none. An https URL (http only on this machine) or a file.
    public var jwks: String?
    /// `KITH_AUTH_ISSUER`; none.
    public var issuer: String?
    /// `KITH_AUTH_AUDIENCE`; none.
    public var audience: String?
    /// `KITH_FIREBASE_PROJECT`; none. Sets those of the three above that are not set, and RS256 as the only algorithm.
    public var firebaseProject: String?

    public init(
        jwks: String? = nil, issuer: String? = nil, audience: String? = nil, firebaseProject: String? = nil
    ) {
        self.jwks = jwks
        self.issuer = issuer
        self.audience = audience
        self.firebaseProject = firebaseProject
    }
}

/// A setting of `AuthConfig` that cannot work.
struct AuthConfigError: Error, Equatable, CustomStringConvertible {
    let description: String
}

extension AuthConfig {
    /// https://firebase.google.com/docs/auth/admin/verify-id-tokens names the keys and the issuer.
    private static let firebaseKeys =
        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

    /// Throws what is wrong, one setting a line.
    func rules() throws(AuthConfigError) -> TokenRules {
        let issuer = issuer ?? firebaseProject.map { "https://securetoken.google.com/\($0)" } ?? ""
        let audience = audience ?? firebaseProject ?? ""
        let missing = [("KITH_AUTH_ISSUER", issuer), ("KITH_AUTH_AUDIENCE", audience)].filter(\.1.isEmpty)
        guard missing.isEmpty else {
            throw AuthConfigError(
                description: missing.map { Self.isMissing($0.0) }.joined(separator: "\n"))
        }
        return TokenRules(
            issuer: issuer, audience: audience,
            algorithms: firebaseProject == nil ? [.rs256, .es256] : [.rs256])
    }

    func keys(_ http: HTTPFetch) throws(AuthConfigError) -> JWKSSource.Origin {
        let place = jwks ?? firebaseProject.map { _ in Self.firebaseKeys } ?? ""
        guard !place.isEmpty else { throw AuthConfigError(description: Self.isMissing("KITH_AUTH_JWKS")) }
        guard let scheme = place.firstRange(of: "://").map({ place[..<$0.lowerBound].lowercased() }) else {
            return .file(place)
        }
        guard let url = URL(string: place), let host = url.host, !host.isEmpty else {
            throw AuthConfigError(description: "KITH_AUTH_JWKS is not a URL: \(place)")
        }
        let isOfThisMachine = ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host.lowercased())
        guard scheme == "https" || scheme == "http" && isOfThisMachine else {
            throw AuthConfigError(description: "KITH_AUTH_JWKS must be an https URL or a file: \(place)")
        }
        return .url(url, http)
    }

    /// What is wrong with the file of keys, if they are in a file: it must exist at start, or nobody can sign in.
    func mistakeInFile() async -> String? {
        guard let jwks, !jwks.isEmpty, !jwks.contains("://") else { return nil }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: jwks)) else {
            return "KITH_AUTH_JWKS: cannot read the file '\(jwks)'"
        }
        guard (try? await JWKS(jwks: data)) != nil else {
            return "KITH_AUTH_JWKS: the file '\(jwks)' is not a JWKS with a key for RS256 or ES256"
        }
        return nil
    }

    private static func isMissing(_ name: String) -> String {
        "\(name) is not set (nor KITH_FIREBASE_PROJECT)"
    }
}
