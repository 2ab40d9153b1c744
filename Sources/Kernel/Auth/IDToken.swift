import Foundation
import Web

/// A verified token: the caller's uid, and how long it is valid.
package struct IDToken: Hashable, Sendable {
    let uid: User.UID
    let expiresAt: Date
}

/// The issuers, claims and algorithms of accepted tokens.
package struct TokenRules: Sendable {
    /// How far the clocks of two machines may differ.
    static let leeway: TimeInterval = 60

    struct Issuer: Sendable {
        let name: String
        let audiences: [String]
    }

    let issuers: [Issuer]
    let algorithms: Set<SignatureAlgorithm>
    let audienceClaim: AuthConfig.AudienceClaim
    let uidClaim: String
}

extension TokenRules {
    /// Checks the claims by OpenID Connect Core §3.1.3.7 and Firebase's rules
    /// (https://firebase.google.com/docs/auth/admin/verify-id-tokens). Also returns the index of the token's
    /// issuer in `issuers`.
    func check(_ claims: TokenClaims, at now: Date) throws(IDTokenError) -> (token: IDToken, issuer: Int) {
        guard claims.exp.date > now - Self.leeway else { throw .expired }
        // Byte for byte (RFC 7519 §2): Swift's == takes the Kelvin sign for the letter K.
        guard let issuer = issuers.firstIndex(where: { $0.name.hasSameBytes(as: claims.iss) }) else {
            throw .claim("iss", came: claims.iss.quoted, wanted: Self.list(issuers.map(\.name)))
        }
        try checkAudience(claims, issuers[issuer].audiences)
        guard case .text(let text) = claims.uid, let uid = User.UID(text) else {
            throw .claim(
                uidClaim, came: claims.uid.description,
                wanted: "1 to 128 characters, none of them for control")
        }
        try Self.checkTime("iat", claims.iat, now)
        try Self.checkTime("nbf", claims.nbf, now)
        try Self.checkTime("auth_time", claims.authTime, now)
        return (IDToken(uid: uid, expiresAt: claims.exp.date), issuer)
    }

    /// Checks that one audience of the token is ours, which is enough (RFC 7519 §4.1.3). A token for several
    /// APIs names the client in `azp`, as does one that Google gives an app for its backend.
    private func checkAudience(_ claims: TokenClaims, _ ours: [String]) throws(IDTokenError) {
        let named: [String] =
            switch audienceClaim {
            case .aud: claims.aud ?? []
            case .azp: claims.azp.map { [$0] } ?? []
            case .clientID: claims.clientID.map { [$0] } ?? []
            }
        guard named.contains(where: { name in ours.contains { $0.hasSameBytes(as: name) } }) else {
            throw .claim(
                audienceClaim.rawValue, came: claims.recipients(by: audienceClaim), wanted: Self.list(ours))
        }
    }

    private static func checkTime(_ name: String, _ time: TokenClaims.NumericDate?, _ now: Date)
        throws(IDTokenError)
    {
        guard let time, time.date > now + leeway else { return }
        throw .claim(
            name, came: JSON.timestamp(time.date), wanted: "no later than \(JSON.timestamp(now + leeway))")
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(5).map(\.quoted).joined(separator: " or ")
    }
}
