import Foundation
import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// What `GET /v1/admin/explain` says of deep links, beside what their visitors get.
@Suite(.inTurns) struct ExplainDeepLinkTests {
    private static let domain = "https://go.example.com"

    private func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            ($0.app.iosTeamID, $0.app.iosBundleID) = ("ABCDE12345", "com.example.app")
            $0.app.androidPackage = "com.example.app"
            $0.app.linkDomains = "\(Self.domain),\(TestApp.origin)/l"
            $0.app.linkTargets = "example.com"
        }) { app in
            try await app.signUp("ann0", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            try await app.signUp("sev0", uid: "u-sev")
            try await app.rename("u-sev", to: "sev", oldLinks: "sever")
            try await test(app, app.keyed())
        }
    }

    private func visit(_ app: TestApp, _ url: String, _ device: HTTPFields = [:]) async throws
        -> TestApp.Answer
    {
        let web = try WebURL(url)
        var headers = device
        headers[.testHost] = web.host
        return try await app.get(web.rest.isEmpty ? "/" : web.rest, headers: headers)
    }

    private static func long(_ target: String, _ more: String = "") -> String {
        "\(domain)/?link=\(PercentEncoding.encode(target))\(more)"
    }

    private func make(
        _ app: TestApp, _ key: HTTPFields, _ code: String, _ target: String, expiresIn: Int? = nil
    ) async throws {
        let answer = try await app.post(
            "/v1/links", as: nil, headers: key,
            [
                "parameters": ["link": target] as Body, "suffix": "custom", "code": code,
                "expiresIn": expiresIn,
            ])
        try #require(answer.status == 201, "\(answer.text)")
    }

    @Test func `each step of a deep link says what its URL answers`() async throws {
        try await run { app, admin in
            try await make(app, admin, "party", "https://example.com/party")
            try await make(app, admin, "old", "https://example.com/party", expiresIn: 3600)
            try await app.db.write.run("UPDATE links SET expires_at = now() WHERE code = 'old'")
            try await make(app, admin, "ann", "\(TestApp.origin)/users/ann0?invitedBy=u-ann")
            for (url, rows) in [
                (Self.long("https://example.com/party?id=7"), [7]), ("\(Self.domain)/party", [7]),
                ("\(Self.domain)/party?utm_source=x", [7]), ("\(Self.domain)/old", [0]),
                ("\(Self.domain)/nothing", [0]),
                ("\(Self.domain)/?x=1", [0]), ("\(Self.domain)/ann", [7, 1]),
                (Self.long("\(TestApp.origin)/users/ann0?invitedBy=u-ann"), [7, 1]),
                (Self.long("\(TestApp.origin)/users/sev0?invitedBy=u-sev"), [0, 3]),
                ("\(TestApp.origin)/l/?link=https%3A%2F%2Fexample.com%2F", [7]),
                (Self.long("https://evil.example.org/"), [0]),
            ] {
                let answer = try await app.explain(url, admin)
                let steps = answer.objects("steps")
                #expect(steps.map { $0["row"] as? Int ?? 0 } == rows, "\(url): \(answer.text)")
                for step in steps {
                    let url = try #require(step["url"] as? String)
                    let visited = try await visit(app, url)
                    #expect(step["status"] as? Int == visited.status, "\(url): \(answer.text)")
                    #expect(step["location"] as? String == visited.headers[.location], "\(url)")
                }
            }
            let invite = try await app.explain("\(Self.domain)/ann", admin)
            #expect((invite["signingUp.result"], invite["accepting.result"]) == ("friends", "requested"))
            #expect((invite["deepLink.code"], invite["deepLink.domain"]) == ("ann", Self.domain))
        }
    }

    @Test func `it shows which parameters are left out, and where each device goes`() async throws {
        try await run { app, admin in
            let url = Self.long(
                "https://example.com/party", "&apn=com.other&ibi=com.example.app&isi=6448311069&efr=1&what=x")
            let answer = try await app.explain(url, admin)
            let linked = try #require(answer.json["deepLink"] as? [String: Any])
            let leftOut = (linked["leftOut"] as? [[String: Any]] ?? []).compactMap {
                $0["parameter"] as? String
            }
            #expect(Set(leftOut) == ["apn", "what"], "\(answer.text)")
            for way in linked["ways"] as? [[String: Any]] ?? [] {
                let name = way["visitor"] as? String
                guard
                    let device: HTTPFields = ["iPhone": .iPhone, "Android": .android, "computer": [:]][name]
                else { continue }
                let visited = try await visit(app, url, device)
                #expect(way["status"] as? Int == visited.status, "\(way)")
                if visited.status == 302 {
                    #expect(way["location"] as? String == visited.headers[.location], "\(way)")
                }
            }
        }
    }

    @Test func `no link leads to the link domain of another app on this server`() async throws {
        try await run { app, key in
            let other = AppliedApp(
                hosts: ["https://two.example.org"],
                fields: [
                    "name": "Two", "linkDomains": "https://go.two.example.com",
                    "linkTargets": "*.example.com",
                ])
            _ = try await AppliedStore(db: app.db).write(AppliedApps(apps: ["two": other]), over: 0)
            _ = try await app.hosts.follow()
            for (domain, target) in [
                ("https://go.two.example.com", "\(Self.domain)/loop"),
                ("https://go.two.example.com", "https://go.two.example.com/?link=https://x.example.com"),
            ] {
                let url = "\(domain)/?link=\(PercentEncoding.encode(target))"
                #expect(try await visit(app, url).status == 400, "\(url)")
            }
            let allowed =
                "https://go.two.example.com/?link=\(PercentEncoding.encode("https://www.example.com/x"))"
            #expect(try await visit(app, allowed).headers[.location] == "https://www.example.com/x")
        }
    }

    @Test func `links of an applied app are explained by their own hosts`() async throws {
        try await run { app, admin in
            let staging = AppliedApp(hosts: ["https://staging.example.com"], fields: ["name": "Staging"])
            _ = try await AppliedStore(db: app.db).write(AppliedApps(apps: ["staging": staging]), over: 0)
            _ = try await app.hosts.follow()
            let answer = try await app.explain(
                "https://staging.example.com/users/ann0?invitedBy=u-ann", admin)
            let steps = answer.objects("steps")
            #expect(steps.map { $0["row"] as? Int } == [2, 1])
            #expect(
                steps[0]["location"] as? String == "https://staging.example.com/users/ann?invitedBy=u-ann")
        }
    }
}
