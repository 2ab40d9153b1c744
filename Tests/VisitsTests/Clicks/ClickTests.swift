import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits
@testable import Web

/// What Kith keeps and counts of visits, from the visit to the statistics.
@Suite(.inTurns) struct ClickTests {
    func run(
        zone: String = "UTC", logger: Logger? = nil,
        _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    )
        async throws
    {
        let zone = try #require(TimeZone(identifier: zone))
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                $0.app.linkDomains = "https://go.example.com"
                $0.server.trustedProxies.ranges = proxies
                $0.rateLimits = RateLimitConfig()
                ($0.counts.zone, $0.counts.countryHeader) = (zone, "CF-IPCountry")
            }, world: .live, logger: logger ?? LogLines().logger, .live
        ) { app in
            let key = try await APIKeyStore(db: app.db).create(name: "links", scope: .server)
            let server: HTTPFields = [.authorization: "Bearer \(key)"]
            let made = try await app.post(
                "/v1/links", as: nil, headers: server,
                [
                    "parameters": ["link": "https://join.example.com/party"] as Body, "suffix": "custom",
                    "code": "party",
                ])
            try #require(made.status == 201, "\(made.text)")
            try await test(app, server)
        }
    }

    func visit(
        _ app: TestApp, _ visitor: HTTPFields, _ more: HTTPFields = [:], at path: String = "/party"
    ) async throws -> TestApp.Answer {
        var headers = visitor
        headers[.testHost] = "go.example.com"
        headers[.xForwardedFor] = "203.0.113.7"
        for field in more { headers[field.name] = field.value }
        return try await app.get(path, headers: headers)
    }

    func kept(_ app: TestApp) async throws -> [String] {
        try await app.db.write.query(
            """
            SELECT concat_ws(' ', link, event, platform, parts, CASE WHEN trace IS NULL THEN 'nobody' END) FROM clicks
            ORDER BY 1
            """
        ) { try $0.next() }
    }

    @Test func `a visit is kept, without address and browser, before its answer leaves`() async throws {
        try await run { app, _ in
            let country = try #require(HTTPField.Name("CF-IPCountry"))
            #expect(try await visit(app, .android, [country: "JP"]).status == 302)
            #expect(try await visit(app, .iPhone, [country: "<script>"]).status == 302)
            #expect(
                try await kept(app) == [
                    "https://go.example.com/party redirect android country=JP",
                    "https://go.example.com/party redirect ios language=ja",
                ])
            let row = try await app.db.write.first("SELECT clicks::text FROM clicks LIMIT 1") {
                try $0.next(as: String.self)
            }
            #expect(row?.contains("203.0.113") == false)
            let traces = try await app.db.write.query("SELECT DISTINCT trace FROM clicks") {
                try $0.next(as: UUID.self)
            }
            #expect(traces.count == 2, "one of each browser")
        }
    }

    @Test(arguments: [
        "facebookexternalhit/1.1", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "Twitterbot/1.0",
        "", "curl/8.5.0", "Embedly/0.2",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36 ExampleBot",
        "Mozilla/5.0 (Linux; Android 10; K) Chrome/138.0 Mobile Safari/537.36 GoogleMessages/20.1",
    ])
    private func `a program counts for nothing`(agent: String) async throws {
        try await run { app, _ in
            _ = try await visit(app, [.userAgent: agent])
            #expect(try await kept(app) == [])
        }
    }

    @Test func `looking ahead, HEAD, dead links and parts of other pages count for nothing`() async throws {
        try await run { app, _ in
            for part in ["image", "empty", "iframe", "script"] {
                #expect(try await visit(app, .android, [.secFetchDest: part]).status == 302)
            }
            for name in ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"] {
                let field = try #require(HTTPField.Name(name))
                #expect(try await visit(app, .android, [field: "prefetch"]).status == 302)
            }
            var headers = HTTPFields.android
            headers[.testHost] = "go.example.com"
            _ = try await app.call(.head, "/party", headers: headers)
            _ = try await visit(app, .android, at: "/nothing")
            #expect(try await kept(app) == [])
        }
    }

    @Test
    func `statistics are the same before visits are counted and afterwards, however many visit at once`()
        async throws
    {
        try await run { app, server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<150 {
                    group.addTask {
                        _ = try await visit(
                            app, .android,
                            at: number % 3 == 0 ? "/party" : "/?link=https://join.example.com/x")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await app.count("clicks") == 150)
            for _ in 0..<2 {
                let stats = try await app.get("/v1/links/party/stats?days=1", headers: server)
                #expect(stats["total.click"] == "50" && stats["total.redirect"] == "50", "\(stats.text)")
                #expect((stats.json["counts"] as? [[String: Any]])?.count == 2)
                try await app.count()
                #expect(try await app.count("clicks") == 0, "each is counted once, and then gone")
            }
        }
    }

    @Test func `the funnel of an invite is one call`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let code = try #require(
                try await app.post("/v1/invites", as: "u-ann", ["label": "poster"])["code"])
            let path = "/users/ann?invitedBy=u-ann&code=\(code)"
            for _ in 0..<3 { #expect(try await app.get(path, headers: .iPhone).status == 200) }
            let page = try await app.get(path, headers: .android)
            let store = try await app.get(
                try #require(page.href(containing: "/play-store")), headers: .android)
            let claim = try await app.claim([
                "platform": "android", "referrer": try #require(store.playReferrer),
            ])
            _ = try await app.claim(["platform": "android", "referrer": try #require(store.playReferrer)])
            for name in ["bob", "cat"] {
                let body: Body = ["username": "\(name)", "invite": ["claim": claim["claim"] ?? ""] as Body]
                _ = try await app.post("/v1/signup", as: "u-\(name)", body)
            }
            for path in ["/v1/invites/\(code)/stats", "/v1/me/invite/stats", "/v1/me/invite/stats?days=1"] {
                if path.hasSuffix("=1") { try await app.count() }
                let stats = try await app.get(path, as: "u-ann")
                let total = stats.json["total"] as? [String: Int] ?? [:]
                #expect(
                    total == [
                        "click": 4, "redirect": 0, "install": 1, "firstOpen": 1, "reopen": 0, "signUp": 1,
                        "friendship": 1,
                    ], "\(path): \(stats.text)")
            }
            #expect(try await app.get("/v1/invites/\(code)/stats", as: "u-bob").status == 404)
            _ = try await app.call(.delete, "/v1/me", as: "u-ann")
            try await app.count()
            #expect(
                try await app.count(
                    "counts WHERE subject NOT IN ('', user_id('u-bob')::text) AND subject NOT LIKE '%http%'")
                    == 0, "of all invites, and of each code")
            #expect(try await app.count("counts WHERE subject = '' AND measure = 'invites.page'") == 1)
        }
    }

    @Test func `of those who signed up those count as friends who still are, and whom the inviter sees`()
        async throws
    {
        try await run { app, _ in
            try await app.signUp("ann")
            for name in ["bob", "cat", "dan", "eve", "fay"] {
                try await app.signUp(name, invite: TestApp.link("ann", "u-ann"))
            }
            func friendships() async throws -> Int? {
                let stats = try await app.get("/v1/me/invite/stats", as: "u-ann")
                let total = stats.json["total"] as? [String: Int]
                #expect(total?["signUp"] == 5, "\(stats.text)")
                return total?["friendship"]
            }
            #expect(try await friendships() == 5)
            try await app.act(.unwant, "u-cat", on: "u-ann")
            #expect(try await friendships() == 4)
            // Dan still asks, so the row of the two stays.
            try await app.act(.unwant, "u-ann", on: "u-dan")
            try await app.act(.want, "u-dan", on: "u-ann")
            #expect(try await friendships() == 3)
            try await app.act(.block, "u-ann", on: "u-bob")
            #expect(try await friendships() == 2)
            try await app.setStatus("suspended", of: "u-eve")
            #expect(try await friendships() == 1)
            try await app.setStatus("deleted", of: "u-fay")
            #expect(try await friendships() == 0)
        }
    }

    @Test(arguments: ["0", "x", "-1", "3651", "", "1&days=2", "99999999999999999999"])
    func `days that are none are a 400`(days: String) async throws {
        try await run { app, server in
            for (path, uid) in [("/v1/links/party/stats", nil), ("/v1/me/invite/stats", "u-ann")] {
                if let uid { try await app.signUp(String(uid.dropFirst(2))) }
                let answer = try await app.get(
                    "\(path)?days=\(days)", as: uid, headers: uid == nil ? server : [:])
                #expect((answer.status, answer["field"]) == (400, "days"), "\(path): \(answer.text)")
            }
        }
    }

    @Test func `a visitor goes on even if nobody can count them`() async throws {
        try await run { app, _ in
            try await app.db.write.run("ALTER TABLE clicks RENAME TO gone")
            #expect(try await visit(app, .android).status == 302)
            #expect(app.app.metrics.text().contains(#"kith_clicks_total{record="lost"} 1"#))
        }
    }
}
