import Foundation
import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits

/// Short links, from the call that makes them to the visitor.
@Suite(.inTurns) struct ShortLinkTests {
    static let party = "https://example.com/party?id=7"

    func run(
        _ adjust: @Sendable (inout Config) -> Void = { _ in },
        _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.app.linkDomains = "https://go.example.com,\(TestApp.origin)/l"
            $0.app.linkTargets = "example.com"
            adjust(&$0)
        }) { app in
            let key = try await APIKeyStore(db: app.db).create(name: "links", scope: .admin)
            try await test(app, [.authorization: "Bearer \(key)"])
        }
    }

    func make(_ app: TestApp, _ key: HTTPFields, _ body: Body) async throws -> TestApp.Answer {
        try await app.post("/v1/links", as: nil, headers: key, body)
    }

    func open(_ app: TestApp, _ path: String, host: String = "go.example.com") async throws
        -> TestApp.Answer
    {
        try await app.get(path, headers: [.testHost: host])
    }

    @Test func `the same link gets the same unguessable code`() async throws {
        try await run { app, key in
            let first = try await make(app, key, ["parameters": ["link": Self.party]])
            #expect(first.status == 201 && first["code"]?.count == 17, "\(first.text)")
            let again = try await make(app, key, ["parameters": ["link": Self.party]])
            #expect(again.status == 200 && again["code"] == first["code"], "\(again.text)")
            let other = try await make(app, key, ["parameters": ["link": Self.party, "st": "Party"]])
            #expect(other.status == 201 && other["code"] != first["code"])
            let opened = try await open(app, "/\(first["code"] ?? "")")
            #expect((opened.status, opened.headers[.location]) == (302, Self.party))
        }
    }

    @Test func `a short code has four characters, and a chosen one is the caller's`() async throws {
        try await run { app, key in
            let short = try await make(app, key, ["parameters": ["link": Self.party], "suffix": "short"])
            #expect(short["code"]?.count == 4, "\(short.text)")
            let custom: Body = ["parameters": ["link": Self.party], "suffix": "custom", "code": "summer"]
            #expect(try await make(app, key, custom).status == 201)
            #expect(try await make(app, key, custom).status == 200)
            let taken = try await make(
                app, key,
                ["parameters": ["link": "https://example.com/"], "suffix": "custom", "code": "summer"])
            #expect((taken.status, taken.code) == (409, "code_taken"), "\(taken.text)")
            let elsewhere = try await make(
                app, key,
                [
                    "parameters": ["link": "https://example.com/"], "suffix": "custom", "code": "summer",
                    "domain": "\(TestApp.origin)/l",
                ])
            #expect(elsewhere.status == 201, "\(elsewhere.text)")
            let host = String(TestApp.origin.split(separator: "/").last ?? "")
            #expect(try await open(app, "/l/summer", host: host).headers[.location] == "https://example.com/")
            #expect(try await open(app, "/summer").headers[.location] == Self.party)
        }
    }

    @Test(arguments: [
        ("?utm_source=x", "\(party)&utm_source=x"), ("?id=8", "https://example.com/party?id=8"),
        ("?a=%5C&id", "https://example.com/party?a=%5C&id"),
        ("?%69%64=9&b=1", "https://example.com/party?%69%64=9&b=1"),
        ("?cid=1&_osl=x&%5Ficp=1&utm_source=y", "\(party)&utm_source=y"), ("?cid=1&_cpb=1", party),
        ("?\(Device.wayOutMark)=1&fb_locale=ja", party), ("?d=0&hl=ja", party), ("?", party),
        ("?qr=1", party), ("?qr=1&utm_source=y", "\(party)&utm_source=y"),
    ])
    private func `what stands behind a short link goes on to the target`(query: String, location: String)
        async throws
    {
        try await run { app, key in
            _ = try await make(
                app, key, ["parameters": ["link": Self.party], "suffix": "custom", "code": "c"])
            #expect(try await open(app, "/c\(query)").headers[.location] == location)
        }
    }

    @Test func `links are listed, changed, archived, and expire`() async throws {
        try await run { app, key in
            for code in ["a", "b", "c"] {
                _ = try await make(
                    app, key, ["parameters": ["link": Self.party], "suffix": "custom", "code": code])
            }
            let list = try await app.get("/v1/links?limit=2", headers: key)
            let links = list.json["links"] as? [[String: Any]] ?? []
            #expect(links.map { $0["code"] as? String } == ["c", "b"], "\(list.text)")
            let rest = try await app.get("/v1/links?limit=2&after=\(list["next"] ?? "")", headers: key)
            #expect((rest.json["links"] as? [[String: Any]])?.count == 1, "\(rest.text)")
            let changed = try await app.call(
                .patch, "/v1/links/a", as: nil, headers: key,
                body: ["name": "Flyer", "archived": true, "parameters": ["link": "https://example.com/new"]])
            #expect(changed["name"] == "Flyer" && changed["archivedAt"] != nil, "\(changed.text)")
            #expect(try await open(app, "/a").headers[.location] == "https://example.com/new")
            _ = try await app.call(.patch, "/v1/links/a", as: nil, headers: key, body: ["expiresIn": 1])
            try await app.db.write.run("UPDATE links SET expires_at = now() WHERE code = 'a'")
            #expect(try await open(app, "/a").status == 404)
            for path in ["/v1/links/nothing", "/v1/links/nothing/stats"] {
                let answer = try await app.get(path, headers: key)
                #expect((answer.code, answer["detail"]) == ("not_found", "There is no such short link."))
            }
            let again = try await make(
                app, key,
                ["parameters": ["link": "https://example.com/new"] as Body, "suffix": "custom", "code": "a"])
            #expect(again.status == 200 && again["expiresAt"] == nil, "\(again.text)")
            #expect(try await open(app, "/a").status == 302)
        }
    }

    @Test(
        arguments: [
            (["parameters": [:] as Body], "parameters.link"),
            (["parameters": ["link": "nothing"]], "parameters.link"),
            (["parameters": ["link": "https://evil.example/"]], "parameters.link"),
            (["parameters": ["link": party, "ofl": "https://evil.example/"]], "parameters.ofl"),
            (["parameters": ["link": party], "domain": "https://other.example"], "domain"),
            (["parameters": ["link": party], "suffix": "long"], "suffix"),
            (["parameters": ["link": party], "suffix": "custom"], "code"),
            (["parameters": ["link": party], "suffix": "custom", "code": "a b"], "code"),
            (["parameters": ["link": party], "code": "a"], "code"), ([:], "parameters"),
        ] as [(Body, String)])
    private func `a bad body is a 400 that names the field`(body: Body, field: String) async throws {
        try await run { app, key in
            let answer = try await make(app, key, body)
            #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `a thousand short links have a thousand codes`() async throws {
        try await run { app, key in
            let codes = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<1000 {
                    group.addTask {
                        try await make(app, key, ["parameters": ["link": Self.party], "suffix": "short"])[
                            "code"]
                    }
                }
                return try await group.reduce(into: Set<String>()) { if let code = $1 { $0.insert(code) } }
            }
            #expect(codes.count == 1000)
        }
    }
}
