import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Kernel
@testable import Kith

/// The way of an invite through a store, over HTTP, from the tap to the friendship.
@Suite(.inTurns) struct InstallStoryTests {
    @Test(arguments: [false, true])
    func `a tap on Android, Play, first start, claim and sign-up make friends, also after a rename`(
        renamed: Bool
    ) async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let page = try await app.get("/users/ann?invitedBy=u-ann&code=\(code)", headers: .android)
            let button = try #require(page.href(containing: "/play-store"))
            let store = try await app.get(button, headers: .android)
            #expect(store.status == 302)
            let referrer = try #require(store.playReferrer)
            if renamed { try await app.rename("u-ann", to: "anna") }

            let claim = try await app.claim(["platform": "android", "referrer": referrer])
            #expect(claim.status == 200, "\(claim.text)")
            #expect(claim["confidence"] == "exact")
            #expect(claim["inviter.username"] == (renamed ? "anna" : "ann"))
            #expect(claim["friendship"] == "friends")

            let signUp = try await app.post(
                "/v1/signup", as: "u-bob",
                ["username": "bob", "invite": ["claim": claim["claim"] ?? ""]])
            #expect(signUp["invite.friendship"] == "friends", "\(signUp.text)")
            #expect(try await app.relationship("u-ann", "u-bob") == "friends")
            #expect(try await app.friends("u-ann") == ["u-bob"])
            try await app.verify()
        }
    }

    @Test func `an iPhone pastes the link that the page copied`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let page = try await app.get("/users/ann?invitedBy=u-ann&code=\(code)", headers: .iPhone)
            let link = try #require(page.copied)
            try await app.rename("u-ann", to: "anna")
            let claim = try await app.claim(["platform": "ios", "pasteboard": link])
            #expect(claim["confidence"] == "exact", "\(claim.text)")
            for text in ["Join me: \(link) 🎉", code.dropLast(8) + "\n" + code.suffix(8)] {
                let again = try await app.claim(["platform": "ios", "pasteboard": String(text)])
                #expect(again["claim"] == claim["claim"], "\(text): \(again.text)")
            }
            #expect(claim["inviter.username"] == "anna")
            let signUp = try await app.post(
                "/v1/signup", as: "u-bob",
                ["username": "bob", "invite": ["claim": claim["claim"] ?? ""]])
            #expect(signUp["invite.friendship"] == "friends", "\(signUp.text)")
            try await app.verify()
        }
    }
}

extension TestApp {
    static func withStores(_ config: inout Config) {
        config.app.appStoreID = "6448311069"
        config.app.iosTeamID = "ABCDE12345"
        config.app.iosBundleID = "com.example.app"
        config.app.androidPackage = "com.example.app"
    }

    /// Calls `POST /v1/installs/claim` as an app with a client key does.
    func claim(_ body: [String: String], of installation: String = "installation-1", app: String? = nil)
        async throws -> Answer
    {
        var body = body
        body["installationId"] = installation
        body["app"] = app
        return try await post(
            "/v1/installs/claim", as: nil, headers: keyed(.client), Body(stringLiteral: body.json))
    }
}

extension HTTPFields {
    static let android: HTTPFields = [
        .userAgent:
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
        .accept: "text/html",
    ]
    static let iPhone: HTTPFields = [
        .userAgent:
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
        .accept: "text/html", .acceptLanguage: "ja-JP",
    ]
}

extension TestApp.Answer {
    /// The path of the first link of a page whose address contains a text.
    func href(containing part: String) -> String? {
        text.matches(of: /href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
            .first { $0.contains(part) }
            .map { $0.replacing(TestApp.origin, with: "") }
    }

    /// What the page's button copies.
    var copied: String? {
        text.firstMatch(of: /data-copy="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    }

    /// What an app that was installed from this redirect reads from Google Play.
    var playReferrer: String? {
        headers[.location].flatMap { URLComponents(string: $0) }?.queryItems?
            .first { $0.name == "referrer" }?.value
    }
}
