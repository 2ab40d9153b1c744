import Crypto
import Foundation
import HTTPTypes
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Every kind of token that must be refused, and those that must be accepted.
@Suite struct TokenVerifierTests {
    typealias Make = @Sendable (TokenForge) throws -> String

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let error: IDTokenError?
        let make: Make

        init(_ name: String, _ error: IDTokenError?, _ make: @escaping Make) {
            (self.name, self.error, self.make) = (name, error, make)
        }

        /// A token that is valid but for these claims.
        init(_ name: String, _ error: IDTokenError?, claims: [String: String?]) {
            self.init(name, error) { try $0.token(claims: claims) }
        }

        var testDescription: String { name }
    }

    static func sub(_ came: String) -> IDTokenError {
        .claim("sub", came: came, wanted: "1 to 128 characters, none of them for control")
    }

    func check(_ test: Case, _ config: AuthConfig? = nil) async throws {
        let forge = try await TokenForge()
        let provider = FakeProvider(forge.jwks)
        let verifier = try config.map(provider.verifier) ?? provider.verifier()
        let token = try test.make(forge)
        if let error = test.error {
            await #expect(throws: error) { try await verifier.token(token) }
        } else {
            _ = try await verifier.token(token)
        }
    }

    @Test(arguments: [
        Case("RS256", nil) { try $0.token() },
        Case("ES256", nil) { try $0.token(TokenForge.ecHeader, by: $0.ec) },
        Case("a key in the header is not looked at", nil) {
            try $0.token(
                #"{"alg":"RS256","kid":"rsa","jku":"https://evil.example","jwk":{},"x5c":["x"],"x5u":"x"}"#)
        },
        Case(
            "exactly 128 characters of sub", nil,
            claims: ["sub": #""\#(String(repeating: "é", count: 128))""#]),
        Case("aud: an array of ours", nil, claims: ["aud": #"["kith"]"#]),
        Case("aud: several, azp ours", nil, claims: ["aud": #"["kith","other"]"#, "azp": #""kith""#]),
        Case("aud: several, no azp", nil, claims: ["aud": #"["other","kith"]"#]),
        Case("aud: several, azp another", nil, claims: ["aud": #"["kith","other"]"#, "azp": #""other""#]),
        Case("an access token", nil) { try $0.token(#"{"alg":"RS256","kid":"rsa","typ":"at+jwt"}"#) },
        Case("an access token, with its whole media type", nil) {
            try $0.token(#"{"alg":"RS256","kid":"rsa","typ":"application/at+jwt"}"#)
        },
        Case("no kid, and one key for RS256", nil) { try $0.token(#"{"alg":"RS256"}"#) },
        Case("no kid, and one key for ES256", nil) { try $0.token(#"{"alg":"ES256"}"#, by: $0.ec) },
        Case("ES384", nil) { try $0.token(#"{"alg":"ES384","kid":"p384"}"#, by: $0.p384) },
        Case("EdDSA", nil) { try $0.token(#"{"alg":"EdDSA","kid":"ed"}"#, by: $0.ed) },
        Case("EdDSA by the name of its curve", nil) {
            try $0.token(#"{"alg":"Ed25519","kid":"ed"}"#, by: $0.ed)
        },
        Case("expired within the leeway", nil, claims: ["exp": "1999999941"]),
        Case("issued within the leeway", nil, claims: ["iat": "2000000060"]),
        Case(
            "times with fractions", nil,
            claims: ["iat": "1999999999.5", "exp": "2.0000036e9", "nbf": "1999999999"]),
        Case(
            "claims that mean nothing to us", nil,
            claims: ["firebase": #"{"identities":{"a":["b"]}}"#, "n": "null"]),
    ])
    func `a valid token is accepted`(_ test: Case) async throws {
        try await check(test)
    }

    @Test(arguments: [
        Case("empty", .malformed("not three parts")) { _ in "" },
        Case("two parts", .malformed("not three parts")) {
            String(try $0.token().split(separator: ".").dropLast().joined(separator: "."))
        },
        Case("four parts", .malformed("not three parts")) { try $0.token() + ".AA" },
        Case("a line feed at the end", .malformed("signature: not base64url")) { try $0.token() + "\n" },
        Case("a letter at the end", .signature) { try $0.token() + "AA" },
        Case("padding", .malformed("signature: not base64url")) { try $0.token() + "==" },
        Case("more than 8 KiB", .malformed("longer than 8 KiB")) {
            try $0.token(claims: ["x": #""\#(String(repeating: "x", count: 6500))""#])
        },
        Case("header no JSON", .malformed("header: is not valid JSON: a value must stand here")) {
            try $0.token("hello")
        },
        Case("no alg", .malformed("header: alg")) { try $0.token(#"{"kid":"rsa"}"#) },
        Case("alg a number", .malformed("header: alg")) { try $0.token(#"{"kid":"rsa","alg":256}"#) },
        Case("empty kid", .malformed("header: kid")) { try $0.token(#"{"alg":"RS256","kid":""}"#) },
        Case("kid a number", .malformed("header: kid")) { try $0.token(#"{"alg":"RS256","kid":1}"#) },
        Case("crit", .malformed("header: crit")) {
            try $0.token(#"{"alg":"RS256","kid":"rsa","crit":["b64"],"b64":false}"#)
        },
        Case("a logout token", .claim("typ", came: #""logout+jwt""#, wanted: "JWT or at+jwt")) {
            try $0.token(#"{"alg":"RS256","kid":"rsa","typ":"logout+jwt"}"#)
        },
        Case("alg twice", .malformed("header: `alg` is given twice")) {
            try $0.token(#"{"alg":"RS256","kid":"rsa","alg":"none"}"#)
        },
        Case("sub twice, once escaped", .malformed("payload: `sub` is given twice")) {
            try $0.token(TokenForge.header, TokenForge.claims().dropLast() + #","s\u0075b":"mallory"}"#)
        },
        Case("UTF-16", .malformed("payload: is not valid JSON: a name in quotes must stand here")) { forge in
            let payload = Data(#"{"sub":"x"}"#.utf8.flatMap { [$0, 0] })
            let signed = Data(TokenForge.header.utf8).base64URL + "." + payload.base64URL
            return signed + "." + (try forge.rsa(Data(signed.utf8))).base64URL
        },
        Case(
            "something after the payload", .malformed("payload: is not valid JSON: something follows the end")
        ) {
            try $0.token(TokenForge.header, TokenForge.claims() + "{}")
        },
    ])
    func `a malformed token is refused`(_ test: Case) async throws {
        try await check(test)
    }

    @Test func `another encoding of the same bytes is refused`() async throws {
        let forge = try await TokenForge()
        let token = try forge.token()
        let signature = try #require(token.split(separator: ".").last)
        // Foundation's decoder is not strict. 342 characters need two of padding.
        func bytes(_ text: Substring) -> Data? {
            Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + "==")
        }
        // 256 bytes leave 4 bits of the last character unused: 15 other characters mean the same bytes.
        let twins = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            .map { signature.dropLast() + String($0) }
            .filter { $0 != signature && bytes($0) == bytes(signature) }
        #expect(twins.count == 15)
        let verifier = try FakeProvider(forge.jwks).verifier()
        for twin in twins {
            await #expect(throws: IDTokenError.malformed("signature: not base64url")) {
                try await verifier.token(String(token.dropLast(signature.count)) + twin)
            }
        }
    }

    @Test(arguments: [
        Case("alg none", .algorithm("none")) { _ in
            Data(#"{"alg":"none","kid":"rsa"}"#.utf8).base64URL + "."
                + Data(TokenForge.claims().utf8).base64URL
                + "."
        },
        Case("HS256 with the public key as the secret", .algorithm("HS256")) {
            try $0.token(#"{"alg":"HS256","kid":"rsa"}"#) {
                Data(
                    HMAC<SHA256>.authenticationCode(
                        for: $0, using: SymmetricKey(data: Data(TestKeys.rsaModulus.utf8))))
            }
        },
        Case("HS256 without a kid", .algorithm("HS256")) { try $0.token(#"{"alg":"HS256","kid":7}"#) },
        Case("an EdDSA key's id with ES256", .unknownKey("ed")) {
            try $0.token(#"{"alg":"ES256","kid":"ed"}"#, by: $0.ed)
        },
        Case("an EdDSA signature as ES256", .signature) { try $0.token(TokenForge.ecHeader, by: $0.ed) },
        Case("an ES256 signature as EdDSA", .signature) {
            try $0.token(#"{"alg":"EdDSA","kid":"ed"}"#, by: $0.ec)
        },
        Case("a P-384 key's id with ES256", .unknownKey("p384")) {
            try $0.token(#"{"alg":"ES256","kid":"p384"}"#, by: $0.p384)
        },
        Case("EdDSA of zeros", .signature) {
            try $0.token(#"{"alg":"EdDSA","kid":"ed"}"#) { _ in Data(count: 64) }
        },
        Case("PS256", .algorithm("PS256")) { try $0.token(#"{"alg":"PS256","kid":"rsa"}"#) },
        Case("alg in lower case", .algorithm("rs256")) { try $0.token(#"{"alg":"rs256","kid":"rsa"}"#) },
        Case("a kid nobody has", .unknownKey("none")) { try $0.token(#"{"alg":"RS256","kid":"none"}"#) },
        Case("an RSA key's id with ES256", .unknownKey("rsa")) {
            try $0.token(#"{"alg":"ES256","kid":"rsa"}"#, by: $0.ec)
        },
        Case("an EC key's id with RS256", .unknownKey("ec")) { try $0.token(#"{"alg":"RS256","kid":"ec"}"#) },
        Case("another's RSA key", .signature) { try $0.token(by: $0.otherRSA) },
        Case("ES256, another's key", .signature) { forge in
            let key = P256.Signing.PrivateKey()
            return try forge.token(TokenForge.ecHeader) { try key.signature(for: $0).rawRepresentation }
        },
        Case("ES256 in DER", .signature) { forge in
            try forge.token(TokenForge.ecHeader) {
                try P256.Signing.ECDSASignature(rawRepresentation: forge.ec($0)).derRepresentation
            }
        },
        Case("ES256 of zeros", .signature) { try $0.token(TokenForge.ecHeader) { _ in Data(count: 64) } },
        Case("no signature", .signature) { try $0.token { _ in Data() } },
        Case("one bit of the signature", .signature) { forge in
            try forge.token {
                var signature = try forge.rsa($0)
                signature[100] ^= 1
                return signature
            }
        },
        Case("another payload under a good signature", .signature) {
            let parts = try $0.token().split(separator: ".")
            return "\(parts[0]).\(Data(TokenForge.claims(["sub": #""mallory""#]).utf8).base64URL).\(parts[2])"
        },
    ])
    func `a token that the provider did not sign is refused`(_ test: Case) async throws {
        try await check(test)
    }

    @Test func `a valid signature of a 1024-bit key is refused`() async throws {
        let keys = TokenForge.jwks(TokenForge.jwk, TokenForge.jwk(rsa: TestKeys.weakModulus, kid: "weak"))
        await #expect(throws: IDTokenError.unknownKey("weak")) {
            try await FakeProvider(keys).verifier().token(TestKeys.weakToken)
        }
    }

    @Test(arguments: [
        Case("expired", .expired, claims: ["exp": "1999999940"]),
        Case("no exp", .malformed("payload: exp"), claims: ["exp": nil]),
        Case("exp a string", .malformed("payload: exp"), claims: ["exp": #""2000003600""#]),
        Case("exp true", .malformed("payload: exp"), claims: ["exp": "true"]),
        Case(
            "issued in the future",
            .claim("iat", came: "2033-05-18T03:34:21.000Z", wanted: "no later than 2033-05-18T03:34:20.000Z"),
            claims: ["iat": "2000000061"]),
        Case("no iat", .malformed("payload: iat"), claims: ["iat": nil]),
        Case(
            "not yet valid",
            .claim("nbf", came: "2033-05-18T03:34:21.000Z", wanted: "no later than 2033-05-18T03:34:20.000Z"),
            claims: ["nbf": "2000000061"]),
        Case(
            "logged in in the future",
            .claim(
                "auth_time", came: "2033-05-18T03:34:21.000Z",
                wanted: "no later than 2033-05-18T03:34:20.000Z"), claims: ["auth_time": "2000000061"]),
        Case(
            "another issuer",
            .claim("iss", came: #""https://evil.example""#, wanted: #""https://id.example.com""#),
            claims: ["iss": #""https://evil.example""#]),
        Case(
            "an issuer with a slash more",
            .claim("iss", came: #""https://id.example.com/""#, wanted: #""https://id.example.com""#),
            claims: ["iss": #""https://id.example.com/""#]),
        Case(
            "another audience", .claim("aud", came: #""kith2""#, wanted: #""kith""#),
            claims: ["aud": #""kith2""#]),
        Case("no audience", .claim("aud", came: "missing", wanted: #""kith""#), claims: ["aud": nil]),
        Case("aud null", .claim("aud", came: "missing", wanted: #""kith""#), claims: ["aud": "null"]),
        Case("an empty audience", .claim("aud", came: #""""#, wanted: #""kith""#), claims: ["aud": #""""#]),
        Case(
            "an empty array of audiences", .claim("aud", came: "[]", wanted: #""kith""#),
            claims: ["aud": "[]"]),
        Case("a list in a list of audiences", .malformed("payload: aud"), claims: ["aud": #"[["kith"]]"#]),
        Case("an audience in an object", .malformed("payload: aud"), claims: ["aud": #"{"kith":"kith"}"#]),
        Case(
            "ours in another letter K", .claim("aud", came: "\"\u{212A}ith\"", wanted: #""kith""#),
            claims: ["aud": "\"\u{212A}ith\""]),
        Case(
            "audiences not ours, azp ours",
            .claim("aud", came: #"["a", "b"] (azp "kith")"#, wanted: #""kith""#),
            claims: ["aud": #"["a","b"]"#, "azp": #""kith""#]),
        Case("no sub", sub("missing"), claims: ["sub": nil]),
        Case("sub a number", sub("no text"), claims: ["sub": "7"]),
        Case("sub null", sub("no text"), claims: ["sub": "null"]),
        Case("empty sub", sub("a text of 0 characters"), claims: ["sub": #""""#]),
        Case(
            "129 characters of sub", sub("a text of 129 characters"),
            claims: ["sub": #""\#(String(repeating: "a", count: 129))""#]),
        Case(
            "a NUL in sub", .malformed("payload: `sub` holds a NUL"), claims: ["sub": #""a\u0000b""#]),
        Case(
            "half a surrogate pair in sub",
            .malformed("payload: `sub` holds half of a surrogate pair"),
            claims: ["sub": #""a\ud800""#]),
    ])
    func `a token with wrong claims is refused`(_ test: Case) async throws {
        try await check(test)
    }

    @Test func `a client learns only the 401`() async throws {
        let forge = try await TokenForge()
        let verifier = try FakeProvider(forge.jwks).verifier()
        let problem = try await #require(throws: Problem.self) { try await verifier.verify("a.b.c") }
        #expect(problem.status == .unauthorized)
        #expect(problem.code == "token_invalid")
    }

    @Test func `a token gives its uid and when it expires`() async throws {
        let forge = try await TokenForge()
        let token = try await FakeProvider(forge.jwks).verifier().verify(forge.token())
        #expect(token.uid.text == "alice")
        #expect(token.expiresAt == TokenForge.now + 3600)
    }
}
