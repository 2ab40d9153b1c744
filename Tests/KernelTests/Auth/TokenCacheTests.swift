import Foundation
import Testing

@testable import AppTesting
@testable import Kernel

@Suite struct TokenCacheTests {
    private func entry(_ uid: String, verifiedAt: Date = TokenForge.now) throws -> TokenCache.Entry {
        let uid = try #require(User.UID(uid))
        return TokenCache.Entry(
            token: IDToken(uid: uid, expiresAt: TokenForge.now + 3600), issuedAt: verifiedAt, issuer: 0,
            key: KeyID(kid: "rsa", algorithm: .rs256), version: 1, verifiedAt: verifiedAt)
    }

    @Test func `a token is found until it expires`() throws {
        let tokens = TokenCache()
        tokens.keep(try entry("alice"), as: TokenCache.name("a"))
        #expect(tokens.find(TokenCache.name("a"), at: TokenForge.now)?.token.uid.text == "alice")
        #expect(tokens.find(TokenCache.name("a"), at: TokenForge.now + 3599) != nil)
        #expect(tokens.find(TokenCache.name("a"), at: TokenForge.now + 3600) == nil)
        #expect(tokens.find(TokenCache.name("a"), at: TokenForge.now - 1) == nil)
        #expect(tokens.find(TokenCache.name("b"), at: TokenForge.now) == nil)
        // Swift's == takes the Kelvin sign for the letter K.
        tokens.keep(try entry("kay"), as: TokenCache.name("K"))
        #expect(tokens.find(TokenCache.name("\u{212A}"), at: TokenForge.now) == nil)
    }

    @Test func `the cache keeps at most its capacity, and always the latest half`() throws {
        let tokens = TokenCache(capacity: 100)
        for number in 1...250 {
            tokens.keep(try entry("\(number)"), as: TokenCache.name("\(number)"))
            let kept = (1...number).filter {
                tokens.find(TokenCache.name("\($0)"), at: TokenForge.now) != nil
            }
            #expect(kept.count <= 100 && kept.suffix(50) == (max(1, number - 49)...number).map(\.self)[...])
        }
    }

    @Test func `a cached token is refused when its key is withdrawn`() async throws {
        let forge = try await TokenForge()
        let provider = FakeProvider(forge.jwks)
        let verifier = try provider.verifier()
        let token = try forge.token()
        for _ in 0..<3 { _ = try await verifier.token(token) }
        provider.answers(TokenForge.jwks(forge.ecJWK()))
        provider.advance(.seconds(3600 + 60))
        await #expect(throws: IDTokenError.unknownKey("rsa")) { try await verifier.token(token) }
    }

    @Test func `a cached token is refused when its key is replaced`() async throws {
        let forge = try await TokenForge()
        let provider = FakeProvider(forge.jwks)
        let verifier = try provider.verifier()
        let token = try forge.token()
        _ = try await verifier.token(token)
        provider.answers(TokenForge.jwks(TokenForge.jwk(rsa: TestKeys.otherRSAModulus, kid: "rsa")))
        provider.advance(.seconds(3600 + 60))
        await #expect(throws: IDTokenError.signature) { try await verifier.token(token) }
        _ = try await verifier.token(forge.token(by: forge.otherRSA))
    }

    @Test func `a cached token has its keys refreshed like any other`() async throws {
        let forge = try await TokenForge()
        let provider = FakeProvider(forge.jwks)
        let verifier = try provider.verifier()
        let token = try forge.token()
        for _ in 0..<10 { _ = try await verifier.token(token) }
        #expect(provider.fetches == 1)
        provider.advance(.seconds(3600 + 60))
        _ = try await verifier.token(token)
        #expect(provider.fetches == 2)
        provider.goesDown()
        provider.advance(.seconds(24 * 3600))
        await #expect(throws: IDTokenError.keysUnavailable) { try await verifier.token(token) }
    }
}
