import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Webhooks

/// Forms that make something, which a person sends twice.
@Suite(.inTurns) struct SentTwiceTests {
    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(
            configure: { config in
                TestApp.withConsole(&config)
                config.app.linkDomains = "https://go.example.com"
                config.app.linkTargets = "example.com"
            }, limits: { $0.write.lockTimeout = .milliseconds(500) }
        ) { try await test($0, try await $0.signIn("ann@example.com", [.admin])) }
    }

    /// Returns what a form has in it, with some entries.
    private func form(
        _ act: String, at path: String, _ entries: [String: String], _ app: TestApp, _ session: HTTPFields
    ) async throws -> [String: String] {
        let page = try await app.get(path, headers: session).text
        return try app.entries(of: act, in: page).merging(entries) { $1 }
    }

    @Test func `a link is made once, and both answers lead to it`() async throws {
        try await run { app, ann in
            let path = "/deep-links/new"
            let entries = try await form(
                "create", at: path, ["parameters.link": "https://example.com/party"], app, ann)
            async let one = app.send(path, entries, as: ann)
            async let other = app.send(path, entries, as: ann)
            let ways = try await [one, other].map { $0.headers[.location] }
            #expect(ways[0] == ways[1] && ways[0] != nil, "\(ways)")
            #expect(try await app.count("links") == 1)
            let another = try await app.submit(
                path, "create", ["parameters.link": "https://example.com/party"], as: ann)
            #expect(another.status == 303 && another.headers[.location] != ways[0], "a form of its own")
            #expect(try await app.count("links") == 2)
        }
    }

    @Test func `a form that failed in an outage is sent again as the same, since it may have been done`()
        async throws
    {
        try await run { app, ann in
            let path = "/deep-links/new"
            let entries = try await form(
                "create", at: path, ["parameters.link": "https://example.com/party"], app, ann)
            let failed = try await app.db.transaction { session in
                try await session.script("LOCK TABLE links IN SHARE MODE")
                return try await app.send(path, entries, as: ann)
            }
            #expect(failed.status == 503, "\(failed.text)")
            let again = try app.entries(of: "create", in: failed.text)
            #expect(entries["once"] != nil && again["once"] == entries["once"])
            #expect(again["parameters.link"] == "https://example.com/party")
        }
    }

    @Test func `links of a table are made once`() async throws {
        try await run { app, ann in
            let csv = "link\nhttps://example.com/a\nhttps://example.com/b"
            let looked = try await app.submit("/link-sheets", "preview", ["csv": csv], as: ann)
            let entries = try app.entries(of: "make", in: looked.text)
            let pages = try await [
                app.send("/link-sheets", entries, as: ann), app.send("/link-sheets", entries, as: ann),
            ]
            #expect(pages[0].text.contains("2 links are made."), "\(pages[0].text)")
            let urls = pages.map { $0.text.matches(of: /go\.example\.com\/\w+/).map { String($0.0) } }
            #expect(urls[0] == urls[1] && urls[0].count == 2, "\(urls)")
            #expect(try await app.count("links") == 2)
        }
    }

    @Test func `a key is made and shown once, and the second answer says what to do`() async throws {
        try await run { app, ann in
            let entries = try await form(
                "create", at: "/access/keys", ["name": "desk", "scope": "support"], app, ann)
            let first = try await app.send("/access/keys", entries, as: ann)
            #expect(first.text.contains("<code>kith_"), "\(first.text)")
            let second = try await app.send("/access/keys", entries, as: ann)
            #expect(second.status == 200 && !second.text.contains("<code>kith_"))
            #expect(
                second.text.contains("This form was sent before")
                    && second.text.contains("href=\"/access/keys\""))
            #expect(try await app.count("api_keys") == 1)
            let changed = try await app.send(
                "/access/keys", entries.merging(["name": "till"]) { $1 }, as: ann)
            #expect(changed.status == 422 && changed.text.contains("with other entries"), "\(changed.text)")
            let sent = try app.entries(of: "create", in: changed.text)
            #expect(sent["once"] != entries["once"] && sent["name"] == "till")
            #expect(try await app.send("/access/keys", sent, as: ann).text.contains("<code>kith_"))
            #expect(try await app.count("api_keys") == 2)
        }
    }

    @Test func `an endpoint is made once, and its secret shown to whoever sent the form twice`() async throws
    {
        try await WebhookStage.run(isServed: false) { stage in
            let ann = try await stage.app.signIn("ann@example.com", [.admin])
            let entries = try await form(
                "create", at: "/webhooks/new", ["url": stage.url()], stage.app, ann)
            let secrets = try await [
                stage.app.send("/webhooks/new", entries, as: ann),
                stage.app.send("/webhooks/new", entries, as: ann),
            ].map { $0.text.firstMatch(of: /<code>(whsec_[^<]+)</).map { String($0.1) } }
            #expect(secrets[0] != nil && secrets[0] == secrets[1], "\(secrets)")
            #expect(try await stage.app.count("webhooks") == 1)
            let changed = try await stage.app.send(
                "/webhooks/new", entries.merging(["types": "friend.created"]) { $1 }, as: ann)
            #expect(changed.status == 422)
            let id = try await stage.app.db.read.first("SELECT id::text FROM webhooks") {
                try $0.next(as: String.self)
            }
            let path = "/v1/admin/webhooks/\(id ?? "")/secret"
            #expect(try await stage.app.post(path, as: nil, headers: ann).status == 200)
            let late = try await stage.app.send("/webhooks/new", entries, as: ann)
            #expect(late.status == 422 && !late.text.contains("<code>whsec_"), "it has another secret now")
        }
    }
}
