import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// The list of all measures at the console.
@Suite(.inTurns) struct NumberPageTests {
    @Test func `measures stand in families, each with a way to it, and no two in one place`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let ann = try await app.signIn("ann@example.com", [.viewer])
            let page = try await app.get("/numbers", headers: ann).text
            let ids = page.matches(of: /<section class="section" id="([a-z]+)">/).map { String($0.1) }
            #expect(ids == ["links", "invites", "people", "versions", "rewards"], "\(page)")
            for id in ids { #expect(page.contains("href=\"#\(id)\"")) }
            let found = page.matches(of: /href="\/numbers\/([a-z_.0-9]+)"/).map { String($0.1) }
            let all = try await app.get("/v1/admin/numbers", headers: ann).objects("measures")
            #expect(found.sorted() == all.compactMap { $0["name"] as? String }.sorted())
            let people = page.components(separatedBy: "id=\"people\"")[1].components(
                separatedBy: "</section>")[0]
            #expect(people.contains("friendships.made") && !people.contains("invites.pages"))
        }
    }

    @Test func `a search leaves the measures that have it in their names, also in Japanese`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let ann = try await app.signIn("ann@example.com", [.viewer])
            let page = try await app.get("/numbers?q=SIGN-UPS", headers: ann).text
            #expect(page.contains("people.sign_ups") && !page.contains("rewards.earned"), "\(page)")
            #expect(page.contains("value=\"SIGN-UPS\"") && !page.contains("id=\"rewards\""))
            let japanese = try await app.get("/numbers?hl=ja&q=%E7%89%B9%E5%85%B8", headers: ann).text
            #expect(japanese.contains("rewards.earned") && !japanese.contains("people.sign_ups"))
            let none = try await app.get("/numbers?q=%3Cb%3E", headers: ann).text
            #expect(none.contains("No measure fits.") && none.contains("href=\"/numbers\""))
        }
    }
}
