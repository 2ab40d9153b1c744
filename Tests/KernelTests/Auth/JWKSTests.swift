import Foundation
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

@Suite struct JWKSTests {
    struct Document: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bad: String

        init(_ name: String, _ bad: String) {
            (testDescription, self.bad) = (name, bad)
        }
    }

    @Test(arguments: [
        Document("no object", "null"),
        Document("an empty kid", #"{"kty":"RSA","kid":"","n":"\#(TestKeys.rsaModulus)","e":"AQAB"}"#),
        Document("Ed448", #"{"kty":"OKP","crv":"Ed448","kid":"bad","x":"\#(zeros)"}"#),
        Document("X25519", #"{"kty":"OKP","crv":"X25519","kid":"bad","x":"\#(zeros)"}"#),
        Document("a short point of Ed25519", #"{"kty":"OKP","crv":"Ed25519","kid":"bad","x":"AAAA"}"#),
        Document(
            "ES256 for a P-384 key",
            #"{"kty":"EC","crv":"P-384","kid":"bad","alg":"ES256","x":"\#(zeros)","y":"\#(zeros)"}"#),
        Document("1024 bits", TokenForge.jwk(rsa: TestKeys.weakModulus, kid: "bad")),
        Document("an exponent of 1", #"{"kty":"RSA","kid":"bad","n":"\#(TestKeys.rsaModulus)","e":"AQ"}"#),
        Document("no modulus", #"{"kty":"RSA","kid":"bad","e":"AQAB"}"#),
        Document("a shared secret", #"{"kty":"oct","kid":"bad","alg":"HS256","k":"AAAA"}"#),
        Document(
            "for encryption",
            TokenForge.jwk(rsa: TestKeys.rsaModulus, kid: "bad").replacing("sig", with: "enc")),
        Document(
            "another algorithm",
            TokenForge.jwk(rsa: TestKeys.rsaModulus, kid: "bad", more: #","alg":"RS512""#)),
        Document("an EC key's numbers as RSA", #"{"kty":"RSA","kid":"bad","crv":"P-256","x":"AA","y":"AA"}"#),
        Document(
            "an RSA key's numbers as EC", #"{"kty":"EC","crv":"P-256","kid":"bad","n":"AA","e":"AQAB"}"#),
        Document(
            "RS256 for an EC key", #"{"kty":"EC","crv":"P-256","kid":"bad","alg":"RS256","x":"AA","y":"AA"}"#),
        Document(
            "a point off the curve",
            #"{"kty":"EC","crv":"P-256","kid":"bad","x":"\#(zeros)","y":"\#(zeros)"}"#),
        Document("P-384", #"{"kty":"EC","crv":"P-384","kid":"bad","x":"\#(zeros)","y":"\#(zeros)"}"#),
        Document("n a number", #"{"kty":"RSA","kid":"bad","n":7,"e":"AQAB"}"#),
    ])
    func `an invalid key does not spoil a valid one`(_ document: Document) async throws {
        let keys = try await JWKS(jwks: TokenForge.jwks(document.bad, TokenForge.jwk, document.bad))
        #expect(keys.contains(KeyID(kid: "rsa", algorithm: .rs256)))
        for algorithm in SignatureAlgorithm.allCases {
            #expect(!keys.contains(KeyID(kid: "bad", algorithm: algorithm)))
        }
        await #expect(throws: JWKS.NoUsableKey.self) { try await JWKS(jwks: TokenForge.jwks(document.bad)) }
    }

    private static let zeros = Data(count: 32).base64URL

    @Test func `a token may be signed by either of two keys with the same id`() async throws {
        let forge = try await TokenForge()
        let keys = try await JWKS(
            jwks: TokenForge.jwks(
                TokenForge.jwk, TokenForge.jwk(rsa: TestKeys.otherRSAModulus, kid: "rsa"),
                forge.ecJWK(kid: "rsa")))
        #expect(try keys.verifies(JWS(forge.token())))
        #expect(try keys.verifies(JWS(forge.token(by: forge.otherRSA))))
        #expect(try keys.verifies(JWS(forge.token(#"{"alg":"ES256","kid":"rsa"}"#, by: forge.ec))))
        #expect(try !keys.verifies(JWS(forge.token(by: forge.ec))))
    }

    @Test func `a token without an id is signed by the one key for its algorithm, if there is exactly one`()
        async throws
    {
        let forge = try await TokenForge()
        let token = try JWS(forge.token(#"{"alg":"RS256"}"#))
        let ed = try JWS(forge.token(#"{"alg":"EdDSA"}"#, by: forge.ed))
        let nameless = #"{"kty":"RSA","n":"\#(TestKeys.rsaModulus)","e":"AQAB"}"#
        let other = TokenForge.jwk(rsa: TestKeys.otherRSAModulus, kid: "other")
        func keys(_ keys: String...) async throws -> JWKS {
            try await JWKS(jwks: Data(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
        }
        for one in [TokenForge.jwk, nameless] {
            #expect(try await keys(one, forge.edJWK(), forge.ecJWK()).verifies(token))
            #expect(try await keys(one, forge.edJWK(kid: nil)).verifies(ed))
            let two = try await keys(one, other)
            #expect(!two.verifies(token) && !two.contains(token.key))
        }
        #expect(try await !keys(other).verifies(token))
        // A token that names a key is signed by no other, even if that is the only one.
        #expect(try await !keys(nameless).verifies(JWS(forge.token())))
    }

    @Test func `the public half of a private key is used`() async throws {
        let jwk = TokenForge.jwk(
            rsa: TestKeys.rsaModulus, kid: "rsa", more: #","d":"AQAB","p":"AA","q":"AA""#)
        let forge = try await TokenForge()
        #expect(try await JWKS(jwks: TokenForge.jwks(jwk)).verifies(JWS(forge.token())))
    }
}
