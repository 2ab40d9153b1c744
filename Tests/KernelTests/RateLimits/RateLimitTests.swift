import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Rate limits over HTTP.
@Suite(.inTurns) struct RateLimitTests {
    /// A clock that the test moves.
    final class Hand: Sendable {
        private let seconds = Mutex(Date().timeIntervalSince1970.rounded())

        var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        func pass(_ more: Double) { seconds.withLock { $0 += more } }
    }

    /// Servers on one database, with a clock that the test moves. They listen on real sockets, since only
    /// there a request has a peer with an address.
    func run(
        _ limits: String, servers: Int = 1, configure: @Sendable (inout Config) -> Void = { _ in },
        _ test: @Sendable ([TestApp], Hand) async throws -> Void
    ) async throws {
        let (url, config) = (try await TestPostgres.shared.migratedDatabase(), try RateLimitConfig(limits))
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        let hand = Hand()
        var world = World.live
        world.now = { hand.now }
        try await nest(servers, [], world) {
            $0.server.trustedProxies.ranges = proxies
            $0.database.url = url
            $0.rateLimits = config
            configure(&$0)
        } test: {
            try await test($0, hand)
        }
    }

    private func nest(
        _ servers: Int, _ apps: [TestApp], _ world: World, configure: @Sendable (inout Config) -> Void,
        test: @Sendable ([TestApp]) async throws -> Void
    ) async throws {
        guard apps.count < servers else { return try await test(apps) }
        try await TestApp.run(configure: configure, world: world, .live) { app in
            try await nest(servers, apps + [app], world, configure: configure, test: test)
        }
    }

    func service(_ app: TestApp) throws -> RateLimitService {
        RateLimitService(
            limiter: try #require(app.app.rateLimiter), store: RateLimitStore(db: app.db),
            logger: Logger(label: "test"))
    }

    static func from(_ address: String) -> HTTPFields { [.xForwardedFor: address] }

    static func code(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    @Test func `a user who resolves too often is told when to retry, and others are not refused`()
        async throws
    {
        try await run("resolve=3/m") { apps, hand in
            let app = apps[0]
            try await app.signUp("ann")
            let body = TestApp.link("ann", "u-ann")
            for remaining in [2, 1, 0] {
                let answer = try await app.post("/v1/invites/resolve", as: "u-bob", body)
                #expect(answer.status == 200)
                #expect(answer.headers[.rateLimitPolicy] == #""resolve";q=3;w=60"#)
                #expect(answer.headers[.rateLimit] == "\"resolve\";r=\(remaining);t=\((3 - remaining) * 20)")
            }
            let refused = try await app.post("/v1/invites/resolve", as: "u-bob", "this is not even read")
            #expect(refused.status == 429 && refused.code == "rate_limited")
            #expect(refused.headers[.contentType] == "application/problem+json")
            #expect(refused.headers[.retryAfter] == "20")
            #expect(refused.headers[.rateLimit] == #""resolve";r=0;t=60"#)
            #expect(try await app.post("/v1/invites/resolve", as: "u-eve", body).status == 200)
            #expect(
                try await app.get("/v1/me", as: "u-ann").headers[.rateLimitPolicy] == #""calls";q=1200;w=60"#)
            hand.pass(20)
            #expect(try await app.post("/v1/invites/resolve", as: "u-bob", body).status == 200)
            #expect(try await app.post("/v1/invites/resolve", as: "u-bob", body).status == 429)
            #expect(app.app.metrics.text().contains(#"kith_rate_limited_total{limit="resolve"} 2"#))
        }
    }

    @Test func `an error has the rate limit headers, too`() async throws {
        try await run("on") { apps, _ in
            let answer = try await apps[0].post(
                "/v1/invites/resolve", as: "u-bob", TestApp.link("nobody", "x"))
            #expect(answer.status == 404)
            #expect(answer.headers[.rateLimit] == #""resolve";r=29;t=2"#)
        }
    }

    @Test func `a backend is counted by its key, and on strict routes also by the user it acts for`()
        async throws
    {
        try await run("accept=1/m,signup=1/m,keys=4/m,api=1/m,newcomers=1/m") { apps, _ in
            let app = apps[0]
            let key = try await APIKeyStore(db: app.db).create(name: "test", scope: .server)
            func call(_ path: String, for uid: String) async throws -> TestApp.Answer {
                var headers = Self.from("203.0.113.9")
                headers[.authorization] = "Bearer \(key)"
                headers[.kithUser] = uid
                return try await app.post(path, as: nil, headers: headers, ["username": uid])
            }
            #expect(try await call("/v1/signup", for: "ann").status == 201)
            let again = try await call("/v1/signup", for: "ann")
            #expect(again.status == 429)
            #expect(again.headers[.rateLimitPolicy] == #""signup";q=1;w=60"#)
            #expect(try await call("/v1/signup", for: "bob").status == 201)
            #expect(try await call("/v1/signup", for: "carol").status == 201)
            let tired = try await call("/v1/signup", for: "dora")
            #expect(tired.status == 429)
            #expect(tired.headers[.rateLimitPolicy] == #""keys";q=4;w=60"#)
        }
    }

    @Test func `a client key is counted by the caller's address`() async throws {
        try await run("client=1/m,keys=1/m") { apps, _ in
            let app = apps[0]
            let key = try await APIKeyStore(db: app.db).create(name: "test", scope: .client)
            func look(_ address: String) async throws -> Int {
                var headers = Self.from(address)
                headers[.authorization] = "Bearer \(key)"
                return try await app.get("/v1/usernames/ann", headers: headers).status
            }
            #expect(try await look("203.0.113.1") == 200)
            #expect(try await look("203.0.113.1") == 429)
            #expect(try await look("203.0.113.2") == 200)
        }
    }

    @Test func `codes in the addresses of pages and pictures count the same`() async throws {
        try await run("codes=3/m") { apps, hand in
            let (app, here) = (apps[0], Self.from("203.0.113.1"))
            try await app.signUp("ann")
            let page = "/users/ann?invitedBy=u-ann&code="
            #expect(try await app.get(page + Self.code(1), headers: here).status == 200)
            #expect(try await app.get("/\(Self.code(2))/qr.svg", headers: here).status == 404)
            let url = TestApp.origin + page + Self.code(3)
            let found = try await app.post("/v1/invites/resolve", as: "u-new", headers: here, ["url": url])
            #expect(found.status == 200)
            #expect(try await app.get(page + Self.code(4), headers: here).status == 429)
            #expect(try await app.get("/users/ann?invitedBy=u-ann", headers: here).status == 200)
        }
    }

    @Test func `codes that lead nowhere are counted by address, each once, and valid ones never`()
        async throws
    {
        try await run("codes=3/m") { apps, hand in
            let app = apps[0]
            try await app.signUp("ann")
            let good = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let (here, there) = (Self.from("203.0.113.1"), Self.from("203.0.113.2"))
            for _ in 0..<5 { #expect(try await app.get("/\(Self.code(1))", headers: here).status == 404) }
            for _ in 0..<5 { #expect(try await app.get("/\(good)", headers: here).status == 302) }
            #expect(try await app.get("/favicon.ico", headers: here).status == 404)
            for number in 2...3 {
                #expect(try await app.get("/\(Self.code(number))", headers: here).status == 404)
            }
            let refused = try await app.get("/\(Self.code(4))", headers: here)
            #expect(refused.status == 429 && refused.headers[.retryAfter] == "20")
            #expect(try await app.get("/\(good)", headers: here).status == 429)
            let body: Body = ["code": good]
            for path in ["/v1/invites/resolve", "/v1/invites/accept"] {
                try await app.signUp("bob\(path.count)")
                let refused = try await app.post(path, as: "u-bob\(path.count)", headers: here, body)
                #expect(refused.status == 429)
                #expect(refused.headers[values: .rateLimit] == [#""codes";r=0;t=60"#])
                #expect(refused.headers[values: .rateLimitPolicy] == [#""codes";q=3;w=60"#])
                #expect(
                    try await app.post(path, as: "u-bob\(path.count)", headers: there, body).status == 200)
            }
            #expect(try await app.get("/\(good)", headers: there).status == 302)
            hand.pass(20)
            #expect(try await app.get("/\(good)", headers: here).status == 302)
        }
    }

    @Test func `IPv6 counts by /64, and addresses that the client itself wrote are ignored`() async throws {
        try await run("landings=1/m") { apps, _ in
            let app = apps[0]
            func status(_ forwarded: String) async throws -> Int {
                try await app.get("/robots.txt", headers: Self.from(forwarded)).status
            }
            try #require(await status("2001:db8::1") == 200)
            #expect(try await status("2001:db8::ffff") == 429)
            #expect(try await status("2001:db8:0:1::1") == 200)
            #expect(try await status("203.0.113.1") == 200)
            #expect(try await status("::ffff:203.0.113.1") == 429)
            for forged in 1...5 { #expect(try await status("6.6.6.\(forged), 203.0.113.1") == 429) }
            // The peer itself, a trusted proxy, is not limited.
            for _ in 0..<5 { #expect(try await app.get("/robots.txt").status == 200) }
        }
    }

    @Test func `a browser that asks too often gets a page and Retry-After`() async throws {
        try await run("landings=1/m") { apps, _ in
            var headers = Self.from("203.0.113.1")
            headers[.accept] = "text/html"
            _ = try await apps[0].get("/robots.txt", headers: headers)
            let page = try await apps[0].get("/users/ann", headers: headers)
            #expect(page.status == 429 && page.text.contains("<title>Just a moment</title>"))
            #expect(page.headers[.retryAfter] == "60" && page.headers[.rateLimit] == #""landings";r=0;t=60"#)
        }
    }

    @Test func `nobody is counted if limits are off`() async throws {
        try await run("off") { apps, _ in
            #expect(apps[0].app.rateLimiter == nil)
            let answer = try await apps[0].get("/v1/usernames/ann", as: "u-bob")
            #expect(answer.status == 200 && answer.headers[.rateLimit] == nil)
        }
    }
}
