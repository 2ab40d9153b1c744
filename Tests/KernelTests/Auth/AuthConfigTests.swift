import Foundation
import Testing

@testable import Kernel
@testable import Web

@Suite struct AuthConfigTests {
    @Test(arguments: [
        "https://id.example.com/jwks", "HTTPS://id.example.com/jwks", "http://127.0.0.1:9/jwks",
        "http://localhost/jwks",
        "http://[::1]:9/jwks", "keys.json", "/etc/kith/keys.json",
    ])
    func `keys may come from https, this machine or a file`(_ place: String) throws {
        _ = try AuthConfig(jwks: place).keys(.live)
    }

    @Test(arguments: [
        "http://id.example.com/jwks", "http://127.0.0.1.example.com/", "http://localhost.example.com/",
        "http://0.0.0.0/",
        "http://user@example.com/", "http://localhost@example.com/", "ftp://id.example.com/jwks",
        "file:///etc/keys", "https://", "://",
    ])
    func `keys may not come from elsewhere`(_ place: String) {
        #expect(throws: AuthConfigError.self) { try AuthConfig(jwks: place).keys(.live) }
    }

    @Test func `an error names missing settings`() throws {
        let error = try #require(throws: AuthConfigError.self) { try AuthConfig(issuer: "x").rules() }
        #expect(error.description.hasPrefix("KITH_AUTH_AUDIENCE is not set"))
        let both = try #require(throws: AuthConfigError.self) { try AuthConfig().rules() }
        #expect(both.description.contains("KITH_AUTH_ISSUER is not set (nor KITH_FIREBASE_PROJECT)\n"))
        #expect(both.description.contains("KITH_AUTH_AUDIENCE is not set"))
    }

    @Test func `a Firebase project sets all three settings`() throws {
        let config = AuthConfig(firebaseProject: "demo")
        let rules = try config.rules()
        #expect(rules.issuers.map(\.name) == ["https://securetoken.google.com/demo"])
        #expect(rules.issuers.map(\.audiences) == [["demo"]])
        #expect(rules.algorithms == [.rs256])
        #expect(
            try config.keys(.live).map(\.place).allSatisfy { $0.hasPrefix("https://www.googleapis.com/") })
    }

    @Test func `issuers, audiences and keys are lists, in one order`() throws {
        var config = AuthConfig(jwks: "a.json, b.json", issuer: "a , b", audience: "x, y")
        config.uidClaim = "uid"
        #expect(try config.rules().issuers.map(\.name) == ["a", "b"])
        #expect(try config.rules().issuers.map(\.audiences) == [["x", "y"], ["x", "y"]])
        #expect(try config.keys(.live).map(\.place) == ["a.json", "b.json"])
        config.audience = "x,y ; z"
        #expect(try config.rules().issuers.map(\.audiences) == [["x", "y"], ["z"]])
        config.jwks = "both.json"
        #expect(try config.keys(.live).map(\.place) == ["both.json"])
    }

    @Test(arguments: [
        ("a,", "x", "k", "uid", "KITH_AUTH_ISSUER: 'a,' has an empty entry beside a `,`"),
        ("a", "x,,y", "k", "uid", "KITH_AUTH_AUDIENCE: 'x,,y' has an empty entry beside a `,`"),
        ("a,b", "x;", "k", "uid", "KITH_AUTH_AUDIENCE: 'x;' has an empty entry beside a `;`"),
        ("a,b", "x;y;z", "k", "uid", "KITH_AUTH_AUDIENCE has 3 lists for 2 issuers"),
        ("a,a", "x", "k", "uid", "KITH_AUTH_ISSUER names an issuer twice"),
        ("a,b", "x", "k,l,m", "uid", "KITH_AUTH_JWKS has 3 sets of keys for 2 issuers"),
        ("a,b", "x", ",", "uid", "KITH_AUTH_JWKS: ',' has an empty entry"),
        ("a,b", "x", "k", nil, "KITH_AUTH_UID_CLAIM is not set: with several issuers"),
    ])
    func `what is no list, or does not say which user is whose, is refused`(
        issuer: String, audience: String, jwks: String, uidClaim: String?, message: String
    ) throws {
        var config = AuthConfig(jwks: jwks, issuer: issuer, audience: audience)
        config.uidClaim = uidClaim
        let error = try #require(throws: AuthConfigError.self) {
            _ = try config.rules()
            _ = try config.keys(.live)
        }
        #expect(error.description.hasPrefix(message), "\(error)")
        #expect(!error.description.contains("\n"))
    }
}
