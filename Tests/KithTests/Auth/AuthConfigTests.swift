import Foundation
import Testing

@testable import Kith

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
        #expect(rules.issuer == "https://securetoken.google.com/demo")
        #expect(rules.audience == "demo")
        #expect(rules.algorithms == [.rs256])
        _ = try config.keys(.live)
    }
}
