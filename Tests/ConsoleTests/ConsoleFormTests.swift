import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// What people enter: it is done once, by calls that they may make, and nothing of it is lost.
@Suite(.inTurns) struct ConsoleFormTests {
    private func run(_ test: @escaping @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run(configure: { config in
            TestApp.withConsole(&config)
            config.app.linkDomains = "https://go.example.com"
            config.app.linkTargets = "example.com"
        }) { try await test($0) }
    }

    private static let draft = [
        "parameters.link": "https://example.com/party", "name": "Fair", "tags": "Spring, print",
    ]

    @Test func `a link is made in one form, is listed, changed, archived and deleted`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.links, .viewer])
            let made = try await app.submit("/deep-links/new", "create", Self.draft, as: ann)
            let path = try #require(made.headers[.location], "\(made.text)")
            #expect(made.status == 303)
            let page = try await app.get(path, headers: ann).text
            #expect(page.contains("The link is made.") && page.contains("https://example.com/party"))
            #expect(try await app.get("/deep-links?q=fair", headers: ann).text.contains(">Fair<"))
            let place = String(path.prefix { $0 != "?" })
            let changed = try await app.submit(place, "change", ["name": "Autumn fair", "tags": ""], as: ann)
            #expect(changed.status == 303, "\(changed.text)")
            #expect(try await app.get(place, headers: ann).text.contains("<h1>Autumn fair</h1>"))
            #expect(try await app.submit(place, "archive", [:], as: ann).status == 303)
            #expect(try await app.get("/deep-links", headers: ann).text.contains("No links yet."))
            #expect(
                try await app.submit(place, "delete", [:], as: ann).headers[.location]
                    == "/deep-links?done=links.deleted")
            #expect(try await app.get(place, headers: ann).status == 404)
        }
    }

    @Test func `what the API refuses is said at the field, and the entries stay`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.links])
            let answer = try await app.submit(
                "/deep-links/new", "create",
                ["parameters.link": "https://evil.test/", "name": "<b>Fair</b>"], as: ann)
            #expect(answer.status == 400)
            #expect(answer.text.contains("id=\"field-parameters.link-mistake\""), "\(answer.text)")
            #expect(
                answer.text.contains("value=\"https://evil.test/\"")
                    && answer.text.contains("value=\"&lt;b&gt;Fair&lt;/b&gt;\""))
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `a form of another site, without its token, or of another session does nothing`() async throws
    {
        try await run { app in
            let (ann, ben) = (
                try await app.signIn("ann@example.com", [.links]),
                try await app.signIn("ben@example.com", [.links])
            )
            var foreign = ann
            foreign[.origin] = "https://evil.test"
            #expect(
                try await app.submit("/deep-links/new", "create", Self.draft, as: ann, leavingOut: ["token"])
                    .status == 200)
            let page = try await app.get("/deep-links/new", headers: ben).text
            let token = try #require(page.firstMatch(of: /name="token" value="([^"]+)"/)).1
            let entries = Self.draft.merging(["act": "create", "token": String(token)]) { $1 }
            let stolen = try await app.send("/deep-links/new", entries, as: ann)
            #expect(
                stolen.status == 200 && stolen.text.contains("value=\"Fair\""), "it shows what was entered")
            #expect(try await app.send("/deep-links/new", entries, as: foreign).status == 403)
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `a session that ends in mid-form loses nothing`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.links])
            let page = try await app.get("/deep-links/new", headers: ann).text
            let token = try #require(page.firstMatch(of: /name="token" value="([^"]+)"/)).1
            _ = try await app.post("/sign-out", as: nil, headers: ann)
            let entries = Self.draft.merging(["act": "create", "token": String(token)]) { $1 }
            let kept = try await app.send("/deep-links/new", entries, as: ann)
            #expect(kept.status == 401 && kept.text.contains("name=\"name\" value=\"Fair\""), "\(kept.text)")
            // They sign in beside it, and go on: the page asks them to look once more.
            let again = try await app.signIn("ann@example.com", [.links])
            let shown = try await app.send("/deep-links/new", entries, as: again)
            #expect(shown.status == 200 && shown.text.contains("You have signed in anew."))
            #expect(try await app.submit("/deep-links/new", "create", Self.draft, as: again).status == 303)
            #expect(try await app.count("links") == 1)
        }
    }

    @Test func `a policy is looked at, published with a reason, and undone`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.growth])
            let policy = [
                "key": "must", "platform": "ios", "action": "hard", "target": "5.2", "minimumOS": "16.0",
                "when.version.lt": "4.0",
            ]
            let looked = try await app.submit("/updates/new", "preview", policy, as: ann)
            #expect(
                looked.status == 200 && looked.text.contains("+ policies.must.action: hard"), "\(looked.text)"
            )
            #expect(looked.text.contains("name=\"force.policies.must\""), "it forces people")
            var entries = ["act": "publish", "reason": "old API ends"]
            for hidden in looked.text.matches(
                of: /type="hidden" name="(changes|revision|token)" value="([^"]*)"/)
            {
                entries[String(hidden.1)] = String(hidden.2).replacing("&quot;", with: "\"")
            }
            let refused = try await app.send("/updates/new", entries, as: ann)
            #expect(refused.status == 200 && refused.text.contains("If that is meant"), "\(refused.text)")
            entries["force.policies.must"] = "true"
            #expect(
                try await app.send("/updates/new", entries, as: ann).headers[.location]
                    == "/updates?done=items.published")
            #expect(try await app.get("/updates", headers: ann).text.contains("forces the update"))
            #expect(
                try await app.submit("/changes/1", "revert", ["reason": "not today"], as: ann).status == 303)
            #expect(try await !app.get("/updates", headers: ann).text.contains("forces the update"))
        }
    }

    @Test func `of two who change the same, the second sees what the first did, and keeps their entries`()
        async throws
    {
        try await run { app in
            let (ann, ben) = (
                try await app.signIn("ann@example.com", [.growth]),
                try await app.signIn("ben@example.com", [.growth])
            )
            let looked = try await app.submit(
                "/values/new", "preview", ["key": "greeting", "value": "Hello"], as: ann)
            func entries(_ page: String, _ reason: String) -> [String: String] {
                var entries = ["act": "publish", "reason": reason]
                for hidden in page.matches(
                    of: /type="hidden" name="(changes|revision|token)" value="([^"]*)"/)
                {
                    entries[String(hidden.1)] = String(hidden.2).replacing("&quot;", with: "\"")
                }
                return entries
            }
            let other = try await app.submit(
                "/values/new", "preview", ["key": "greeting", "value": "Hi"], as: ben)
            #expect(try await app.send("/values/new", entries(looked.text, "a"), as: ann).status == 303)
            let second = try await app.send("/values/new", entries(other.text, "b"), as: ben)
            #expect(
                second.status == 200 && second.text.contains("Somebody published meanwhile"), "\(second.text)"
            )
            #expect(
                second.text.contains("+ values.greeting.value: Hello")
                    && second.text.contains("~ values.greeting.value: Hello → Hi"))
            #expect(second.text.contains("value=\"b\""), "the reason stays")
            #expect(try await app.send("/values/new", entries(second.text, "b"), as: ben).status == 303)
            #expect(try await app.get("/values/greeting", headers: ann).text.contains("Hi"))
        }
    }

    @Test func `who may only look sees no form, and cannot send one`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.viewer])
            let page = try await app.get("/updates", headers: ann).text
            #expect(!page.contains("/updates/new"))
            #expect(try await app.get("/updates/new", headers: ann).status == 403)
            // Who knows how forms are made has the token, too.
            let secret = try #require(ann[.cookie]?.split(separator: "=").last)
            let token = Base64URL.encode(Array(SHA256.hash(data: Data("form \(secret)".utf8))))
            let changes = #"{"values":{"greeting":"Hello"}}"#
            let sent = [
                "token": token, "revision": "0", "reason": "x", "key": "greeting", "changes": changes,
            ]
            for act in ["preview", "publish", "draft"] {
                let entries = sent.merging(["act": act, "name": "x"]) { $1 }
                #expect(try await app.send("/values/new", entries, as: ann).status == 403, "\(act)")
            }
            #expect(try await app.count("publications") == 0)
        }
    }
}
