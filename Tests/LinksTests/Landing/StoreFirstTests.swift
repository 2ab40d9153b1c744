import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links

/// Invites that lead straight to the store (`KITH_STORE_FIRST`), over HTTP: rows 4 and 5 of "What a page
/// offers".
@Suite(.inTurns) struct StoreFirstTests {
    private let store = "https://apps.apple.com/app/id6448311069"

    private static func straight(_ config: inout Config) {
        TestApp.withStores(&config)
        (config.app.storeFirst, config.app.scheme) = (true, "sample")
        config.app.minimumIOS = SystemVersion(16)
    }

    private func agent(_ name: String) throws -> HTTPFields {
        let known = try #require(KnownAgent.all.first { $0.name == name })
        return [.userAgent: known.text, .accept: "text/html"]
    }

    @Test func `row 5: one tap on Android reaches Google Play with the claim`() async throws {
        try await TestApp.run(configure: Self.straight) { app in
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let short = try await app.get("/\(code)", headers: .android)
            let page = try #require(short.headers[.location]).replacing(TestApp.origin, with: "")
            let tap = try await app.get(page, headers: .android)
            #expect(tap.status == 302 && tap.headers[.cacheControl] == "no-store")
            let way = try #require(tap.headers[.location])
            #expect(way == "\(TestApp.origin)/users/ann/play-store?invitedBy=u-ann&code=\(code)")
            let play = try await app.get(way.replacing(TestApp.origin, with: ""), headers: .android)
            let referrer = try #require(play.playReferrer)
            let claim = try await app.claim(["platform": "android", "referrer": referrer])
            #expect(claim["confidence"] == "exact", "\(claim.text)")
            try await app.verify()
        }
    }

    @Test(arguments: [InstallPolicy.Matching.exact, .likely])
    func `row 4: one tap on an iPhone reaches the App Store`(matching: InstallPolicy.Matching) async throws {
        try await TestApp.run(configure: {
            Self.straight(&$0)
            $0.installs.matching = matching
        }) { app in
            try await app.signUp("ann")
            let way = try await app.get("/users/ann?invitedBy=u-ann", headers: .iPhone).headers[.location]
            let ours = "\(TestApp.origin)/users/ann/app-store?invitedBy=u-ann"
            #expect(way == (matching == .likely ? ours : store), "the way of a tap on the button")
            let byName = try await app.get("/users/ann", headers: .iPhone)
            #expect(byName.status == 302, "it asks, which is an invite, too")
        }
    }

    @Test func `everybody else gets the page`() async throws {
        try await TestApp.run(configure: Self.straight) { app in
            try await app.signUp("ann")
            let link = "/users/ann?invitedBy=u-ann"
            for name in [
                "LINE", "Instagram on Android", "X", "iPad as a Mac", "Safari 15", "Googlebot",
                "WhatsApp’s previews",
            ] {
                #expect(try await app.get(link, headers: agent(name)).status == 200, "\(name)")
            }
            var ahead = HTTPFields.android
            ahead[.secPurpose] = "prefetch"
            #expect(try await app.get(link, headers: ahead).status == 200)
            let left = try await app.get("\(link)&openExternalBrowser=1", headers: .iPhone)
            #expect(left.status == 200 && left.href(containing: store) != nil)
            #expect(try await app.get("/users/nobody", headers: .iPhone).status == 404)
            _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["invites": "off"])
            #expect(try await app.get(link, headers: .iPhone).status == 200, "nothing to claim")
        }
    }

    @Test func `an old iPhone gets no way to the store, on no page`() async throws {
        try await TestApp.run(configure: Self.straight) { app in
            try await app.signUp("ann")
            for path in ["/users/ann?invitedBy=u-ann", "/users/nobody"] {
                let old = try await app.get(path, headers: agent("Safari 15"))
                #expect(!old.text.contains(#"href="\#(store)"#), "\(path)")
                let current = try await app.get(
                    "\(path)\(path.contains("?") ? "&" : "?")openExternalBrowser=1", headers: .iPhone)
                #expect(current.text.contains(#"href="\#(store)"#), "\(path)")
            }
        }
    }
}
