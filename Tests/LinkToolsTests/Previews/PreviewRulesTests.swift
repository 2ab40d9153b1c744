import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import LinkTools
@testable import Web

/// Each rule of previews: a page that keeps to all of them, and what is told of one that breaks one.
@Suite(.inTurns) struct PreviewRulesTests {
    private static let tags = [
        ("og:title", "Hana invites you"), ("og:description", "Join me"),
        ("og:url", "https://a.example/users/hana"),
        ("og:image", "https://a.example/card.jpg"), ("og:image:width", "1200"), ("og:image:height", "630"),
        ("og:image:type", "image/jpeg"), ("og:image:alt", "Hana"), ("twitter:card", "summary_large_image"),
    ]

    private static func visit(_ changes: [String: String?] = [:], more: String = "") -> PreviewVisit {
        let tags = tags.filter { changes[$0.0] ?? "" != nil }.map { key, value in
            let attribute = key.hasPrefix("og:") ? "property" : "name"
            return "<meta \(attribute)=\"\(key)\" content=\"\((changes[key] ?? nil) ?? value)\">"
        }
        return PreviewVisit(
            fetcher: PreviewFetcher.all.first { $0.name == "Telegram" } ?? .browser,
            addresses: ["https://a.example/users/hana"], status: 200,
            headers: ["content-type": "text/html; charset=utf-8"],
            tags: PreviewTags(html: Array((more + tags.joined()).utf8)),
            picture: .init(
                status: 200, mediaType: "image/jpeg", bytes: 60_000,
                size: .init(width: 1200, height: 630, mediaType: "image/jpeg")))
    }

    private static func faults(_ visit: PreviewVisit) -> [String] {
        PreviewRules(visit: visit).broken.map(\.fault)
    }

    @Test func `a sound page breaks no rule, and shows its texts and its picture`() {
        #expect(Self.faults(Self.visit()) == [])
        #expect(
            Self.visit().lines == [
                "Hana invites you", "Join me", "picture: 1200 × 630, image/jpeg, 60,000 bytes",
            ])
    }

    private static let pages: [(changes: [String: String?], more: String, fault: String)] = [
        (["og:title": nil], "", "og:title is missing"),
        (["og:description": " "], "", "og:description is missing"),
        (["og:url": nil], "", "og:url is missing"), (["og:image": nil], "", "og:image is missing"),
        (["og:title": String(repeating: "a", count: 71)], "", "og:title has 71 characters"),
        (["og:description": String(repeating: "a", count: 201)], "", "og:description has 201 characters"),
        (["og:url": "/users/hana"], "", "og:url is /users/hana"),
        (["og:image": "http://a.example/card.jpg"], "", "og:image is http://"),
        (["og:url": "https://a.example/x?a=1&amp;utm_source=qr"], "", "og:url has parameters of a campaign"),
        (["twitter:card": "summary"], "", "twitter:card is summary"),
        (["og:image:width": "640"], "", "og:image:width and og:image:height"),
        (["og:image:type": "image/png"], "", "og:image:type is image/png"),
        (["og:image:alt": nil], "", "og:image:alt is missing"),
        ([:], "<meta name=robots content='noindex, nofollow'>", "the page has <meta name=robots"),
        ([:], "<meta http-equiv=refresh content=0>", "the page goes elsewhere"),
        ([:], "<meta property=og:image content=https://x>", "there are 2 og:image"),
        ([:], "<meta name=og:locale content=x>", "og:locale is given by name="),
        ([:], "<style>\(String(repeating: " ", count: 8192))</style>", "the tags end"),
    ]

    @Test(arguments: pages.indices) func `a page that breaks a rule is told which`(number: Int) {
        let (changes, more, fault) = Self.pages[number]
        let faults = Self.faults(Self.visit(changes, more: more))
        #expect(faults.count == 1 && faults.first?.hasPrefix(fault) == true, "\(faults)")
    }

    private static let answers: [(change: @Sendable (inout PreviewVisit) -> Void, fault: String)] = [
        ({ $0.status = 404 }, "the page answers 404"),
        ({ $0.failure = .cut }, "the page cannot be fetched: it closed"),
        ({ $0.headers = ["content-type": "text/html"] }, "the page's Content-Type is text/html"),
        ({ $0.headers["content-encoding"] = "br" }, "the page is compressed by br"),
        ({ $0.milliseconds = 2001 }, "page and picture take"),
        ({ $0.addresses = Array(repeating: "https://a.example/", count: 5) }, "4 redirects"),
        ({ $0.mayFetchPage = false }, "robots.txt forbids the page"),
        ({ $0.mayFetchPicture = false }, "robots.txt forbids the picture"),
        ({ $0.picture = nil }, "the picture cannot be fetched"),
        ({ $0.picture?.status = 503 }, "the picture answers 503"),
        ({ $0.picture?.size = nil }, "the picture is neither"),
        ({ $0.picture?.bytes = 300_001 }, "the picture has 300,001"),
        ({ $0.picture?.mediaType = "text/plain" }, "the picture's Content-Type is text/plain"),
    ]

    @Test(arguments: answers.indices) func `so is an answer`(number: Int) {
        var visit = Self.visit()
        Self.answers[number].change(&visit)
        let faults = Self.faults(visit)
        #expect(faults.count == 1 && faults.first?.hasPrefix(Self.answers[number].fault) == true, "\(faults)")
    }

    @Test func `where a rule keeps people from the preview, none is shown`() {
        let visit = Self.visit(more: "<meta name=robots content=noindex>")
        #expect(visit.lines == ["no preview: the page says noindex"])
    }

    @Test func `a page cannot control the terminal`() {
        let odd = "a\u{1B}]0;x\u{7}\u{9B}31m\u{202E}b\u{2066}\r\nc\u{2028}d\u{85}e"
        var visit = Self.visit(["og:title": odd, "og:description": odd, "og:url": odd, "twitter:card": odd])
        visit.headers["content-type"] = odd
        let lines = PreviewReport(visits: [visit], common: []).lines
        for scalar in lines.joined().unicodeScalars {
            let category = scalar.properties.generalCategory
            #expect(![.control, .format, .lineSeparator, .paragraphSeparator].contains(category), "\(lines)")
        }
        #expect(lines.first == "Telegram  a]0;x31mb c d e")
        #expect(lines.contains { $0.hasSuffix("og:url is a]0;x31mb c d e") })
    }

    @Test func `a server that cannot be reached is tried once, and told in plain words`() async throws {
        let start = ContinuousClock.now
        let outcome = try await KithCommand(["check-preview", "http://127.0.0.1:1/"]).run()
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(
            outcome.status == 1
                && outcome.output.hasPrefix(
                    """
                    no preview anywhere: it refuses connections at this port
                      start the server, or check the port

                    """),
            "\(outcome.output)")
    }

    @Test func `the command checks the page of a server`() async throws {
        let database = try await TestPostgres.shared.migratedDatabase()
        let server = try await KithServer.start(["KITH_DATABASE_URL": database, "KITH_LINK_URL": ""])
        _ = try await server.call(
            "POST", "/v1/signup", as: "u-ann", body: ["username": "ann", "displayName": "Ann 花"])
        let link = "\(server.origin)/users/ann?invitedBy=u-ann"
        let outcome = try await KithCommand(["check-preview", link]).run()
        let text = outcome.output
        for fetcher in PreviewFetcher.all { #expect(text.contains("\(fetcher.name) "), "\(text)") }
        #expect(text.contains("Ann 花 invites you to Kith"), "\(text)")
        #expect(text.contains("picture: 1200 × 630, image/jpeg"), "\(text)")
        #expect(outcome.status == 0 && text.contains("no rule is broken"), "\(text)")
        let missing = try await KithCommand(["check-preview", "\(server.origin)/users/nobody"]).run()
        #expect(missing.status == 1 && missing.output.contains("the page answers 404"))
        #expect(try await KithCommand(["check-preview", "ftp://x"]).run().status == 2)
        server.process.terminate()
        _ = await server.exit()
    }
}
