import Foundation

/// A verified ID token: the caller's uid, and until when it is valid.
struct IDToken: Hashable, Sendable {
    let uid: User.UID
    let expiresAt: Date
}

/// Why a token was refused. Only the log gets all of this: see `TokenVerifier.verify`.
enum IDTokenError: Error, Equatable {
    /// The text is not a token, or one that two parsers could read differently.
    case malformed(String)
    case algorithm(String)
    case unknownKey(String)
    case signature
    case claim(String)
    /// Whoever issued it, and for whom: the claim `exp` is checked first, so that this tells nothing about the others.
    case expired
    /// The provider's keys were never fetched, or too long ago: the token may be valid.
    case keysUnavailable
}

/// The claims and algorithms of accepted tokens.
struct TokenRules: Sendable {
    /// How far the clocks of two machines may differ.
    static let leeway: TimeInterval = 60

    let issuer: String
    let audience: String
    let algorithms: Set<SignatureAlgorithm>
}

extension TokenRules {
    /// Checks the claims by OpenID Connect Core §3.1.3.7 and Firebase's rules
    /// (https://firebase.google.com/docs/auth/admin/verify-id-tokens).
    func check(_ claims: TokenClaims, at now: Date) throws(IDTokenError) -> IDToken {
        guard claims.exp.date > now - Self.leeway else { throw .expired }
        guard claims.iss == issuer else { throw .claim("iss") }
        guard isForUs(claims) else { throw .claim("aud") }
        guard let uid = User.UID(claims.sub) else { throw .claim("sub") }
        guard claims.iat.date <= now + Self.leeway else { throw .claim("iat") }
        if let start = claims.nbf, start.date > now + Self.leeway { throw .claim("nbf") }
        if let login = claims.authTime, login.date > now + Self.leeway { throw .claim("auth_time") }
        return IDToken(uid: uid, expiresAt: claims.exp.date)
    }

    private func isForUs(_ claims: TokenClaims) -> Bool {
        guard claims.aud.contains(audience) else { return false }
        return claims.aud.count == 1 || claims.azp == audience
    }
}

/// The claims that Kith reads; it ignores all others.
struct TokenClaims: Decodable {
    let iss: String
    let aud: [String]
    let azp: String?
    let sub: String
    let exp: NumericDate
    let iat: NumericDate
    let nbf: NumericDate?
    let authTime: NumericDate?

    private enum CodingKeys: String, CodingKey {
        case iss, aud, azp, sub, exp, iat, nbf
        case authTime = "auth_time"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        iss = try claims.decode(String.self, forKey: .iss)
        // RFC 7519 §4.1.3: an array, or a single string.
        aud =
            try (try? [claims.decode(String.self, forKey: .aud)])
            ?? claims.decode([String].self, forKey: .aud)
        azp = try claims.decodeIfPresent(String.self, forKey: .azp)
        sub = try claims.decode(String.self, forKey: .sub)
        exp = try claims.decode(NumericDate.self, forKey: .exp)
        iat = try claims.decode(NumericDate.self, forKey: .iat)
        nbf = try claims.decodeIfPresent(NumericDate.self, forKey: .nbf)
        authTime = try claims.decodeIfPresent(NumericDate.self, forKey: .authTime)
    }

    /// Seconds since 1970, whole or not (RFC 7519 §2).
    struct NumericDate: Decodable {
        let date: Date

        init(from decoder: any Decoder) throws {
            date = Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self))
        }
    }
}
