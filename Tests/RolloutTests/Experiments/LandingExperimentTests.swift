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

/// Experiments with the landing page, from the visit to the friendship.
@Suite(.inTurns) struct LandingExperimentTests {
    private static let file = """
        experiments:
          page:
            goal: friend
            variations:
              control: {weight: 0}
              short:
                weight: 100
                values:
                  landing:
                    inviteSentence: {en: "Come to {app}!", ja: "{app}で会おう"}
                    order: app, playStore
        """

    private static let android = from("203.0.113.7", .android)
    private static let iPhone = from("203.0.113.8", .iPhone)

    /// Behind a proxy that names the address.
    private static func from(_ address: String, _ headers: HTTPFields) -> HTTPFields {
        var headers = headers
        headers[.xForwardedFor] = address
        return headers
    }

    private static func run(
        _ yaml: String = file, proxies: String? = "127.0.0.0/8", log: LogLines = LogLines(),
        _ test: @Sendable (TestApp, String) async throws -> Void
    ) async throws {
        let proxies = [try proxies.map { try #require(AddressRange($0)) }].compactMap(\.self)
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                $0.app.scheme = "sample"
                $0.server.trustedProxies.ranges = proxies
                $0.rateLimits = RateLimitConfig()
            }, world: .live, logger: log.logger, .live
        ) { app in
            if !yaml.isEmpty { try await app.apply(yaml) }
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            try await test(app, "/users/ann?invitedBy=u-ann&code=\(code)")
        }
    }

    private static func results(_ app: TestApp) async throws -> [String: String] {
        let answer = try await app.get("/v1/admin/experiments/page/results", headers: app.keyed())
        let goals = (answer.json["variations"] as? [[String: Any]])?.last?["goals"] as? [[String: Any]]
        var counts = ["units": answer["variations.1.units"] ?? ""]
        for goal in goals ?? [] {
            if let name = goal["goal"] as? String { counts[name] = "\(goal["units"] ?? "")" }
        }
        return counts
    }

    @Test func `a visitor on Android who becomes a friend is counted at each step, once`() async throws {
        try await Self.run { app, link in
            for _ in 0..<2 {
                let page = try await app.get(link, headers: Self.android)
                #expect(page.text.contains("Come to "), "\(page.text)")
            }
            #expect(try await Self.results(app) == ["units": "1", "friend": "0"])
            let page = try await app.get(link, headers: Self.android)
            let store = try await app.get(
                try #require(page.href(containing: "/play-store")), headers: Self.android)
            let claim = try await app.claim([
                "platform": "android", "referrer": try #require(store.playReferrer),
            ])
            #expect(claim.status == 200, "\(claim.text)")
            #expect(try await Self.results(app) == ["units": "1", "friend": "0", "tap": "1", "install": "1"])
            for _ in 0..<2 {
                let signUp = try await app.post(
                    "/v1/signup", as: "u-bob", ["username": "bob", "invite": ["claim": claim["claim"] ?? ""]])
                #expect(signUp["invite.friendship"] == "friends", "\(signUp.text)")
            }
            let reached = ["units": "1", "tap": "1", "install": "1", "signup": "1", "friend": "1"]
            #expect(try await Self.results(app) == reached)
            // Nothing says any longer which visitor the user was.
            let left = try await app.db.read.first("SELECT count(unit) FROM installs") {
                try $0.next(as: Int.self)
            }
            #expect(left == 0)
            try await app.verify()
        }
    }

    @Test func `a visitor on an iPhone is known again by the link that the page copied`() async throws {
        try await Self.run { app, link in
            let page = try await app.get(link, headers: Self.iPhone)
            #expect(page.text.contains("で会おう"), "\(page.text)")
            let copied = try #require(page.copied)
            #expect(copied.contains("visit="))
            let store = try await app.get(
                try #require(page.href(containing: "/app-store")), headers: Self.iPhone)
            #expect(store.headers[.location]?.contains("apps.apple.com") == true)
            let claim = try await app.claim(["platform": "ios", "pasteboard": copied])
            #expect(claim["confidence"] == "exact", "\(claim.text)")
            let signUp = try await app.post(
                "/v1/signup", as: "u-bob", ["username": "bob", "invite": ["claim": claim["claim"] ?? ""]])
            #expect(signUp["invite.friendship"] == "friends", "\(signUp.text)")
            let reached = ["units": "1", "tap": "1", "install": "1", "signup": "1", "friend": "1"]
            #expect(try await Self.results(app) == reached)
        }
    }

    @Test func `a member who accepts by the claim becomes a friend, and signs up no more`() async throws {
        try await Self.run { app, link in
            try await app.signUp("bob")
            let page = try await app.get(link, headers: Self.iPhone)
            let claim = try await app.claim(["platform": "ios", "pasteboard": try #require(page.copied)])
            let answer = try await app.post(
                "/v1/invites/accept", as: "u-bob", ["claim": claim["claim"] ?? ""])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await Self.results(app) == ["units": "1", "install": "1", "friend": "1"])
        }
    }

    @Test func `programs that only look are in no variation`() async throws {
        try await Self.run { app, link in
            var ahead = Self.android
            ahead[try #require(HTTPField.Name("Sec-Purpose"))] = "prefetch"
            for headers in [
                Self.from("203.0.113.9", [.userAgent: "facebookexternalhit/1.1"]),
                Self.from("203.0.113.9", [.userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1)"]), ahead,
            ] {
                let page = try await app.get(link, headers: headers)
                #expect(page.status == 200 && !page.text.contains("Come to "), "\(headers)")
            }
            #expect(try await app.call(.head, link, headers: Self.android).status == 200)
            #expect(try await Self.results(app)["units"] == "0")
        }
    }

    @Test func `the first button is the one that the variation puts first`() async throws {
        try await Self.run { app, link in
            let page = try await app.get(link, headers: Self.iPhone)
            let first = try #require(page.text.firstMatch(of: /class="button first[^"]*" href="([^"]*)"/))
            #expect(first.1.hasPrefix("sample:"), "\(first.1)")
        }
    }

    @Test func `another browser or address is another visitor`() async throws {
        try await Self.run { app, link in
            _ = try await app.get(link, headers: Self.android)
            _ = try await app.get(link, headers: Self.iPhone)
            _ = try await app.get(link, headers: Self.from("203.0.113.9", .android))
            #expect(try await Self.results(app)["units"] == "3")
        }
    }

    @Test func `one address cannot make up a crowd of visitors, and who is left out is told`() async throws {
        let log = LogLines()
        try await Self.run(log: log) { app, link in
            for number in 0..<70 {
                var browser = Self.android
                browser[.userAgent] = "\(browser[.userAgent] ?? "") Build/\(number)"
                let page = try await app.get(link, headers: browser)
                #expect(page.text.contains("Come to ") == (number < 60), "\(number)")
            }
            #expect(try await Self.results(app)["units"] == "60")
            #expect(try await Self.leftOut(app) == "10")
            #expect(log.all.count { $0.contains("KITH_TRUSTED_PROXIES") && $0.hasSuffix("visits=1") } == 1)
        }
    }

    @Test func `behind a proxy that is not trusted nobody is counted, and results and log say so`()
        async throws
    {
        let log = LogLines()
        try await Self.run(Self.file + "\n    coverage: 50", proxies: nil, log: log) { app, link in
            for _ in 0..<40 {
                let page = try await app.get(link, headers: Self.android)
                #expect(page.status == 200 && !page.text.contains("Come to "))
            }
            let robot = Self.from("203.0.113.9", [.userAgent: "facebookexternalhit/1.1"])
            #expect(try await app.get(link, headers: robot).status == 200)
            #expect(try await Self.results(app)["units"] == "0")
            // About half, by the coverage.
            let leftOut = try #require(try await Self.leftOut(app).flatMap { Int($0) })
            #expect((1..<40).contains(leftOut), "\(leftOut)")
            #expect(log.all.contains { $0.hasPrefix("warning: experiments leave visits out") }, "\(log.all)")
        }
    }

    private static func leftOut(_ app: TestApp) async throws -> String? {
        try await app.get("/v1/admin/experiments/page/results", headers: app.keyed())["leftOut"]
    }

    @Test func `without an experiment the page is as ever, and nothing is written`() async throws {
        try await Self.run("") { app, link in
            let page = try await app.get(link, headers: Self.iPhone)
            #expect(page.copied?.contains("visit=") == false)
            #expect(page.href(containing: "/app-store") == nil)
            let rows = try await app.db.read.first("SELECT count(*) FROM exposures") {
                try $0.next(as: Int.self)
            }
            #expect(rows == 0)
        }
    }

    @Test func `a value alone changes the page for all whom its conditions name`() async throws {
        let yaml = """
            values:
              landing.inviteSentence.ja:
                rules: {japan: {value: "{app}へようこそ", when: {language: [ja], platform: ios}}}
            """
        try await Self.run(yaml) { app, link in
            let page = try await app.get(link, headers: Self.iPhone)
            #expect(page.text.contains("へようこそ"), "\(page.text)")
            var android = Self.android
            android[.acceptLanguage] = "ja"
            let other = try await app.get(link, headers: android)
            #expect(!other.text.contains("へようこそ"))
        }
    }

    @Test func `a visitor is counted although the database takes no exposures`() async throws {
        try await Self.run { app, link in
            try await app.db.withConnection { try await $0.script("ALTER TABLE exposures RENAME TO gone") }
            #expect(try await app.get(link, headers: Self.android).status == 200)
            #expect(try await app.count("clicks") > 0)
        }
    }
}
