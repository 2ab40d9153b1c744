import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
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
