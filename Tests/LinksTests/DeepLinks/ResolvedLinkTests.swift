import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// What an app gets for a deep link that opened it.
@Suite(.inTurns) struct ResolvedLinkTests {
    private static let party = "https://example.com/party?id=7"

    private func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
        }) { app in
            try await app.signUp("ann")
            try await test(app, app.keyed(.server))
        }
    }

    private func make(_ app: TestApp, _ key: HTTPFields, _ code: String, _ link: String) async throws {
        let parameters = ["link": link, "ibi": "com.example.app", "imv": "1.2"]
        let made = try await app.post(
            "/v1/links", as: nil, headers: key,
            ["code": code, "suffix": "custom", "parameters": Body(stringLiteral: parameters.json)])
        try #require(made.status == 201, "\(made.text)")
    }

    private func resolve(_ app: TestApp, _ url: String, _ platform: String? = nil) async throws
        -> TestApp.Answer
    {
        var body: [String: String] = ["url": url]
        body["platform"] = platform
        return try await app.post(
            "/v1/links/resolve", as: nil, headers: app.keyed(.client), Body(stringLiteral: body.json))
    }

    private func counts(_ app: TestApp, _ key: HTTPFields) async throws -> [String: Int] {
        try await app.get("/v1/links/party/stats", headers: key).json["total"] as? [String: Int] ?? [:]
    }

    @Test func `a short link leads to its target, with what the visitor added`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            let link = try await resolve(app, "https://go.example.com/party?from=bob")
            #expect(link["target"] == "\(Self.party)&from=bob", "\(link.text)")
            #expect(link["url"] == "https://go.example.com/party?from=bob")
            #expect(link["parameters.imv"] == "1.2")
        }
    }

    @Test func `a long link leads to its target`() async throws {
        try await run { app, _ in
            let link = try await resolve(
                app, "https://go.example.com/?link=https%3A%2F%2Fexample.com%2Fa&utm_source=poster")
            #expect(link["target"] == "https://example.com/a", "\(link.text)")
            #expect(link["parameters.utm_source"] == "poster")
        }
    }

    @Test func `a long link whose target lost its uid does not lead to the name alone`() async throws {
        try await run { app, _ in
            let page = "\(TestApp.origin)/users/ann"
            for (rest, status) in [
                ("\(page)&invitedBy=u-1", 404), ("\(page)?x=1&invitedBy=u-1", 404),
                ("\(page)&amp;invitedBy=u-1", 404),
                ("\(page)&utm_source=x", 200), (PercentEncoding.encode("\(page)?invitedBy=u-ann"), 200),
            ] {
                let link = try await resolve(app, "https://go.example.com/?link=\(rest)")
                #expect(link.status == status, "\(rest) \(link.text)")
                let claim = try await app.claim(
                    ["platform": "ios", "pasteboard": "go https://go.example.com/?link=\(rest)"],
                    of: "i-\(rest.count)")
                #expect((claim["inviter.uid"] == "u-ann") == (status == 200), "\(rest) \(claim.text)")
            }
        }
    }

    @Test func `the fragment of the URL goes on to the target, in place of its own`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            try await make(app, key, "part", "\(Self.party)#own")
            for (url, target) in [
                ("party#there", "\(Self.party)#there"), ("party?a=b#/x?y", "\(Self.party)&a=b#/x?y"),
                ("part#there", "\(Self.party)#there"), ("part", "\(Self.party)#own"), ("party#", Self.party),
                ("?link=https%3A%2F%2Fexample.com%2F#there", "https://example.com/#there"),
            ] {
                let link = try await resolve(app, "https://go.example.com/\(url)")
                #expect(link["target"] == target, "\(link.text)")
            }
        }
    }

    @Test func `what a visitor adds of a campaign wins, and what Firebase's page added is left out`()
        async throws
    {
        try await run { app, key in
            let parameters = ["link": Self.party, "utm_source": "own", "utm_medium": "print"]
            let made = try await app.post(
                "/v1/links", as: nil, headers: key,
                ["code": "ad", "suffix": "custom", "parameters": parameters])
            try #require(made.status == 201, "\(made.text)")
            let link = try await resolve(
                app, "https://go.example.com/ad?utm_source=x%20y&utm_term=&cid=1&_osl=z")
            #expect(link["target"] == "\(Self.party)&utm_source=x%20y&utm_term=", "\(link.text)")
            let found = link.json["parameters"] as? [String: String]
            #expect(found == ["utm_source": "x y", "utm_medium": "print"], "\(link.text)")
        }
    }

    @Test func `an invite leads to the inviter's present name`() async throws {
        try await run { app, key in
            try await make(app, key, "ann", "\(TestApp.origin)/users/ann?invitedBy=u-ann")
            try await app.rename("u-ann", to: "anna")
            let link = try await resolve(app, "https://go.example.com/ann")
            #expect(link["target"] == "\(TestApp.origin)/users/anna?invitedBy=u-ann", "\(link.text)")
        }
    }

    @Test func `only an opening by an app counts`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            let url = "https://go.example.com/party"
            for platform in [nil, "ios", "android", "ios"] {
                #expect(try await resolve(app, url, platform).status == 200)
            }
            let counts = try await counts(app, key)
            #expect(counts["reopen"] == 3 && counts["click"] == 0, "\(counts)")
            let wrong = try await resolve(app, url, "windows")
            #expect((wrong.status, wrong["field"]) == (400, "platform"))
            try await app.verify()
        }
    }

    @Test(arguments: [
        "https://go.example.com/nothing", "https://example.com/party", "https://go.example.com/",
        "https://go.example.com/?link=https%3A%2F%2Fevil.example%2F", "myapp://google/link/", "party", "",
        "https://join.example.com/users/ann?invitedBy=u-ann",
    ])
    func `what is no deep link, or leads nowhere, is not found`(_ url: String) async throws {
        try await run { app, _ in
            let answer = try await resolve(app, url, "ios")
            #expect((answer.status, answer.code) == (404, "not_found"), "\(answer.text)")
        }
    }
}
