import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// The console's pages: who sees which, in both languages, and what they say of users' texts.
@Suite(.inTurns) struct ConsolePageTests {
    private func run(_ test: @escaping @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withConsole) { try await test($0) }
    }

    /// Pages whose paths need nothing that must exist.
    private static let plain = ConsoleRoutes.pages.filter { !$0.path.contains("{") }

    @Test(arguments: Role.allCases)
    func `whoever may make a page's call sees the page, and nobody else`(role: Role) async throws {
        try await run { app in
            let session = try await app.signIn("ann@example.com", [role])
            for page in Self.plain {
                let answer = try await app.get(page.path, headers: session)
                let scopes = app.app.routes.first {
                    "\($0.rules.method.rawValue) \($0.rules.path)" == page.call
                }?.rules.callers
                guard case .keys(let scopes)? = scopes else { continue }
                let may = scopes.contains(APIKey.Scope(role))
                // Without a domain there are no links.
                let isThere = answer.status == 200 || answer.status == 409 && page.area == .links
                #expect(may ? isThere : answer.status == 403, "\(role) \(page.path): \(answer.status)")
            }
        }
    }

    @Test func `each page names a call that there is, and so does each act`() async throws {
        try await run { app in
            let calls = Set(app.app.routes.map { "\($0.rules.method.rawValue) \($0.rules.path)" })
            for page in ConsoleRoutes.pages {
                #expect(calls.contains(page.call), "\(page.path): \(page.call)")
                for act in page.acts { #expect(calls.contains(act.call), "\(page.path): \(act.call)") }
            }
        }
    }

    @Test(arguments: ["en", "ja"])
    func `each page has a title, all of its texts, and a way to its calls`(language: String) async throws {
        try await run { app in
            let session = try await app.signIn("ann@example.com", [.admin])
            for page in Self.plain {
                let text = try await app.get("\(page.path)?hl=\(language)", headers: session).text
                #expect(text.contains("<html lang=\"\(language)\""))
                // A text that is missing shows as its key.
                let keys = text.matches(of: />([a-z]+\.[a-zA-Z_.]+)</).map { String($0.1) }
                let measures = keys.filter { !$0.hasPrefix("http") }
                #expect(page.path == "/numbers" || measures.isEmpty, "\(page.path): \(measures)")
            }
        }
    }

    @Test func `a person chooses a language on any page, and keeps it`() async throws {
        try await run { app in
            var session = try await app.signIn("ann@example.com", [.viewer])
            let page = try await app.get("/changes", headers: session).text
            let way = try #require(page.firstMatch(of: /<a [^>]*href="([^"]*)"[^>]*>日本語</))
            let chosen = try await app.get(String(way.1), headers: session)
            let cookie = try #require(chosen.cookie("kith-language"))
            session[.cookie] = "\(session[.cookie] ?? ""); \(cookie)"
            #expect(try await app.get("/changes", headers: session).text.contains("<html lang=\"ja\""))
        }
    }

    @Test func `names of measures and pictures are in the language that the person chose`() async throws {
        try await run { app in
            var session = try await app.signIn("ann@example.com", [.viewer])
            session[.cookie] = "\(session[.cookie] ?? ""); kith-language=ja"
            session[.acceptLanguage] = "en"
            let list = try await app.get("/numbers", headers: session).text
            #expect(list.contains("新規登録") && list.contains("プラットフォーム"))
            let page = try await app.get("/numbers/people.sign_ups", headers: session).text
            #expect(page.contains("<h1>新規登録</h1>"))
            session[.accept] = "image/svg+xml"
            let picture = try #require(page.firstMatch(of: /<img src="([^"]*)"/)).1.replacing(
                "&amp;", with: "&")
            #expect(try await app.get(String(picture), headers: session).headers[.contentLanguage] == "ja")
        }
    }

    @Test func `the first page tells active people of a day, and not those of seven days together`()
        async throws
    {
        try await run { app in
            for age in 1...7 {
                try await app.db.write.run(
                    """
                    INSERT INTO counts (subject, measure, day, count)
                    VALUES ('', 'people.active', (now() AT TIME ZONE 'UTC')::date - \(Int64(age))::int, 71)
                    """)
            }
            let session = try await app.signIn("ann@example.com", [.viewer])
            let text = try await app.get("/", headers: session).text
            #expect(text.contains(">71<") && !text.contains(">497<"), "\(text)")
        }
    }

    @Test func `both languages have the same texts`() throws {
        let texts = try Words.files.map {
            try JSONDecoder().decode([String: String].self, from: Data($0.json))
        }
        #expect(Set(texts[0].keys).symmetricDifference(texts[1].keys).isEmpty)
        for (key, text) in texts[0] {
            let names = Set(text.matches(of: /\{[a-z]+\}/).map { String($0.0) })
            let others = Set((texts[1][key] ?? "").matches(of: /\{[a-z]+\}/).map { String($0.0) })
            #expect(names == others, "\(key)")
        }
    }

    @Test func `who is not signed in gets the sign-in, and comes back to the page`() async throws {
        try await run { app in
            let answer = try await app.get("/deep-links?tag=spring", headers: app.browser())
            #expect(
                (answer.status, answer.headers[.location]) == (
                    303, "/sign-in?returnTo=%2Fdeep-links%3Ftag%3Dspring"
                ))
        }
    }
}
