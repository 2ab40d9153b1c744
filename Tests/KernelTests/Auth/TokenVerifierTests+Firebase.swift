import Crypto
import Foundation
import Testing

@testable import AppTesting
@testable import Kernel

/// Tokens of Firebase.
extension TokenVerifierTests {
    static let firebase = AuthConfig(jwks: "https://id.example.com/jwks", firebaseProject: "demo")

    @Test(arguments: [
        Case("an ID token", nil, claims: firebaseClaims()),
        Case("ES256", .algorithm("ES256", wanted: "RS256")) {
            try $0.token(TokenForge.ecHeader, TokenForge.claims(firebaseClaims()), by: $0.ec)
        },
        Case(
            "a session cookie",
            .claim("iss", came: #""https://session.firebase.google.com/demo""#, wanted: issuer),
            claims: firebaseClaims(["iss": #""https://session.firebase.google.com/demo""#])),
        Case(
            "another project", .claim("aud", came: #""demo2""#, wanted: #""demo""#),
            claims: firebaseClaims(["aud": #""demo2""#])),
        Case("a custom token", .claim("iss", came: #""https://id.example.com""#, wanted: issuer)) {
            let audience =
                #""https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit""#
            return try $0.token(
                #"{"alg":"RS256","typ":"JWT"}"#, TokenForge.claims(["aud": audience, "uid": #""alice""#]))
        },
    ])
    func `only ID tokens of Firebase are accepted`(_ test: Case) async throws {
        try await check(test, Self.firebase)
    }

    private static let issuer = #""https://securetoken.google.com/demo""#

    private static func firebaseClaims(_ changes: [String: String?] = [:]) -> [String: String?] {
        ["iss": #""https://securetoken.google.com/demo""#, "aud": #""demo""#, "auth_time": "1999990000"]
            .merging(changes) { $1 }
    }
}
