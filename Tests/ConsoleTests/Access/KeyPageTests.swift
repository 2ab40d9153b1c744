import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// Keys at the console.
@Suite(.inTurns) struct KeyPageTests {
    @Test func `an admin makes a key, sees it once, and revokes it`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            #expect(try await app.get("/access", headers: ann).text.contains("href=\"/access/keys\""))
            let made = try await app.submit(
                "/access/keys", "create", ["name": "<b>desk</b>", "scope": "support"], as: ann)
            #expect(made.status == 200 && made.headers[.cacheControl] == "no-store", "\(made.text)")
            let key = try #require(made.text.firstMatch(of: /<code>(kith_[0-9a-z_]+)<\/code>/)).1
            #expect(made.text.contains("data-copy=\"\(key)\"") && made.text.contains("nobody sees it again"))
            let headers: HTTPFields = [.authorization: "Bearer \(key)"]
            #expect(try await app.get("/v1/admin/me", headers: headers).status == 200)
            let page = try await app.get("/access/keys", headers: ann).text
            #expect(page.contains("&lt;b&gt;desk&lt;/b&gt;") && page.contains("person:ann@example.com"))
            #expect(!page.contains(key) && page.contains("data-question=\"Whoever calls with"))
            let revoked = try await app.submit("/access/keys", "revoke", [:], as: ann)
            #expect(revoked.headers[.location] == "/access/keys?done=keys.revoked", "\(revoked.text)")
            #expect(try await app.count("api_keys WHERE revoked_at IS NOT NULL") == 1)
        }
    }

    @Test func `what the API refuses of a key is said at the field, and others see no keys`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            let wrong = try await app.submit(
                "/access/keys", "create", ["name": "x", "scope": "growth", "actsForUsers": "true"], as: ann)
            #expect(wrong.status == 400 && wrong.text.contains("id=\"field-actsForUsers-mistake\""))
            #expect(try await app.count("api_keys") == 0)
            let ben = try await app.signIn("ben@example.com", [.growth, .support, .links, .viewer])
            #expect(try await app.get("/access/keys", headers: ben).status == 403)
        }
    }
}
