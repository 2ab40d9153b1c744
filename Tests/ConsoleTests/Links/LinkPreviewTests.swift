import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// How a link looks when it is shared, by the API and at the console.
@Suite(.inTurns) struct LinkPreviewTests {
    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withConsole(&$0)
            $0.app.linkDomains = "https://go.example.com"
            $0.app.linkTargets = "example.com"
        }) { app in try await test(app, try await app.signIn("ann@example.com", [.links, .viewer])) }
    }

    private static let link = "link=https%3A%2F%2Fexample.com%2Fparty"

    @Test func `each network shows what the link's page tells it, and says what is cut or missing`()
        async throws
    {
        try await run { app, ann in
            let long = String(repeating: "a", count: 71)
            let query = "\(Self.link)&st=\(long)&sd=Come&si=https%3A%2F%2Fcdn.example.com%2Fp.png"
            let large = try await app.get("/v1/link-preview?\(query)", headers: ann)
            #expect(large.status == 200, "\(large.text)")
            let cards = large.json["networks"] as? [[String: Any]] ?? []
            let names = ["X", "Facebook", "LINE", "Slack", "WhatsApp", "iMessage", "Telegram", "Discord"]
            #expect(cards.compactMap { $0["network"] as? String } == names)
            let x = try #require(cards.first)
            #expect(x["crop"] as? String == "wide" && x["description"] == nil && x["cuts"] as? Bool == true)
            #expect(x["title"] as? String == String(repeating: "a", count: 69) + "…")
            #expect(cards[1]["description"] as? String == "Come")
            #expect(cards[1]["picture"] as? String == "https://cdn.example.com/p.png")
            let faults = (large.json["faults"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
            #expect(faults == ["longTitle"])
            let bare = try await app.get("/v1/link-preview?\(Self.link)", headers: ann)
            let missing = (bare.json["faults"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
            #expect(missing.contains("noDescription") && missing.contains("smallPicture"), "\(bare.text)")
        }
    }

    @Test func `what is no link is a 400 that names the parameter, and apps may not ask`() async throws {
        try await run { app, ann in
            let cases = [
                ("", "link"), ("link=x", "link"), ("link=https%3A%2F%2Fevil.test%2F", "link"),
                ("\(Self.link)&domain=x", "domain"), ("\(Self.link)&st=%FF", "st"),
            ]
            for (query, field) in cases {
                let answer = try await app.get("/v1/link-preview?\(query)", headers: ann)
                #expect((answer.status, answer["field"]) == (400, field), "\(query): \(answer.text)")
            }
            let client = try await app.get("/v1/link-preview?\(Self.link)", headers: app.keyed(.client))
            #expect(client.status == 403)
        }
    }

    @Test func `a form shows the preview before the link is made, and a link's page after`() async throws {
        try await run { app, ann in
            let draft = [
                "parameters.link": "https://example.com/party", "parameters.st": "<Party>", "code": "fair",
                "again": "preview",
            ]
            let looked = try await app.submit("/deep-links/new", "create", draft, as: ann)
            #expect(looked.status == 200 && looked.text.contains("<strong>&lt;Party&gt;</strong>"))
            #expect(looked.text.contains("The description is missing"), "\(looked.text)")
            #expect(looked.text.contains("value=\"&lt;Party&gt;\""))
            #expect(try await app.count("links") == 0)
            let wrong = draft.merging(["parameters.link": "x"]) { $1 }
            let refused = try await app.submit("/deep-links/new", "create", wrong, as: ann)
            #expect(refused.status == 200 && refused.text.contains("`link`"), "\(refused.text)")
            let made = draft.merging(["again": ""]) { $1 }
            #expect(try await app.submit("/deep-links/new", "create", made, as: ann).status == 303)
            let page = try await app.get("/deep-links/fair", headers: ann).text
            #expect(page.contains("<h3>Telegram</h3>") && page.contains("<strong>&lt;Party&gt;</strong>"))
            let other = ["parameters.st": "Feast", "again": "preview"]
            let changed = try await app.submit("/deep-links/fair", "change", other, as: ann)
            #expect(changed.text.contains("<strong>Feast</strong>"), "\(changed.text)")
            #expect(try await app.get("/v1/links/fair", headers: ann)["parameters.st"] == "<Party>")
        }
    }
}
