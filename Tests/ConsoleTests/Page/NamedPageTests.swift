import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith

/// Things whose names are paths of other pages, or of none.
@Suite(.inTurns) struct NamedPageTests {
    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: { config in
            TestApp.withConsole(&config)
            config.app.linkDomains = "https://go.example.com"
            config.app.linkTargets = "example.com"
        }) { try await test($0, try await $0.signIn("ann@example.com", [.admin])) }
    }

    /// Where a link with a text leads.
    private func way(_ text: String, in page: String) throws -> String {
        let found = page.matches(of: /<a href="([^"]*)"[^>]*>([^<]*)</).first { $0.2 == text }
        return String(try #require(found, "no way to \(text): \(page)").1).replacing("&amp;", with: "&")
    }

    @Test(arguments: ["explain", "..", ".", "named", "new", "a/b", "ü?#"])
    func `each user has a page, and can be helped there`(uid: String) async throws {
        try await run { app, ann in
            try await app.signUp("bob", uid: uid)
            let found = try await app.get("/people?by=username&q=bob", headers: ann).text
            let path = try way("Open", in: found)
            #expect(!path.hasSuffix("/.") && !path.hasSuffix("/.."), "browsers take it for a way up")
            let page = try await app.get(path, headers: ann).text
            #expect(page.contains("<h1>bob</h1>"), "\(page)")
            let suspended = try await app.submit(path, "suspend", ["reason": "spam"], as: ann)
            let back = try #require(suspended.headers[.location], "\(suspended.text)")
            #expect(back.hasPrefix(path))
            #expect(try await app.get(back, headers: ann).text.contains("suspended"))
            let tree = try await app.get(try way("Tree", in: page), headers: ann)
            #expect(tree.status == 200 && tree.text.contains("bob"), "\(tree.text)")
        }
    }

    @Test func `an item that is called new can be changed`() async throws {
        try await run { app, ann in
            try await app.apply("values: {new: {value: Hello}, named: {value: Hi}}")
            let list = try await app.get("/experiments", headers: ann).text
            for (name, text) in [("new", "Hello"), ("named", "Hi")] {
                let path = try way(name, in: list)
                #expect(try await app.get(path, headers: ann).text.contains(">\n\(text)</textarea>"))
                let looked = try await app.submit(path, "preview", ["value": "Good day"], as: ann)
                #expect(looked.text.contains("~ values.\(name).value: \(text) → Good day"), "\(looked.text)")
                let entries = try app.entries(of: "publish", in: looked.text).merging(["reason": "x"]) { $1 }
                #expect(try await app.send(path, entries, as: ann).status == 303)
            }
            #expect(try await app.get("/values/new", headers: ann).text.contains("<h1>New value</h1>"))
        }
    }

    @Test func `a link of the code new can be changed`() async throws {
        try await run { app, ann in
            let made = try await app.submit(
                "/deep-links/new", "create", ["parameters.link": "https://example.com/", "code": "new"],
                as: ann)
            let path = try #require(made.headers[.location], "\(made.text)")
            let page = try await app.get(path, headers: ann).text
            #expect(page.contains("https://go.example.com/new"), "\(page)")
            #expect(page.contains("name=\"name\" value=\"new\""), "the form of the QR code")
            #expect(try await app.submit(path, "change", ["name": "Fair"], as: ann).status == 303)
            #expect(try await app.get(path, headers: ann).text.contains("<h1>Fair</h1>"))
        }
    }

    @Test func `no page has a path that a name may have`() {
        let named = ConsoleRoutes.pages.compactMap { page in
            page.namedPath.map { String($0.dropLast(PagePath.named.count)) }
        }
        for prefix in Set(named) where !["/changes/", "/webhooks/"].contains(prefix) {
            for page in ConsoleRoutes.pages where page.path.hasPrefix(prefix) && !page.path.contains("{") {
                let name = String(page.path.dropFirst(prefix.count))
                let path = PagePath.of(name, in: String(prefix.dropLast()))
                #expect(path == "\(prefix)named?name=\(name)", "\(page.path)")
            }
        }
    }
}
