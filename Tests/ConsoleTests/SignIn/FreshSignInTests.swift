import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// What people do only shortly after they signed in.
@Suite(.inTurns) struct FreshSignInTests {
    private func run(
        _ clock: MovedClock = MovedClock(), _ test: @escaping @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: TestApp.withConsole, world: clock.world) { try await test($0) }
    }

    @Test func `people, keys and deletions want a sign-in of the last 15 minutes, and nothing else does`()
        async throws
    {
        let clock = MovedClock()
        try await run(clock) { app in
            try await app.signUp("eve")
            let ann = try await app.signIn("ann@example.com", [.admin])
            let calls: [(HTTPRequest.Method, String, Body?)] = [
                (.put, "/v1/admin/people/ben@example.com", ["roles": ["viewer"]]),
                (.post, "/v1/admin/people/ben@example.com/sign-in-links", nil),
                (.delete, "/v1/admin/people/ben@example.com", nil),
                (.post, "/v1/admin/keys", ["name": "desk", "scope": "support"]),
                (.delete, "/v1/admin/keys/7h2k9m4pqr5t", nil),
                (.post, "/v1/admin/users/u-eve/deletion", ["reason": "asked"]),
            ]
            clock.pass(PersonSession.fresh + 1)
            for (method, path, body) in calls {
                let answer = try await app.call(method, path, headers: ann, body: body)
                #expect((answer.status, answer.code) == (403, "sign_in_stale"), "\(path): \(answer.text)")
            }
            #expect(try await app.count("api_keys") == 0)
            #expect(try await app.get("/v1/admin/keys", headers: ann).status == 200)
            let freeze: Body = ["reason": "spam"]
            let frozen = try await app.call(
                .put, "/v1/admin/users/u-eve/invite-freeze", headers: ann, body: freeze)
            #expect(frozen.status == 200, "\(frozen.text)")
            let viewer = try await app.signIn("cy@example.com", [.viewer])
            clock.pass(PersonSession.fresh + 1)
            let other = try await app.call(
                .post, "/v1/admin/keys", headers: viewer, body: ["name": "x", "scope": "client"])
            #expect(other.code == "forbidden", "the role counts first")
            // A key has no sign-in.
            let keyed = try await app.call(
                .put, "/v1/admin/people/ben@example.com", headers: app.keyed(), body: ["roles": ["viewer"]])
            #expect(keyed.status == 201, "\(keyed.text)")
        }
    }

    @Test func `a form that comes too late keeps what was entered until one has signed in again`()
        async throws
    {
        let clock = MovedClock()
        try await run(clock) { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            clock.pass(PersonSession.fresh - 1)
            let entries = ["name": "<desk>", "scope": "support"]
            let early = try await app.submit("/access/keys", "create", entries, as: ann)
            #expect(early.status == 200 && early.text.contains("kith_"), "\(early.text)")
            clock.pass(2)
            let late = try await app.submit("/access/keys", "create", entries, as: ann)
            #expect(late.status == 403 && late.text.contains("Sign in once more"), "\(late.text)")
            #expect(
                late.text.contains("href=\"/sign-in?anew=1\"") && late.text.contains("value=\"&lt;desk&gt;\"")
            )
            #expect(try await app.count("api_keys") == 1)
            // The way to sign in is open although they are signed in.
            #expect(try await app.get("/sign-in?anew=1", headers: ann).status == 200)
            #expect(try await app.get("/sign-in", headers: ann).status == 303)
            let token = try #require(late.text.firstMatch(of: /name="token" value="([^"]+)"/)).1
            let kept = entries.merging(["act": "create", "token": String(token)]) { $1 }
            let again = try await app.signIn("ann@example.com", [.admin])
            let shown = try await app.send("/access/keys", kept, as: again)
            #expect(shown.status == 200 && shown.text.contains("You have signed in anew."))
            #expect(shown.text.contains("value=\"&lt;desk&gt;\""), "\(shown.text)")
            #expect(try await app.submit("/access/keys", "create", entries, as: again).status == 200)
            #expect(try await app.count("api_keys") == 2)
        }
    }
}
