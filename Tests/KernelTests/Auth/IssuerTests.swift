import Foundation
import HTTPTypes
import Logging
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Several issuers, the claims that say who somebody is and for whom a token is, and what the log says of a
/// refusal.
@Suite struct IssuerTests {
    private static let (one, other) = ("https://one.example", "https://other.example")

    private func config(_ change: (inout AuthConfig) -> Void = { _ in }) -> AuthConfig {
        var config = AuthConfig(
            jwks: "\(Self.one)/jwks,\(Self.other)/jwks", issuer: "\(Self.one),\(Self.other)",
            audience: "kith;ios,android")
        config.uidClaim = "sub"
        change(&config)
        return config
    }

    /// The first issuer has the RSA key, the second that for EdDSA, both with the same id.
    private func verifier(
        _ config: AuthConfig, _ forge: TokenForge, _ logger: Logger = FakeProvider.silence
    ) throws -> TokenVerifier {
        var world = World.live
        world.now = { TokenForge.now }
        let ed = TokenForge.jwks(forge.edJWK(kid: "key"))
        world.fetch = HTTPFetch { url in
            let rsa = TokenForge.jwks(TokenForge.jwk(rsa: TestKeys.rsaModulus, kid: "key"))
            return HTTPFetch.Answer(status: 200, body: url.host == "one.example" ? rsa : ed)
        }
        return try TokenVerifier(config, world: world, logger: logger)
    }

    private static let (rsa, ed) = (#"{"alg":"RS256","kid":"key"}"#, #"{"alg":"EdDSA","kid":"key"}"#)

    private static func claims(_ issuer: String, _ audience: String, _ more: [String: String?] = [:])
        -> String
    {
        TokenForge.claims(["iss": #""\#(issuer)""#, "aud": audience].merging(more) { $1 })
    }

    @Test func `each issuer has keys and audiences of its own`() async throws {
        let forge = try await TokenForge()
        let verifier = try verifier(config(), forge)
        let good = [
            try forge.token(Self.rsa, Self.claims(Self.one, #""kith""#)),
            try forge.token(Self.ed, Self.claims(Self.other, #""android""#), by: forge.ed),
            try forge.token(Self.ed, Self.claims(Self.other, #"["api","ios"]"#), by: forge.ed),
        ]
        for token in good {
            for _ in 0..<2 { #expect(try await verifier.token(token).uid.text == "alice") }
        }
        // A key of one with the name of the other, signed well.
        await #expect(throws: IDTokenError.unknownKey("key")) {
            try await verifier.token(forge.token(Self.ed, Self.claims(Self.one, #""kith""#), by: forge.ed))
        }
        await #expect(throws: IDTokenError.unknownKey("key")) {
            try await verifier.token(forge.token(Self.rsa, Self.claims(Self.other, #""ios""#)))
        }
        // An audience of one with the name and key of the other.
        await #expect(throws: IDTokenError.claim("aud", came: #""kith""#, wanted: #""ios" or "android""#)) {
            try await verifier.token(forge.token(Self.ed, Self.claims(Self.other, #""kith""#), by: forge.ed))
        }
        await #expect(throws: IDTokenError.claim("aud", came: #""ios""#, wanted: #""kith""#)) {
            try await verifier.token(forge.token(Self.rsa, Self.claims(Self.one, #""ios""#)))
        }
        await #expect(
            throws: IDTokenError.claim(
                "iss", came: #""https://third.example""#, wanted: #""\#(Self.one)" or "\#(Self.other)""#)
        ) {
            try await verifier.token(forge.token(Self.rsa, Self.claims("https://third.example", #""kith""#)))
        }
    }

    @Test func `one set of keys may be of all issuers, as with Google's two names`() async throws {
        let forge = try await TokenForge()
        let config = config {
            $0.issuer = "https://accounts.google.com,accounts.google.com"
            ($0.jwks, $0.audience) = ("\(Self.one)/jwks", "cid")
        }
        let verifier = try verifier(config, forge)
        for name in ["https://accounts.google.com", "accounts.google.com"] {
            _ = try await verifier.token(forge.token(Self.rsa, Self.claims(name, #""cid""#)))
        }
    }

    @Test func `two issuers do not give two people one uid, unless the operator says that they are one`()
        async throws
    {
        let forge = try await TokenForge()
        #expect(throws: AuthConfigError.self) { try verifier(config { $0.uidClaim = nil }, forge) }
        let both = try verifier(config { $0.uidClaim = "person" }, forge)
        // The same `sub` of both.
        var uids: [String] = []
        for (header, issuer, audience, signer, person) in [
            (Self.rsa, Self.one, #""kith""#, forge.rsa, "one|alice"),
            (Self.ed, Self.other, #""ios""#, forge.ed, "other|alice"),
        ] {
            let claims = Self.claims(issuer, audience, ["person": #""\#(person)""#])
            uids.append(try await both.token(forge.token(header, claims, by: signer)).uid.text)
        }
        #expect(uids == ["one|alice", "other|alice"])
    }

    @Test(
        arguments: [
            (#""u-7""#, nil), (#""https://acme.example/花""#, nil), (nil, "missing"), ("7", "no text"),
            ("null", "no text"), (#"["u-7"]"#, "no text"), (#"{"id":"u-7"}"#, "no text"),
            (#""""#, "a text of 0 characters"), (#""a\u0007""#, "a text of 2 characters"),
            ("\"" + String(repeating: "a", count: 129) + "\"", "a text of 129 characters"),
        ] as [(String?, String?)])
    func `the claim that is the uid must be a text that can be one`(value: String?, came: String?)
        async throws
    {
        let forge = try await TokenForge()
        let name = "https://acme.example/uid"
        let verifier = try verifier(config { $0.uidClaim = name }, forge)
        let token = try forge.token(Self.rsa, Self.claims(Self.one, #""kith""#, [name: value]))
        if let came {
            let error = IDTokenError.claim(
                name, came: came, wanted: "1 to 128 characters, none of them for control")
            await #expect(throws: error) { try await verifier.token(token) }
        } else {
            let uid = try await verifier.token(token).uid.text
            #expect(#""\#(uid)""# == value)
        }
    }

    @Test(
        arguments: [
            (AuthConfig.AudienceClaim.azp, ["azp": #""kith""#, "aud": nil], nil),
            (.azp, ["azp": #""kith""#, "aud": #""https://api.example""#], nil),
            (.azp, ["aud": #""kith""#], #"azp is missing (aud "kith"), wanted "kith""#),
            (.azp, ["azp": #""evil""#, "aud": #""kith""#], #"azp is "evil" (aud "kith"), wanted "kith""#),
            (.clientID, ["client_id": #""kith""#, "aud": nil], nil),
            (
                .clientID, ["client_id": "7", "aud": #""kith""#],
                #"client_id is missing (aud "kith"), wanted "kith""#
            ),
            (
                .aud, ["client_id": #""kith""#, "aud": nil],
                #"aud is missing (client_id "kith"), wanted "kith""#
            ),
        ] as [(AuthConfig.AudienceClaim, [String: String?], String?)])
    func `for whom a token is says the claim that the operator names, and no other`(
        claim: AuthConfig.AudienceClaim, claims: [String: String?], refusal: String?
    ) async throws {
        let forge = try await TokenForge()
        let verifier = try verifier(config { $0.audienceClaim = claim }, forge)
        let token = try forge.token(
            Self.rsa, TokenForge.claims(["iss": #""\#(Self.one)""#].merging(claims) { $1 }))
        if let refusal {
            let error = try await #require(throws: IDTokenError.self) { try await verifier.token(token) }
            #expect(error.description == refusal)
        } else {
            _ = try await verifier.token(token)
        }
    }

    @Test func `the log says what came and what was wanted, and no client does`() async throws {
        let (forge, lines) = (try await TokenForge(), LogLines())
        let verifier = try verifier(config(), forge, lines.logger)
        let hs = try forge.token(#"{"alg":"HS256","typ":"JWT"}"#, Self.claims(Self.one, #""kith""#))
        let aud = try forge.token(
            Self.rsa, Self.claims(Self.one, #"["https://api.acme.com"]"#, ["azp": #""CID_IOS""#]))
        let kid = try forge.token(#"{"alg":"RS256","kid":"k-9"}"#, Self.claims(Self.one, #""kith""#))
        var details: Set<String> = []
        for token in [hs, aud, kid] {
            let problem = try await #require(throws: Problem.self) { try await verifier.verify(token) }
            details.insert(problem.detail)
        }
        #expect(details == [Problem.tokenInvalid.detail])
        let told = lines.all.filter { $0.contains("token refused") }.joined(separator: "\n")
        for reason in [
            #"alg is "HS256", wanted RS256, ES256, ES384, EdDSA; a shared secret could also issue tokens"#,
            #"aud is "https://api.acme.com" (azp "CID_IOS"), wanted "kith""#,
            #"kid is "k-9", which is no key of the issuer for this alg"#,
        ] {
            #expect(told.contains(reason), "\(told)")
        }
        #expect(!told.contains("alice") && !told.contains(hs))
    }

    @Test func `of tokens that are refused for one reason the log has one line in ten seconds`() async throws
    {
        let (forge, lines) = (try await TokenForge(), LogLines())
        let verifier = try verifier(config(), forge, lines.logger)
        for _ in 0..<20 {
            for token in [
                "a.b.c", try forge.token(#"{"alg":"HS256","typ":"JWT"}"#, Self.claims(Self.one, #""kith""#)),
            ] {
                await #expect(throws: Problem.self) { try await verifier.verify(token) }
            }
        }
        #expect(lines.all.filter { $0.contains("token refused") }.count == 2, "\(lines.all)")
    }

    @Test func `a token whose key may be new is a 503 that says when, and counts as one without a token`()
        async throws
    {
        let forge = try await TokenForge()
        let provider = FakeProvider(forge.jwks)
        let verifier = try provider.verifier()
        _ = try await verifier.verify(forge.token())
        provider.advance(.seconds(15))
        let token = try forge.token(#"{"alg":"RS256","kid":"new"}"#)
        let problem = try await #require(throws: Problem.self) { try await verifier.verify(token) }
        #expect(problem.status == .serviceUnavailable && problem.retryAfter == 45)
        #expect(problem.code == "unavailable")
        #expect(problem.lacksToken && Problem.tokenInvalid.lacksToken && !Problem.unavailable.lacksToken)
        let old = try forge.token(
            #"{"alg":"RS256","kid":"new"}"#, TokenForge.claims(["iat": "1999990000"]))
        let refused = try await #require(throws: Problem.self) { try await verifier.verify(old) }
        #expect(refused.code == "token_invalid")
    }
}
