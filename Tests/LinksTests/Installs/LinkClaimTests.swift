import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// Deep links on their way through a store: row 5 of the table "What an app can claim" in docs/rules.md, and
/// what they count.
@Suite(.inTurns) struct LinkClaimTests {
    private static let invite = "\(TestApp.origin)/users/ann?invitedBy=u-ann"
    static let party = "https://example.com/party?id=7"

    func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            $0.app.iosTeamID = "ABCDE12345"
            ($0.app.iosBundleID, $0.app.androidPackage) = ("com.example.app", "com.example.app")
        }) { app in
            try await app.signUp("ann")
            try await test(app, app.keyed(.server))
        }
    }

    func make(
        _ app: TestApp, _ key: HTTPFields, _ code: String, _ link: String, _ more: [String: String] = [:]
    ) async throws {
        let parameters = [
            "link": link, "apn": "com.example.app", "ibi": "com.example.app", "isi": "6448311069",
            "amv": "12", "imv": "1.2", "utm_source": "poster",
        ].merging(more) { $1 }
        let made = try await app.post(
            "/v1/links", as: nil, headers: key,
            ["code": code, "suffix": "custom", "parameters": Body(stringLiteral: parameters.json)])
        try #require(made.status == 201, "\(made.text)")
    }

    func open(_ app: TestApp, _ path: String, _ device: HTTPFields = .android) async throws
        -> TestApp.Answer
    {
        var headers = device
        headers[.testHost] = "go.example.com"
        return try await app.get(path, headers: headers)
    }

    private func counts(_ app: TestApp, _ key: HTTPFields, _ code: String) async throws -> [String: Int] {
        try await app.get("/v1/links/\(code)/stats", headers: key).json["total"] as? [String: Int] ?? [:]
    }

    @Test func `row 5: a link comes through Google Play, and counts once an installation`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            let store = try await open(app, "/party?utm_source=x&from=bob")
            let referrer = try #require(store.playReferrer)
            #expect(
                referrer
                    == "kith_link=https%3A%2F%2Fgo.example.com%2Fparty%3Futm_source%3Dx%26from%3Dbob&utm_source=x"
            )
            for installation in ["a", "a", "b"] {
                let claim = try await app.claim(
                    ["platform": "android", "referrer": referrer], of: installation)
                #expect(claim["deepLink.target"] == "\(Self.party)&utm_source=x&from=bob", "\(claim.text)")
                #expect(claim["deepLink.url"] == "https://go.example.com/party?utm_source=x&from=bob")
                let parameters = (claim.json["deepLink"] as? [String: Any])?["parameters"]
                #expect(
                    parameters as? [String: String] == ["amv": "12", "imv": "1.2", "utm_source": "x"])
                #expect(claim["confidence"] == "exact" && claim["claim"] == nil && claim["inviter"] == nil)
            }
            let counts = try await counts(app, key, "party")
            #expect(counts["install"] == 2 && counts["firstOpen"] == 2 && counts["click"] == 1, "\(counts)")
            try await app.verify()
        }
    }

    @Test func `row 5: a link that is an invite comes with it, through Google Play`() async throws {
        try await run { app, key in
            try await make(app, key, "ann", Self.invite)
            let way = try #require(try await open(app, "/ann").headers[.location])
            #expect(way.hasPrefix("\(TestApp.origin)/users/ann/play-store?invitedBy=u-ann&referrer="))
            let referrer = try await app.tap(String(way.dropFirst(TestApp.origin.utf8.count)))
            #expect(referrer.hasPrefix("kith_claim="))
            let link = "&kith_link=https%3A%2F%2Fgo.example.com%2Fann&utm_source=poster"
            #expect(referrer.hasSuffix(link), "\(referrer)")
            try await app.rename("u-ann", to: "anna")
            for _ in 0..<2 {
                let claim = try await app.claim(["platform": "android", "referrer": referrer])
                #expect(claim["inviter.username"] == "anna" && claim["claim"] != nil, "\(claim.text)")
                #expect(claim["deepLink.target"] == "\(TestApp.origin)/users/anna?invitedBy=u-ann")
            }
            #expect(try await counts(app, key, "ann")["firstOpen"] == 1)
            let stats = try await app.get("/v1/me/invite/stats", as: "u-ann")
            #expect(stats["total.install"] == "1" && stats["total.firstOpen"] == "1", "\(stats.text)")
            // Another installation has no part in the tap.
            let other = try await app.claim(["platform": "android", "referrer": referrer], of: "other")
            #expect(other.status == 404, "\(other.text)")
            // A store that lost the token, as of a tap that was not left, still knows the link.
            let rest = try await app.claim(
                ["platform": "android", "referrer": String(link.dropFirst())], of: "third")
            #expect(rest["inviter.username"] == "anna" && rest["deepLink.url"] != nil, "\(rest.text)")
        }
    }

    @Test func `row 5: the page of an iPhone copies the link, which the app pastes`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            try await make(app, key, "ann", Self.invite)
            for (code, name) in [("party", nil), ("ann", "ann")] {
                let page = try await open(app, "/\(code)", .iPhone)
                let link = "https://go.example.com/\(code)"
                #expect(page.text.contains(#"data-copy="\#(link)""#), "\(page.text)")
                for text in [link, "See \(link).", "Hi!\n<\(link)>"] {
                    let claim = try await app.claim(["platform": "ios", "pasteboard": text])
                    #expect(
                        claim["deepLink.url"] == link && claim["inviter.username"] == name, "\(claim.text)")
                    #expect((claim["claim"] != nil) == (name != nil))
                }
                let counts = try await counts(app, key, code)
                #expect(counts["install"] == 0 && counts["firstOpen"] == 1, "\(counts)")
            }
        }
    }

    @Test func `row 5: the fragment of a pasted link goes on to its target`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            let claim = try await app.claim([
                "platform": "ios", "pasteboard": "See https://go.example.com/party#there",
            ])
            #expect(claim["deepLink.target"] == "\(Self.party)#there", "\(claim.text)")
        }
    }

    @Test func `row 5: of a campaign what visitors add wins in the referrer, and a link they add never`()
        async throws
    {
        try await run { app, key in
            try await make(app, key, "party", Self.party, ["gclid": "own"])
            let evil = "kith_link=https%3A%2F%2Fgo.example.com%2Fother"
            let store = try await open(
                app, "/party?gclid=g&cid=1&_osl=x&\(evil)&utm_source=x%26\(PercentEncoding.encode(evil))")
            let referrer = try #require(store.playReferrer)
            #expect(referrer.hasSuffix("&gclid=g") && !referrer.contains("cid%3D1"), "\(referrer)")
            let claim = try await app.claim(["platform": "android", "referrer": "\(referrer)&\(evil)"])
            #expect(
                claim["deepLink.url"]?.hasPrefix("https://go.example.com/party?") == true, "\(claim.text)")
        }
    }

    @Test func `row 5: a long link stands in the referrer with what the app needs`() async throws {
        try await run { app, _ in
            let long = TestApp.long([
                "link": Self.party, "apn": "com.example.app", "amv": "12", "st": "Title",
                "utm_campaign": "spring",
            ])
            let path = String(long.dropFirst("https://go.example.com".utf8.count))
            let referrer = try #require(try await open(app, path).playReferrer)
            let claim = try await app.claim(["platform": "android", "referrer": referrer])
            #expect(claim["deepLink.target"] == Self.party, "\(claim.text)")
            #expect(
                claim["deepLink.url"]
                    == TestApp.long([
                        "link": Self.party, "apn": "com.example.app", "amv": "12", "utm_campaign": "spring",
                    ]))
            let parameters = (claim.json["deepLink"] as? [String: Any])?["parameters"]
            #expect(parameters as? [String: String] == ["amv": "12", "utm_campaign": "spring"])
        }
    }

    @Test(arguments: [(10, 10, "both"), (10, 900, "link"), (1100, 10, "campaign"), (1100, 1900, nil)])
    func `row 5: what is too long for a referrer is left out`(target: Int, campaign: Int, kept: String?)
        async throws
    {
        try await run { app, _ in
            let (path, name) = (
                String(repeating: "x", count: target), String(repeating: "y", count: campaign)
            )
            let long = TestApp.long([
                "link": "https://example.com/\(path)", "apn": "com.example.app", "utm_campaign": name,
                "utm_term": campaign > 500 ? name : "t",
            ])
            let answer = try await open(app, String(long.dropFirst("https://go.example.com".utf8.count)))
            let referrer = answer.playReferrer ?? ""
            let found = (
                referrer.contains("kith_link="), referrer.contains("&utm_") || referrer.hasPrefix("utm_")
            )
            let wanted = [
                "both": (true, true), "link": (true, true), "campaign": (false, true),
            ]
            #expect(referrer.utf8.count <= 2048)
            #expect(found == (kept.flatMap { wanted[$0] } ?? (false, false)), "\(referrer)")
            if kept == "link" {
                let claim = try await app.claim(["platform": "android", "referrer": referrer])
                #expect(claim["deepLink.url"] == TestApp.long(["link": "https://example.com/\(path)"]))
            }
        }
    }

    @Test func `row 4: a link that leads nowhere by now is no claim`() async throws {
        try await run { app, key in
            for code in ["over", "gone", "moved"] { try await make(app, key, code, Self.party) }
            try await make(app, key, "dead", Self.invite)
            try await app.db.write.run("UPDATE links SET expires_at = now() WHERE code = 'over'")
            try await app.db.write.run(
                "UPDATE links SET parameters = '{\"link\": \"https://evil.example/\"}' WHERE code = 'moved'"
            )
            try await app.db.write.run("DELETE FROM links WHERE code = 'gone'")
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            let domain = "https://go.example.com"
            for url in [
                "\(domain)/over", "\(domain)/gone", "\(domain)/moved", "\(domain)/dead", "\(domain)/",
                "\(domain)/%",
                "\(domain)/?link=https%3A%2F%2Fevil.example%2F", "https://evil.example/party",
                "myapp://party",
                "nonsense", "", "\(domain)/?link=x&link=y",
            ] {
                let evidence = [
                    ["platform": "android", "referrer": "kith_link=\(PercentEncoding.encode(url))"],
                    ["platform": "ios", "pasteboard": url],
                ]
                for body in evidence {
                    let claim = try await app.claim(body)
                    #expect((claim.status, claim.code) == (404, "claim_not_found"), "\(url): \(claim.text)")
                }
            }
            #expect(try await app.count("link_claims") == 0)
            // Visitors get the 404 page.
            let page = try await open(app, "/dead")
            #expect(page.status == 404 && page.text.contains("<html"), "\(page.text)")
        }
    }

    @Test(arguments: ["%00", "%FF", "%", "x&referrer=y", "%0D%0ASet-Cookie:x", "kith_claim=x", "\\%5C;é", ""])
    func `the way to the store takes any referrer, or none`(referrer: String) async throws {
        try await run { app, _ in
            let path =
                "/users/ann/play-store?invitedBy=u-ann&referrer=\(referrer.replacing("é", with: "%C3%A9"))"
            let answer = try await app.get(path, headers: .android)
            let location = answer.headers[.location] ?? ""
            #expect(
                answer.status == 302 && answer.playReferrer?.hasPrefix("kith_claim=") == true,
                "\(answer.text)")
            #expect(
                location.hasPrefix("https://play.google.com/store/apps/details?id=com.example.app&referrer="))
            #expect(location.wholeMatch(of: /[!-~]+/) != nil && !location.contains("Set-Cookie:"))
        }
    }

    @Test func `Firebase's call counts an installation once`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            let client = try await app.keyed(.client)
            for time in [1, 1, 2] {
                let body: Body = [
                    "bundleId": "com.example.app", "appInstallationTime": time,
                    "uniqueMatchLinkToCheck": "https://go.example.com/party",
                ]
                let answer = try await app.firebase("installAttribution", client, body)
                #expect(answer["deepLink"] == Self.party, "\(answer.text)")
            }
            #expect(try await counts(app, key, "party")["firstOpen"] == 2)
        }
    }

    @Test func `who claimed a link is forgotten after a while`() async throws {
        try await run { app, key in
            try await make(app, key, "party", Self.party)
            for installation in ["a", "b", "c"] {
                _ = try await app.claim(
                    ["platform": "ios", "pasteboard": "https://go.example.com/party"], of: installation)
            }
            try await app.db.write.run(
                "UPDATE link_claims SET expires_at = now() WHERE expires_at > now() AND installation < (SELECT max(installation::text)::uuid FROM link_claims)"
            )
            try await LinkClaimStore(db: app.db).forgetExpired(part: 1)
            #expect(try await app.count("link_claims") == 1)
        }
    }
}
