import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// Many links at the console.
@Suite(.inTurns) struct ManyLinkPageTests {
    private static let page = "/link-sheets"

    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withConsole(&$0)
            $0.app.linkDomains = "https://go.example.com"
            $0.app.linkTargets = "example.com"
        }) { app in try await test(app, try await app.signIn("ann@example.com", [.links])) }
    }

    @Test func `a table is looked at, its links are made, and the list is a file`() async throws {
        try await run { app, ann in
            let csv = "name,link,code\n<b>Fair</b>,https://example.com/a,fair\nTwo,https://example.com/b,two"
            let looked = try await app.submit(Self.page, "preview", ["csv": csv], as: ann)
            #expect(looked.status == 200 && looked.text.contains("Make 2 links"), "\(looked.text)")
            #expect(looked.text.contains("&lt;b&gt;Fair&lt;/b&gt;"))
            #expect(try await app.count("links") == 0)
            let token = try #require(looked.text.firstMatch(of: /name="token" value="([^"]+)"/)).1
            let entries = ["act": "make", "csv": csv, "token": String(token)]
            let made = try await app.send(Self.page, entries, as: ann)
            #expect(made.text.contains("2 links are made.") && made.text.contains("go.example.com/fair"))
            let list = try await app.get("/deep-links", headers: ann).text
            #expect(list.contains("/v1/links?order=newest&amp;archived=false&amp;format=csv"), "\(list)")
            let file = try await app.get("/v1/links?order=newest&format=csv", headers: ann)
            #expect(
                file.headers[.contentType] == "text/csv; charset=utf-8" && file.text.contains("/two,Two,"))
        }
    }

    @Test func `wrong lines are named, and no button makes them`() async throws {
        try await run { app, ann in
            let looked = try await app.submit(
                Self.page, "preview", ["csv": "link\nhttps://evil.test/"], as: ann)
            #expect(looked.text.contains("1 lines are wrong.") && looked.text.contains("KITH_LINK_TARGETS"))
            #expect(!looked.text.contains("value=\"make\""), "\(looked.text)")
            let none = try await app.submit(Self.page, "preview", ["csv": "price\n1"], as: ann)
            #expect(none.status == 400 && none.text.contains("field-csv-mistake"), "\(none.text)")
        }
    }
}
