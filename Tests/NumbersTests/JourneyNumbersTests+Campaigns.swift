import Foundation
import HTTPTypes
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith

/// Campaigns and apps, from the page through the store to the sign-up.
extension JourneyNumbersTests {
    @Test func `the campaign of an invite's visit goes through Google Play to the sign-up`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let campaign = "utm_source=line&utm_medium=chat&utm_campaign=f%E2%80%AEair%1B"
            let page = try await app.get("/users/ann?invitedBy=u-ann&\(campaign)", headers: .android)
            let referrer = try await app.tap(try #require(page.href(containing: "/play-store")))
            let claim = try await app.claim(["platform": "android", "referrer": referrer], of: "phone")
            let invite: Body = ["claim": claim["claim"] ?? ""]
            #expect(try await signUp(app, "bob", [("invite", invite)]).status == 201)
            try await app.count()
            for measure in ["pages", "taps", "installs", "first_opens"] {
                for value in ["utm_source=line", "utm_medium=chat", "utm_campaign=fair", "app=standard"] {
                    #expect(try await total(app, "invites.\(measure)?\(value)") == 1, "\(measure)?\(value)")
                }
            }
            #expect(try await total(app, "invites.sign_ups?utm_campaign=fair") == 1)
        }
    }

    @Test func `the campaign of an invite that a page's button copied counts, too`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let page = try await app.get(
                "/users/ann?invitedBy=u-ann&utm_campaign=fair", headers: .iPhone)
            let link = try #require(page.copied, "\(page.text)")
            let claim = try await app.claim(["platform": "ios", "pasteboard": link], of: "phone")
            let invite: Body = ["claim": claim["claim"] ?? ""]
            #expect(try await signUp(app, "bob", [("invite", invite)]).status == 201)
            try await app.count()
            #expect(try await total(app, "invites.first_opens?utm_campaign=fair") == 1)
            #expect(try await total(app, "invites.installs") == 0)
            #expect(try await total(app, "invites.sign_ups?utm_campaign=fair") == 1)
        }
    }

    @Test(arguments: [
        ("https://news.example.com/?utm_campaign=theirs Join me: LINK", "fair"),
        ("LINK\n昨日はありがとう", "fair"), ("LINK。昨日は", "fair"), ("(LINK)", "fair"),
        ("LINK&utm_campaign=x", nil),
        ("https://join.example.com/users/ann?invitedBy=u-ann https://a.example/?utm_campaign=x", nil),
    ])
    func `of a text that somebody pasted only the invite tells a campaign`(
        text: String, campaign: String?
    ) async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let link = "https://join.example.com/users/ann?invitedBy=u-ann&utm_campaign=fair"
            let pasted = text.replacing("LINK", with: link)
            let claim = try await app.claim(["platform": "ios", "pasteboard": pasted], of: "phone")
            #expect(claim.status == 200, "\(claim.text)")
            try await app.count()
            #expect(try await total(app, "invites.first_opens") == 1)
            let known = try await app.get(
                "/v1/admin/numbers/invites.first_opens?by=utm_campaign", headers: app.keyed(.viewer))
            let values = (known.json["series"] as? [[String: Any]] ?? []).map { $0["value"] as? String }
            #expect(values == (campaign.map { [$0] } ?? []), "\(text)")
        }
    }

    @Test func `the way out of an app's browser keeps the campaign`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let line = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Mobile/15E148 Line/15.12.1"
            let page = try await app.get(
                "/users/ann?invitedBy=u-ann&utm_campaign=fair", headers: [.userAgent: line])
            let way = try #require(page.href(containing: "openExternalBrowser"), "\(page.text)")
            #expect(way.contains("utm_campaign=fair"), "\(way)")
        }
    }

    @Test(arguments: [("", "spring"), ("?utm_campaign=summer&utm_source=line", "summer")])
    func `the campaign of a deep link goes through the store, that of its URL first`(
        query: String, campaign: String
    ) async throws {
        try await run { app, _ in
            let key = try await app.keyed(.server)
            let made = try await app.post(
                "/v1/links", as: nil, headers: key,
                [
                    "parameters": [
                        "link": "https://join.example.com/party", "apn": "com.example.app",
                        "utm_campaign": "spring",
                    ] as Body, "suffix": "custom", "code": "fair",
                ])
            try #require(made.status == 201, "\(made.text)")
            var phone = HTTPFields.android
            phone[.testHost] = "go.example.com"
            let referrer = try await app.tap("/fair\(query)", headers: phone)
            let claim = try await app.claim(["platform": "android", "referrer": referrer], of: "phone")
            let url = try #require(claim["deepLink.url"], "\(claim.text)")
            #expect(try await signUp(app, "bob", [("link", url)]).status == 201)
            let again = try await app.post(
                "/v1/links/resolve", as: nil, headers: app.keyed(.client),
                ["url": .some(url), "platform": "android"])
            #expect(again.status == 200, "\(again.text)")
            try await app.count()
            for measure in ["clicks", "installs", "first_opens", "reopens", "sign_ups"] {
                #expect(try await total(app, "links.\(measure)?utm_campaign=\(campaign)") == 1, "\(measure)")
            }
            #expect(try await total(app, "links.installs?utm_source=line") == (query.isEmpty ? 0 : 1))
        }
    }

    @Test func `an app is known by its bundle id or package, and a stranger's is unknown`() async throws {
        try await run { app, _ in
            let apps: [(String, [(String, any JSONValue)])] = [
                ("ann", []), ("bob", [("app", "com.example.app")]),
                ("cat", [("app", "com.example.app"), ("platform", "android")]),
                ("dan", [("app", "com.stranger")]), ("eve", [("app", "com.stranger"), ("platform", "ios")]),
            ]
            for (name, body) in apps { #expect(try await signUp(app, name, body).status == 201, "\(name)") }
            try await app.count()
            #expect(try await total(app, "people.sign_ups?app=standard") == 3)
            #expect(try await total(app, "people.sign_ups") == 5)
            #expect(try await app.count("counts WHERE parts -> 'app' ?| ARRAY['com.stranger', 'other']") == 0)
        }
    }
}
