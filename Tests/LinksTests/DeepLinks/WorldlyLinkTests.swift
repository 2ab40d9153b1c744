import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Deep links as people, chats and mail programs hand them on.
@Suite(.inTurns) struct WorldlyLinkTests {
    private static let party = "https://example.com/party?id=7"
    private static let apps = "apn=com.example.app&ibi=com.example.app&isi=6448311069"

    private func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            ($0.app.iosTeamID, $0.app.iosBundleID) = ("ABCDE12345", "com.example.app")
            $0.app.androidPackage = "com.example.app"
        }) { app in
            try await app.signUp("ann")
            try await test(app, app.keyed(.server))
        }
    }

    private func open(_ app: TestApp, _ path: String, _ device: HTTPFields = [:]) async throws
        -> TestApp.Answer
    {
        var headers = device
        headers[.testHost] = "go.example.com"
        return try await app.get(path, headers: headers)
    }

    private func make(
        _ app: TestApp, _ key: HTTPFields, _ code: String, _ link: String, _ more: [String: String] = [:]
    )
        async throws -> TestApp.Answer
    {
        try await app.post(
            "/v1/links", as: nil, headers: key,
            ["code": code, "suffix": "custom", "parameters": ["link": link].merging(more) { $1 }])
    }

    @Test func `row 6: a code is what stands before the first character that no code has`() async throws {
        try await run { app, key in
            #expect(try await make(app, key, "KPo2", Self.party).status == 201)
            for tail in StuckTextTests.tails where !tail.contains("?") && tail != "%00" {
                let answer = try await open(app, "/KPo2\(tail)")
                #expect(answer.headers[.location] == Self.party, "\(tail) \(answer.status)")
            }
            for (number, tail) in [")", "。", "で待ってます", "\u{200B}", "\n\nhello", "》", ".", "/)"].enumerated() {
                let url = "https://go.example.com/KPo2\(tail)"
                let found = try await app.post(
                    "/v1/links/resolve", as: nil, headers: app.keyed(.client), ["url": url])
                #expect(found["target"] == Self.party, "\(tail) \(found.text)")
                let claim = try await app.claim(
                    ["platform": "ios", "pasteboard": "go \(url)"], of: "i-\(number)")
                #expect(claim["deepLink.target"] == Self.party, "\(tail) \(claim.text)")
            }
            #expect(try await open(app, "/KPo2x").status == 404)
        }
    }

    @Test func `row 10: a link wrapped by what leads out of another app is unwrapped`() async throws {
        try await run { app, key in
            _ = try await make(app, key, "KPo2", Self.party)
            let url = "https://l.facebook.com/l.php?u=https%3A%2F%2Fgo.example.com%2FKPo2&h=A"
            let found = try await app.post(
                "/v1/links/resolve", as: nil, headers: app.keyed(.client), ["url": url])
            #expect(found["target"] == Self.party, "\(found.text)")
            let claim = try await app.claim(["platform": "ios", "pasteboard": "see \(url)."])
            #expect(claim["deepLink.target"] == Self.party, "\(claim.text)")
        }
    }

    @Test func `the pictures of a link that nobody reads are not drawn`() async throws {
        try await run { app, key in
            _ = try await make(app, key, "KPo2", Self.party)
            for (ands, status) in [(4_000, 200), (8_000, 400)] {
                let answer = try await open(app, "/KPo2?d=1" + String(repeating: "&", count: ands))
                #expect(answer.status == status, "\(ands)")
            }
        }
    }

    @Test func `a link that was not encoded leads where the encoded one does`() async throws {
        try await run { app, key in
            let short = try await app.firebase(
                "shortLinks", app.keyed(.client),
                ["longDynamicLink": "https://go.example.com/?link=\(Self.party)&\(Self.apps)"])
            #expect(short.status == 200, "\(short.text)")
            #expect(short.text.contains("is not percent-encoded"), "\(short.text)")
            for query in [
                "link=\(Self.party)&\(Self.apps)", "link=\(PercentEncoding.encode(Self.party))&\(Self.apps)",
            ] {
                #expect(try await open(app, "/?\(query)").headers[.location] == Self.party, "\(query)")
                let store = try await open(app, "/?\(query)", .android)
                #expect(store.headers[.location]?.hasPrefix("https://play.google.com/") == true, "\(query)")
                let warned = try await open(app, "/?\(query)&d=1").text.contains("is not percent-encoded")
                #expect(warned == query.contains("?id"), "\(query)")
            }
        }
    }

    /// `link = f'https://pipe.bio/users/{name}?invitedBy={uid}'`, and
    /// `f'https://pipeproduction.page.link?link={link}&ibi={bundle_id}&isi={appstore_id}&efr=1'`.
    @Test(arguments: [false, true])
    func `the link that the article prints leads to the inviter, before and after quote`(isQuoted: Bool)
        async throws
    {
        try await run { app, _ in
            let link = "\(TestApp.origin)/users/ann?invitedBy=u-ann"
            let given = isQuoted ? PercentEncoding.encode(link).replacing("%2F", with: "/") : link
            let long = "/?link=\(given)&ibi=com.example.app&isi=6448311069&efr=1"
            #expect(try await open(app, long).headers[.location] == link)
            let phone = try await open(app, long, .iPhone)
            #expect(phone.headers[.location] == "https://apps.apple.com/app/id6448311069")
            let found = try await app.post(
                "/v1/links/resolve", as: nil, headers: app.keyed(.client),
                ["url": "https://go.example.com\(long)"])
            #expect(found["target"] == link, "\(found.text)")
        }
    }

    @Test func `a target at which no link stands is for the app alone`() async throws {
        try await run { app, key in
            let target = "https://go.example.com/contact"
            let long = "/?link=\(PercentEncoding.encode(target))&\(Self.apps)"
            #expect(try await make(app, key, "c", target, ["apn": "com.example.app"]).status == 201)
            for path in [long, "/c"] {
                let store = try await open(app, path, .android)
                #expect(store.headers[.location]?.hasPrefix("https://play.google.com/") == true, "\(path)")
                #expect(try await open(app, path).status == 404, "\(path)")
                let found = try await app.post(
                    "/v1/links/resolve", as: nil, headers: app.keyed(.client),
                    ["url": "https://go.example.com\(path)"])
                #expect(found["target"] == target, "\(found.text)")
            }
            let fallback = "\(long)&ofl=\(PercentEncoding.encode(Self.party))"
            #expect(try await open(app, fallback).headers[.location] == Self.party)
            // Then it is a link itself.
            #expect(try await make(app, key, "contact", Self.party).status == 201)
            #expect(try await open(app, long, .android).status == 400)
            let second = try await make(app, key, "d", target)
            #expect((second.status, second["field"]) == (400, "parameters.link"), "\(second.text)")
            let own = try await make(app, key, "own", "https://go.example.com/own")
            #expect(own["field"] == "parameters.link", "\(own.text)")
            let changed = try await app.call(
                .patch, "/v1/links/contact", headers: key,
                body: ["parameters": ["link": "https://go.example.com/c"] as Body])
            #expect(changed["field"] == "parameters.link", "\(changed.text)")
        }
    }

    @Test func `a plus in what somebody adds of a campaign is a blank, and stays what it is in a URL`()
        async throws
    {
        try await run { app, key in
            _ = try await make(app, key, "KPo2", Self.party, ["apn": "com.example.app"])
            let store = try await open(app, "/KPo2?utm_campaign=landing+page&x=a+b", .android)
            #expect(
                store.headers[.location]?.contains("utm_campaign%3Dlanding%2520page") == true,
                "\(store.headers)")
            let desktop = try await open(app, "/KPo2?utm_campaign=landing+page&x=a+b")
            #expect(desktop.headers[.location] == "\(Self.party)&utm_campaign=landing+page&x=a+b")
        }
    }

    @Test(arguments: ["", "curl/8.5.0", "Snap URL Preview Service; bot; snapchat"])
    func `a program gets a page with tags, and is no click`(agent: String) async throws {
        try await run { app, key in
            _ = try await make(app, key, "KPo2", Self.party, ["st": "Party"])
            let page = try await open(app, "/KPo2", [.userAgent: agent])
            #expect(page.status == 200 && page.text.contains(#"<meta property="og:title" content="Party">"#))
            let invite = try await app.get("/users/ann?invitedBy=u-ann", headers: [.userAgent: agent])
            #expect(invite.status == 200)
            #expect(try await app.count("clicks") == 0)
            _ = try await open(app, "/KPo2", .android)
            #expect(try await app.count("clicks") == 1)
        }
    }
}
