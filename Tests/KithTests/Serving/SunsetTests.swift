import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// A service that closes (`KITH_SUNSET`), before, while and after its last day ends, over HTTP.
@Suite(.inTurns) struct SunsetTests {
    static let url = "https://sample.example/closing"

    /// Stands still until a test moves it.
    final class Clock: Sendable {
        private let time: Mutex<Date>
        init(_ time: Date) { self.time = Mutex(time) }
        var now: Date { time.withLock { $0 } }
        func move(to time: Date) { self.time.withLock { $0 = time } }
    }

    static let sunset = Result {
        try #require(Sunset("2027-03-31"))
    }

    /// Runs a test on a service that is open, with ann, and a key; `close` lets its last day end.
    static func run(
        _ adjust: @Sendable (inout Config) -> Void = { _ in },
        _ test: @Sendable (_ app: TestApp, _ close: @Sendable () -> Void) async throws -> Void
    ) async throws {
        let sunset = try sunset.get()
        let clock = Clock(sunset.end - 0.001)
        var world = World.live
        world.now = { clock.now }
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                ($0.app.name, $0.app.sunset, $0.app.sunsetURL) = ("Lantern", sunset, url)
                ($0.app.vanityLinks, $0.app.scheme, $0.app.homeURL) = (
                    true, "sample", "https://sample.example"
                )
                $0.app.linkDomains = "https://go.example.com,\(TestApp.origin)/l"
                $0.app.linkTargets = "example.com"
                adjust(&$0)
            }, world: world
        ) { app in
            try await app.signUp("ann")
            try await test(app) { clock.move(to: sunset.end) }
        }
    }

    static let page = "/users/ann?invitedBy=u-ann"

    @Test(arguments: [
        ("en", "Lantern closes on March 31, 2027.", "About the closing"),
        ("ja", "Lanternは2027年3月31日をもって終了します。", "終了についてのお知らせ"),
        ("ar", "سيُغلق Lantern بنهاية يوم 31 مارس، 2027.", "عن الإغلاق"),
    ])
    func `until the last day has ended, pages say when it ends, and do all that they did`(
        language: String, closes: String, more: String
    ) async throws {
        try await Self.run { app, _ in
            let line = #"\#(closes)<br><a href="\#(Self.url)">\#(more)</a>"#
            let page = try await app.get("\(Self.page)&hl=\(language)", headers: .iPhone)
            #expect(page.status == 200 && page.text.contains(line), "\(page.text)")
            #expect(page.text.contains("https://apps.apple.com/app/id6448311069"))
            var headers = HTTPFields.iPhone
            headers[.testHost] = "go.example.com"
            let party = "link=https%3A%2F%2Fexample.com%2Fparty&ibi=com.example.app&isi=6448311069"
            let way = try await app.get("/?\(party)&hl=\(language)", headers: headers)
            #expect(way.status == 200 && way.text.contains(line), "\(way.text)")
            let lost = try await app.get("/users/nobody?hl=\(language)", headers: .iPhone)
            #expect(lost.status == 404 && !lost.text.contains(closes))
        }
    }

    @Test func `without the operator's page the line has no link, and the good-bye no button`() async throws {
        try await Self.run({ $0.app.sunsetURL = nil }) { app, close in
            let page = try await app.get(Self.page)
            #expect(page.text.contains(#"<p class="closes">Lantern closes on March 31, 2027.</p>"#))
            #expect(try await app.get("/v1/config").headers[.link] == nil)
            close()
            let goodbye = try await app.get(Self.page)
            #expect(goodbye.status == 410 && !goodbye.text.contains("href=\"http"), "\(goodbye.text)")
        }
    }

    @Test func `a service that does not close says nothing of it`() async throws {
        try await Self.run({ $0.app.sunset = nil }) { app, close in
            close()
            let page = try await app.get(Self.page)
            #expect(page.status == 200 && !page.text.contains("closes on") && !page.text.contains(Self.url))
            let answer = try await app.get("/v1/config")
            #expect(answer.headers[.sunset] == nil && answer.headers[.link] == nil)
        }
    }

    @Test func `each kind of link says good-bye from the next second on, without a restart`() async throws {
        try await Self.run { app, close in
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let revoked = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            _ = try await app.call(.delete, "/v1/invites/\(revoked)", as: "u-ann")
            let query = "?invitedBy=u-ann"
            let open = [
                (Self.page, 200), ("\(Self.page)&code=\(code)", 200), ("/\(code)", 302), ("/@ann", 302),
                ("/users/ann/qr.svg\(query)", 200), ("/users/ann/qr.png\(query)", 200),
                ("/users/ann/card.jpg\(query)", 200), ("/\(code)/qr.svg", 200), ("/\(code)/qr.png", 200),
                ("/users/ann/app-store\(query)", 302), ("/users/ann/play-store\(query)", 302),
                ("/\(revoked)", 410), ("/users/nobody", 404), ("/no/such/path", 404), ("/index.html", 404),
            ]
            var tags: [String: String] = [:]
            for (path, status) in open {
                let answer = try await app.get(path, headers: .android)
                #expect(answer.status == status, "\(path)")
                tags[path] = answer.headers[.eTag]
            }
            #expect(tags.count == 5)
            close()
            var pages: Set<String> = []
            for (path, _) in open {
                for device in [HTTPFields.android, .iPhone, [:], [.userAgent: "facebookexternalhit/1.1"]] {
                    var headers = device
                    (headers[.ifNoneMatch], headers[.acceptLanguage]) = (tags[path], "en")
                    let answer = try await app.get(path, headers: headers)
                    #expect(answer.status == 410 && answer.headers[.location] == nil, "\(path)")
                    #expect(answer.headers[.cacheControl] == "no-store")
                    let isFetcher = device[.userAgent]?.hasPrefix("facebook") == true
                    #expect((answer.headers[.robotsTag] == "noindex") == !isFetcher)
                    pages.insert(answer.text)
                }
            }
            #expect(pages.count == 1, "nobody learns where a link led")
            let page = try #require(pages.first)
            #expect(page.contains("<title>Lantern has closed</title>"), "\(page)")
            #expect(page.contains(#"property="og:title" content="Lantern has closed""#))
            #expect(page.contains(#"property="og:description" content="Thank you for having been here.""#))
            #expect(page.contains(#"<a class="button first" href="\#(Self.url)">About the closing</a>"#))
            for word in ["ann", "apple.com", "play.google.com", "sample:", "intent:", "Join me"] {
                #expect(!page.contains(word), "\(word)")
            }
            #expect(try await app.call(.head, Self.page).status == 410)
        }
    }

    @Test(arguments: [
        ("en", "Lantern has closed", "Thank you for having been here.", "Its last day was March 31, 2027."),
        ("ja", "Lanternは終了しました", "これまで本当にありがとうございました。", "最終日は2027年3月31日でした。"),
        ("ar", "أُغلق Lantern", "شكرًا لأنك كنت معنا.", "كان آخر يوم له 31 مارس، 2027."),
    ])
    func `the good-bye speaks the visitor's language`(
        language: String, title: String, sentence: String, advice: String
    ) async throws {
        try await Self.run { app, close in
            close()
            let page = try await app.get(Self.page, headers: [.acceptLanguage: language])
            #expect(page.headers[.contentLanguage] == language)
            for text in [title, sentence, advice] {
                #expect(page.text.contains(">\(text)</"), "\(page.text)")
            }
        }
    }

    @Test func `what systems ask of a host is still there, so that those who have the app get to it`()
        async throws
    {
        try await Self.run { app, close in
            let paths = ["/.well-known/apple-app-site-association", "/robots.txt", "/v1/config"]
            func texts() async throws -> [String] {
                var texts: [String] = []
                for path in paths { texts.append(try await app.get(path).text) }
                return texts
            }
            let before = try await texts()
            close()
            #expect(try await texts() == before)
        }
    }

    @Test func `an app of several closes alone, with its host`() async throws {
        try await Self.run({ ($0.app.sunset, $0.app.sunsetURL) = (nil, nil) }) { app, close in
            try await app.apply(
                """
                apps:
                  classic: {hosts: [https://classic.example.com], name: Classic, sunset: 2027-03-31}
                """)
            let classic: HTTPFields = [.testHost: "classic.example.com"]
            #expect(
                try await app.get(Self.page, headers: classic).text.contains("Classic closes on March 31"))
            close()
            #expect(try await app.get(Self.page, headers: classic).status == 410)
            let call = try await app.call(.put, "/v1/friends/u-bob", as: "u-ann", headers: classic)
            #expect(call.code == "service_closed")
            #expect(try await app.get(Self.page).status == 200)
            #expect(try await app.put("/v1/friends/u-bob", as: "u-ann").status == 200)
        }
    }

    @Test func `the log says at the start until when, or that it has closed`() async throws {
        try await Self.run { app, close in
            let lines = LogLines()
            app.app.logSunset(lines.logger)
            close()
            app.app.logSunset(lines.logger)
            #expect(
                lines.all == [
                    "notice: this service closes at the end of its last day (UTC), and its pages say so lastDay=2027-03-31 url=\(Self.url)",
                    "notice: this service has closed: links say good-bye, and users can still export and delete their data lastDay=2027-03-31 url=\(Self.url)",
                ])
        }
    }
}
