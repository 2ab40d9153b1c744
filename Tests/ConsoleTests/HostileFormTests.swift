import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// Forms that no browser sends, or at a bad moment.
@Suite(.inTurns) struct HostileFormTests {
    private func run(
        _ roles: Set<Role>, _ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: { config in
            TestApp.withConsole(&config)
            config.app.linkDomains = "https://go.example.com"
            config.app.linkTargets = "example.com"
        }) { app in
            try await app.apply("values: {greeting: {value: Hello}}")
            try await test(app, try await app.signIn("ann@example.com", roles))
        }
    }

    private func token(_ app: TestApp, _ session: HTTPFields) async throws -> String {
        let page = try await app.get("/deep-links/new", headers: session).text
        return String(try #require(page.firstMatch(of: /name="token" value="([^"]+)"/)).1)
    }

    @Test(arguments: [
        ("/values/greeting", "rules.+0"), ("/values/greeting", "rules.+"), ("/updates/new", "messages.+0"),
        ("/experiments/new", "variations.+0"), ("/values/new", "key"),
    ])
    func `a name of thousands of dots is refused, whoever sends it`(path: String, field: String) async throws
    {
        for roles: Set<Role> in [[.links, .viewer], [.links, .admin]] {
            try await run(roles) { app, session in
                let name = Array(repeating: "a", count: 20_000).joined(separator: ".")
                var entries = [
                    "act": "preview", "token": try await token(app, session), "key": "x", "revision": "1",
                    "\(field).value": "x",
                ]
                entries[field] = name
                let answer = try await app.send(path, entries, as: session)
                #expect((400..<500).contains(answer.status) || answer.status == 200, "\(answer.status)")
                #expect(roles.contains(.admin) || answer.status == 403)
            }
        }
    }

    @Test func `a form of thousands of rows does not make a page of thousands`() async throws {
        try await run([.links, .growth]) { app, session in
            var entries = ["act": "preview", "token": try await token(app, session), "again": "rules"]
            for row in 0..<4000 { entries["rules.+0.when.country:\(row)"] = "" }
            for part in 0..<500 { entries["rules.+\(part).value"] = "x" }
            let answer = try await app.send("/values/greeting", entries, as: session)
            #expect(answer.bytes.count < 4_000_000, "\(answer.bytes.count)")
            let many = Array(repeating: "a", count: 3700).joined(separator: ",")
            let asked = try await app.get(
                "/values/new?set.rules.%2B0.when.country=\(many)", headers: session)
            #expect(asked.bytes.count < 1_000_000, "\(asked.bytes.count)")
        }
    }

    @Test func `a form of more fields than any page has is refused, and names of no value make none`()
        async throws
    {
        try await run([.links, .growth]) { app, session in
            var entries = ["act": "preview", "token": try await token(app, session), "again": "parameters"]
            entries["parameters"] = (0..<200_000).map { "v\($0)" }.joined(separator: ",") + ",greeting"
            let answer = try await app.send("/experiments/new", entries, as: session)
            #expect(answer.status == 200 && answer.text.contains(".values.greeting"))
            #expect(!answer.text.contains(".values.v1"))
            for field in 0..<5000 { entries["x\(field)"] = "" }
            #expect(try await app.send("/experiments/new", entries, as: session).status == 400)
        }
    }

    @Test func `bytes that are not UTF-8 are refused, and nothing is stored`() async throws {
        try await run([.links]) { app, session in
            let token = try await token(app, session)
            let link = "parameters.link=https%3A%2F%2Fexample.com%2F"
            let body = Array("act=create&token=\(token)&\(link)&name=caf".utf8) + [0xE9, 0xFF]
            var headers = session
            headers[.contentType] = "application/x-www-form-urlencoded"
            let status = try await app.client.execute(
                uri: "/deep-links/new", method: .post, headers: headers, body: ByteBuffer(bytes: body)
            ) { $0.status.code }
            #expect(status == 400)
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `who may not do what a form does is told so before anything is looked at`() async throws {
        try await run([.links, .viewer]) { app, session in
            let token = try await token(app, session)
            for page in ConsoleRoutes.pages where !page.path.contains("{") {
                for act in page.acts {
                    let scopes = app.app.routes.first {
                        "\($0.rules.method.rawValue) \($0.rules.path)" == act.call
                    }?.rules.callers
                    guard case .keys(let scopes)? = scopes,
                        !scopes.contains(APIKey.Scope(.links)), !scopes.contains(APIKey.Scope(.viewer))
                    else { continue }
                    let answer = try await app.send(
                        page.path, ["act": act.name, "token": token], as: session)
                    #expect(answer.status == 403, "\(page.path) \(act.name): \(answer.status)")
                }
            }
        }
    }

    @Test func `after each publication comes a page that is there`() async throws {
        try await run([.admin]) { app, session in
            for kind in ItemKind.all {
                #expect(try await app.get(kind.area.path, headers: session).status == 200, "\(kind.section)")
            }
            let looked = try await app.submit(
                "/values/greeting", "preview", ["value": "Hi"], as: session)
            var entries = try app.entries(of: "publish", in: looked.text)
            entries["reason"] = "shorter"
            let location = try await app.send("/values/greeting", entries, as: session).headers[.location]
            let page = try await app.get(try #require(location), headers: session)
            #expect(page.status == 200 && page.text.contains("Published."))
        }
    }

    @Test func `a link elsewhere cannot say that something was done`() async throws {
        try await run([.admin]) { app, session in
            var headers = session
            for (site, isSaid) in [("same-origin", true), ("cross-site", false), ("none", false)] {
                headers[.secFetchSite] = site
                let page = try await app.get("/changes?done=items.published", headers: headers).text
                #expect(page.contains("Published.") == isSaid, "\(site)")
            }
        }
    }

    @Test func `without a script a page asks whether a deletion is meant`() async throws {
        try await run([.links]) { app, session in
            let made = try await app.submit(
                "/deep-links/new", "create", ["parameters.link": "https://example.com/party"], as: session)
            let path = String(try #require(made.headers[.location]).prefix { $0 != "?" })
            let form = try app.entries(of: "delete", in: try await app.get(path, headers: session).text)
            let question = try await app.send(path, form, as: session)
            #expect(question.status == 200 && question.text.contains("href=\"\(path)\""), "a way back")
            #expect(try await app.get(path, headers: session).status == 200, "it is still there")
            let yes = try app.entries(of: "delete", in: question.text)
            #expect(try await app.send(path, yes, as: session).status == 303)
            #expect(try await app.get(path, headers: session).status == 404)
        }
    }

    @Test func `who may do nothing on a page takes no room of large bodies there`() async throws {
        try await run([.viewer]) { app, session in
            let form = ["act": "create", "note": String(repeating: "x", count: 100_000)]
            let answer = try await app.send("/deep-links/new", form, as: session)
            #expect(answer.status == 413)
        }
        try await run([.links]) { app, session in
            let form = ["act": "nothing", "note": String(repeating: "x", count: 100_000)]
            let answer = try await app.send("/deep-links/new", form, as: session)
            #expect(answer.status == 404)
        }
    }

    @Test func `of two who change a link, nobody's change is lost`() async throws {
        try await run([.links]) { app, session in
            let made = try await app.submit(
                "/deep-links/new", "create",
                ["parameters.link": "https://example.com/party", "name": "Fair", "tags": "spring"],
                as: session)
            let path = try #require(made.headers[.location]).prefix { $0 != "?" }
            let page = try await app.get(String(path), headers: session).text
            let form = try app.entries(of: "change", in: page)
            func save(_ entries: [String: String]) async throws -> TestApp.Answer {
                try await app.send(String(path), form.merging(entries) { $1 }, as: session)
            }
            #expect(try await save(["name": "Autumn fair"]).status == 303)
            #expect(try await save(["note": "two days"]).status == 303)
            let refused = try await save(["name": "Winter fair"])
            #expect(refused.status == 400 && refused.text.contains("it is now “Autumn fair”"))
            #expect(refused.text.contains("value=\"Winter fair\""))
            let code = try #require(path.split(separator: "/").last)
            let link = try await app.get("/v1/links/\(code)", headers: session)
            #expect(link["name"] == "Autumn fair" && link["note"] == "two days" && link["tags.0"] == "spring")
            let again = try app.entries(of: "change", in: refused.text)
            #expect(try await app.send(String(path), again, as: session).status == 303, "it is meant")
            #expect(try await app.get("/v1/links/\(code)", headers: session)["name"] == "Winter fair")
        }
    }
}
