import Kernel

/// Reads the settings of identity providers.
extension AuthConfig {
    init(_ settings: EnvironmentReader) {
        self.init(firebaseProject: settings.text("KITH_FIREBASE_PROJECT"))
        let standard = effective
        func text(_ name: String, _ standard: String?) -> String? {
            settings.value(
                name, default: standard, shown: standard ?? "–", SettingReading<String>.any.optional)
        }
        jwks = text("KITH_AUTH_JWKS", standard.jwks)
        issuer = text("KITH_AUTH_ISSUER", standard.issuer)
        audience = text("KITH_AUTH_AUDIENCE", standard.audience)
        audienceClaim = settings.value(
            "KITH_AUTH_AUDIENCE_CLAIM", default: audienceClaim, shown: audienceClaim.rawValue,
            SettingReading("aud, azp or client_id") { AudienceClaim(rawValue: $0) })
        uidClaim = settings.value(
            "KITH_AUTH_UID_CLAIM", default: nil, shown: "sub",
            SettingReading<String>("the name of a claim that says who somebody is, as sub") {
                Self.ofNobody.contains($0) || $0.contains(where: \.isWhitespace) ? nil : $0
            }
            .optional)
    }

    /// Claims that cannot be a uid, because many users share them, or they change with each token.
    private static let ofNobody = [
        "iss", "aud", "azp", "client_id", "exp", "iat", "nbf", "auth_time", "jti", "nonce",
    ]
}
