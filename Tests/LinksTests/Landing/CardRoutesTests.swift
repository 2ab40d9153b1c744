import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Pictures
@testable import Web

/// Cards over HTTP: whose they are, and how fetchers of previews notice a change.
@Suite(.inTurns) struct CardRoutesTests {
    /// The address of the card that a page names, as a path.
    private func card(_ app: TestApp, _ path: String, _ headers: HTTPFields = [:]) async throws -> String {
        let page = try await app.get(path, headers: headers)
        let match = try #require(page.text.firstMatch(of: /og:image" content="([^"]+)"/))
        let url = match.output.1.replacing("&amp;", with: "&")
        #expect(page.text.contains("name=\"twitter:image\" content=\"\(match.output.1)\""))
        #expect(url.hasPrefix(TestApp.origin))
        return String(url.dropFirst(TestApp.origin.count))
    }

    @Test func `the page names its card, which is a JPEG of the size that the page says`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let page = try await app.get("/users/ann?invitedBy=u-ann")
            for tag in [
                #"property="og:image:type" content="image/jpeg""#,
                #"property="og:image:width" content="1200""#, #"property="og:image:height" content="630""#,
                #"name="twitter:card" content="summary_large_image""#,
            ] { #expect(page.text.contains(tag)) }
            let answer = try await app.get(card(app, "/users/ann?invitedBy=u-ann"))
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "image/jpeg")
            #expect(answer.headers[.cacheControl] == "private, no-cache")
            let picture = try #require(Bitmap(jpeg: answer.bytes, maxPixels: 1_000_000, keepingSide: 2000))
            #expect(picture.width == 1200 && picture.height == 630)
        }
    }

    @Test func `a client that has the card gets 304, and a rename changes card and address`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let path = try await card(app, "/users/ann?invitedBy=u-ann")
            let first = try await app.get(path)
            let tag = try #require(first.headers[.eTag])
            let again = try await app.get(path, headers: [.ifNoneMatch: tag])
            #expect(again.status == 304 && again.bytes.isEmpty)
            try await app.rename("u-ann", to: "anna")
            let old = try await app.get(path)
            #expect(old.status == 302)
            #expect(
                old.headers[.location]
                    == TestApp.origin + path.replacing("/users/ann/", with: "/users/anna/"))
            let renamed = try await card(app, "/users/anna?invitedBy=u-ann")
            #expect(renamed.suffix(16) != path.suffix(16))
            let second = try await app.get(renamed, headers: [.ifNoneMatch: tag])
            #expect(second.status == 200 && second.bytes != first.bytes)
        }
    }

    @Test func `names of other glyphs that Unicode holds equal have cards of their own`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            var cards: [TestApp.Answer] = []
            for name in ["\u{795E}\u{798F}\u{8C48}", "\u{FA19}\u{FA1B}\u{F900}"] {
                let answer = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["displayName": name])
                try #require(answer.status == 200, "\(answer.text)")
                cards.append(try await app.get("/users/ann/card.jpg?invitedBy=u-ann"))
            }
            #expect(cards[0].headers[.eTag] != cards[1].headers[.eTag])
            #expect(cards[0].bytes != cards[1].bytes)
        }
    }

    @Test func `without an invite the card is the profile's`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let invite = try await app.get(card(app, "/users/ann?invitedBy=u-ann"))
            let profile = try await app.get(card(app, "/users/ann?invitedBy=nobody"))
            #expect(profile.status == 200 && profile.bytes != invite.bytes)
            #expect(try await app.get(card(app, "/users/ann")).bytes == profile.bytes)
            _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["invites": "off"])
            #expect(try await app.get("/users/ann/card.jpg?invitedBy=u-ann").bytes == profile.bytes)
        }
    }

    @Test func `the card speaks the language of its page`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let english = try await card(app, "/users/ann?invitedBy=u-ann")
            let japanese = try await card(app, "/users/ann?invitedBy=u-ann", [.acceptLanguage: "ja"])
            #expect(japanese.contains("hl=ja"))
            let wished = try await card(app, "/users/ann?invitedBy=u-ann&hl=ja", [.acceptLanguage: "en"])
            #expect(wished == japanese)
            // The fetcher of the picture need not send what the fetcher of the page sent.
            let pictures = [try await app.get(english), try await app.get(japanese)]
            #expect(pictures[0].bytes != pictures[1].bytes)
            #expect(
                try await app.get(japanese, headers: [.acceptLanguage: "en"]).bytes == pictures[1].bytes)
        }
    }

    @Test(arguments: ["suspended", "deleted"])
    func `there is no card of a user who is not there`(status: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let path = try await card(app, "/users/ann?invitedBy=u-ann")
            try await app.setStatus(status, of: "u-ann")
            let nobody = try await app.get("/users/nobody/card.jpg")
            for path in [path, "/users/ann/card.jpg"] {
                let answer = try await app.get(path)
                #expect(answer.status == 404 && answer.bytes == nobody.bytes)
            }
        }
    }

    @Test func `fetchers of previews are not told what search engines are`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for (agent, tag) in [("TelegramBot (like TwitterBot)", nil), ("Googlebot-Image/1.0", "noindex")] {
                let answer = try await app.get("/users/ann/card.jpg", headers: [.userAgent: agent])
                #expect(answer.status == 200 && answer.headers[.robotsTag] == tag)
            }
        }
    }

    @Test func `drawn cards count as pictures`() async throws {
        try await TestApp.run(
            configure: { config in
                config.rateLimits = (try? RateLimitConfig("pictures=1/m")) ?? config.rateLimits
                config.rateLimits.countsPrivateAddresses = true
            }, .live
        ) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            #expect(try await app.get("/users/ann/card.jpg").status == 200)
            #expect(try await app.get("/users/bob/card.jpg").status == 429)
            #expect(try await app.get("/users/ann/card.jpg").status == 200, "kept")
            #expect(try await app.get("/users/bob").status == 200)
        }
    }
}
