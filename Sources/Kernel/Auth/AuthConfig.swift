import Foundation
package import Web

/// Settings of the identity providers whose tokens are accepted.
package struct AuthConfig: Sendable {
    /// `KITH_AUTH_JWKS`; none. The places of the keys: https URLs (http only on this machine) or files,
    /// separated by commas. There is one for all issuers, or one for each in their order.
    package var jwks: String?
    /// `KITH_AUTH_ISSUER`; none. The issuers, separated by commas.
    package var issuer: String?
    /// `KITH_AUTH_AUDIENCE`; none. The audiences, separated by commas. `;` divides those of each issuer.
    package var audience: String?
    /// `KITH_AUTH_AUDIENCE_CLAIM`; aud. The claim that says for whom a token is.
    package var audienceClaim = AudienceClaim.aud
    /// `KITH_AUTH_UID_CLAIM`; sub. The claim that is the uid. With several issuers it must be set.
    package var uidClaim: String?
    /// `KITH_FIREBASE_PROJECT`; none. The Firebase project. It sets those of the first three settings that
    /// are not set, and RS256 as the only algorithm.
    package var firebaseProject: String?

    package init(
        jwks: String? = nil, issuer: String? = nil, audience: String? = nil, firebaseProject: String? = nil
    ) {
        self.jwks = jwks
        self.issuer = issuer
        self.audience = audience
        self.firebaseProject = firebaseProject
    }

    package enum AudienceClaim: String, CaseIterable, Sendable {
        case aud, azp
        case clientID = "client_id"
    }
}

/// A setting of `AuthConfig` that cannot work.
package struct AuthConfigError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

package extension AuthConfig {
    /// The settings in force. https://firebase.google.com/docs/auth/admin/verify-id-tokens names those of a
    /// Firebase project.
    var effective: AuthConfig {
        guard let firebaseProject else { return self }
        var config = self
        config.jwks = jwks ?? Self.firebaseKeys
        config.issuer = issuer ?? "https://securetoken.google.com/\(firebaseProject)"
        config.audience = audience ?? firebaseProject
        return config
    }

    private static let firebaseKeys =
        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

    /// Returns the rules. Throws what is wrong, one setting on each line.
    func rules() throws(AuthConfigError) -> TokenRules {
        let config = effective
        var mistakes: [String] = []
        func read(_ name: String, _ text: String?, dividedBy divider: Character = ",") -> [String] {
            do { return try Self.list(name, text, dividedBy: divider) } catch {
                mistakes.append(error.description)
                return []
            }
        }
        let issuers = read("KITH_AUTH_ISSUER", config.issuer)
        let groups = read("KITH_AUTH_AUDIENCE", config.audience, dividedBy: ";")
            .map { read("KITH_AUTH_AUDIENCE", $0) }
        if Set(issuers).count < issuers.count { mistakes.append("KITH_AUTH_ISSUER names an issuer twice") }
        if groups.count > 1, !issuers.isEmpty, groups.count != issuers.count {
            mistakes.append(
                "KITH_AUTH_AUDIENCE has \(groups.count) lists for \(issuers.count) issuers: write one for all, or one for each, in "
                    + "their order")
        }
        if issuers.count > 1, uidClaim == nil {
            mistakes.append(
                "KITH_AUTH_UID_CLAIM is not set: with several issuers name the claim that no two of them have for different people; "
                    + "`sub`, if you know that of it")
        }
        guard mistakes.isEmpty else {
            throw AuthConfigError(description: mistakes.joined(separator: "\n"))
        }
        return TokenRules(
            issuers: issuers.enumerated().map { index, name in
                .init(name: name, audiences: groups.count == 1 ? groups[0] : groups[index])
            },
            algorithms: firebaseProject == nil ? Set(SignatureAlgorithm.allCases) : [.rs256],
            audienceClaim: audienceClaim, uidClaim: uidClaim ?? "sub")
    }

    /// Returns where the keys of each issuer come from. One place may serve all issuers.
    func keys(_ http: HTTPFetch) throws(AuthConfigError) -> [JWKSSource.Origin] {
        let places = try Self.list("KITH_AUTH_JWKS", effective.jwks)
        let issuers = (try? Self.list("KITH_AUTH_ISSUER", effective.issuer).count) ?? places.count
        guard places.count == 1 || places.count == issuers else {
            throw AuthConfigError(
                description:
                    "KITH_AUTH_JWKS has \(places.count) sets of keys for \(issuers) issuers: name one for all, or one for each, in "
                    + "their order")
        }
        var origins: [JWKSSource.Origin] = []
        for place in places { origins.append(try Self.origin(place, http)) }
        return origins
    }

    private static func origin(_ place: String, _ http: HTTPFetch) throws(AuthConfigError)
        -> JWKSSource.Origin
    {
        guard place.contains("://") else { return .file(place) }
        guard let address = URL(string: place), let url = WebURL(written: place),
            url.isSecureOrLocal
        else {
            throw AuthConfigError(
                description: "KITH_AUTH_JWKS must be an https URL or a file: \(place.withoutLogin)")
        }
        return .url(address, http)
    }

    /// Returns what is wrong with files of keys: they must exist at the start, or nobody can sign in.
    func mistakeInFile() async -> String? {
        for file in (try? Self.list("KITH_AUTH_JWKS", jwks)) ?? [] where !file.contains("://") {
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)) else {
                return "KITH_AUTH_JWKS: cannot read the file '\(file)'"
            }
            guard (try? await JWKS(jwks: data)) != nil else {
                return
                    "KITH_AUTH_JWKS: the file '\(file)' is not a JWKS with a key for \(SignatureAlgorithm.names())"
            }
        }
        return nil
    }

    private static func list(
        _ name: String, _ text: String?, dividedBy divider: Character = ","
    ) throws(AuthConfigError) -> [String] {
        guard let text, !text.isEmpty else {
            throw AuthConfigError(description: "\(name) is not set (nor KITH_FIREBASE_PROJECT)")
        }
        let items = text.split(separator: divider, omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard !items.contains("") else {
            throw AuthConfigError(
                description: "\(name): '\(text)' has an empty entry beside a `\(divider)`")
        }
        return items
    }
}
