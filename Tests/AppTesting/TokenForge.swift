import Crypto
import Foundation
import JWTKit

@testable import Kernel
@testable import Web

/// Makes tokens as a provider or an attacker would: any header, any payload, any signature.
struct TokenForge: Sendable {
    static let now = Date(timeIntervalSince1970: 2_000_000_000)
    static let issuer = "https://id.example.com"
    static let audience = "kith"

    typealias Signer = @Sendable (Data) throws -> Data

    let rsa: Signer
    let otherRSA: Signer
    let ec: Signer
    let p384: Signer
    let ed: Signer
    private let ecKey: P256.Signing.PrivateKey
    private let p384Key = P384.Signing.PrivateKey()
    private let edKey = Curve25519.Signing.PrivateKey()

    init() async throws {
        rsa = try await Self.signer(TestKeys.rsa)
        otherRSA = try await Self.signer(TestKeys.otherRSA)
        let key = P256.Signing.PrivateKey()
        ecKey = key
        ec = { try key.signature(for: $0).rawRepresentation }
        let (p384Key, edKey) = (p384Key, edKey)
        p384 = { try p384Key.signature(for: $0).rawRepresentation }
        ed = { try edKey.signature(for: $0) }
    }

    private static func signer(_ pem: String) async throws -> Signer {
        let key = try Insecure.RSA.PrivateKey(pem: pem)
        let keys = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256, kid: "any")
        let algorithm = try await keys.getKey(for: "any")
        return { Data(try algorithm.sign($0)) }
    }
}

extension TokenForge {
    static let header = #"{"alg":"RS256","kid":"rsa","typ":"JWT"}"#
    static let ecHeader = #"{"alg":"ES256","kid":"ec"}"#

    /// Valid claims for `alice`, with some replaced by this JSON or left out.
    static func claims(_ changes: [String: String?] = [:]) -> String {
        var claims: [String: String] = [
            "iss": #""\#(issuer)""#, "aud": #""\#(audience)""#, "sub": #""alice""#, "iat": "2000000000",
            "exp": "2000003600",
        ]
        for (name, value) in changes { claims[name] = value }
        return "{"
            + claims.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
            + "}"
    }

    func token(_ header: String = Self.header, _ payload: String = Self.claims(), by signer: Signer? = nil)
        throws -> String
    {
        let signed = Data(header.utf8).base64URL + "." + Data(payload.utf8).base64URL
        return signed + "." + (try (signer ?? rsa)(Data(signed.utf8))).base64URL
    }

    func token(claims changes: [String: String?]) throws -> String {
        try token(Self.header, Self.claims(changes))
    }
}

extension TokenForge {
    static func jwk(rsa modulus: String, kid: String, more: String = "") -> String {
        #"{"kty":"RSA","use":"sig","kid":"\#(kid)","n":"\#(modulus)","e":"AQAB"\#(more)}"#
    }

    static let jwk = jwk(rsa: TestKeys.rsaModulus, kid: "rsa")

    func ecJWK(kid: String = "ec", curve: String = "P-256") -> String {
        let point = ecKey.publicKey.rawRepresentation
        return #"{"kty":"EC","crv":"\#(curve)","kid":"\#(kid)","alg":"ES256","#
            + #""x":"\#(point.prefix(32).base64URL)","y":"\#(point.suffix(32).base64URL)"}"#
    }

    var p384JWK: String {
        let point = p384Key.publicKey.rawRepresentation
        return #"{"kty":"EC","crv":"P-384","kid":"p384","use":"sig","#
            + #""x":"\#(point.prefix(48).base64URL)","y":"\#(point.suffix(48).base64URL)"}"#
    }

    /// As better-auth publishes it, unless it is to have no id.
    func edJWK(kid: String? = "ed") -> String {
        #"{"alg":"EdDSA","crv":"Ed25519","kty":"OKP","x":"\#(edKey.publicKey.rawRepresentation.base64URL)""#
            + (kid.map { #","kid":"\#($0)""# } ?? "") + "}"
    }

    static func jwks(_ keys: String...) -> Data {
        Data(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
    }

    var jwks: Data { Self.jwks(Self.jwk, ecJWK(), p384JWK, edJWK()) }
}

extension IDTokenError {
    /// Of a token whose algorithm Kith takes from nobody.
    static func algorithm(_ name: String) -> Self { .algorithm(name, wanted: SignatureAlgorithm.names()) }
}
