import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// What browsers of web apps on other origins may send and read. `scripts/check-cors` asks a real one.
@Suite(.inTurns) struct CORSTests {
    private static let (web, phone) = ("https://app.example.com", "capacitor://localhost")

    private func run(
        configure: (inout Config) -> Void = { _ in }, _ test: @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(
            configure: {
                $0.app.corsOrigins = CORSOrigins("\(Self.web), \(Self.phone)") ?? .none
                configure(&$0)
            }, .router, test)
    }

    private static func from(_ origin: String, _ more: HTTPFields = [:]) -> HTTPFields {
        var headers = more
        headers[.origin] = origin
        return headers
    }

    private static func asking(_ method: String, from origin: String = web) -> HTTPFields {
        from(origin, [.accessControlRequestMethod: method])
    }

    @Test func `every call of the API may be asked for from these origins, without credentials`() async throws
    {
        try await run { app in
            let routes = app.app.router().routes.filter { $0.method != .head }
            let calls = routes.filter { route in
                Set<Substring>(["v1", "fdl", "hooks"])
                    .contains(route.path.description.split(separator: "/").first ?? "")
            }
            #expect(calls.count > 100)
            for route in calls {
                let path = route.path.description.replacing(/\{[^}]*\}/, with: "x")
                for origin in [Self.web, Self.phone] {
                    let answer = try await app.call(
                        .options, path, headers: Self.asking(route.method.rawValue, from: origin))
                    #expect(answer.status == 204 && answer.bytes.isEmpty, "\(path): \(answer.text)")
                    let isForAll = path == "/v1/config"
                    #expect(answer.headers[.accessControlAllowOrigin] == (isForAll ? "*" : origin), "\(path)")
                    let methods = answer.headers[.accessControlAllowMethods]?.split(separator: ", ").map(
                        String.init)
                    #expect(methods?.contains(route.method.rawValue) == true, "\(path)")
                    let sent = answer.headers[.accessControlAllowHeaders]?.lowercased() ?? ""
                    for name in [
                        "authorization", "content-type", "if-none-match", "idempotency-key", "last-event-id",
                    ] {
                        #expect(sent.contains(name), "\(name)")
                    }
                    #expect(answer.headers[.accessControlAllowCredentials] == nil)
                }
            }
        }
    }

    @Test func `answers and errors can be read from these origins alone`() async throws {
        try await run { app in
            try await app.signUp("ann")
            for (path, uid, status) in [
                ("/v1/me", "u-ann", 200), ("/v1/me", nil, 401), ("/v1/me?odd=1", "u-ann", 400),
                ("/v1/users/u-nobody", "u-ann", 404), ("/v1/nothing", "u-ann", 404),
                ("/fdl/v1/x/linkStats", nil, 401),
            ] as [(String, String?, Int)] {
                let answer = try await app.get(path, as: uid, headers: Self.from(Self.web))
                #expect(answer.status == status, "\(answer.text)")
                #expect(answer.headers[.accessControlAllowOrigin] == Self.web, "\(path)")
                #expect(answer.headers[values: .vary].joined(separator: ",").contains("Origin"), "\(path)")
                let exposed = answer.headers[.accessControlExposeHeaders]?.lowercased() ?? ""
                for name in [
                    "etag", "retry-after", "ratelimit", "www-authenticate", "kith-read-after", "location",
                ] {
                    #expect(exposed.contains(name), "\(name)")
                }
                for origin in [
                    "https://evil.example", "null", "http://app.example.com", "\(Self.web):8443", "",
                ] {
                    let other = try await app.get(path, as: uid, headers: Self.from(origin))
                    #expect(other.status == status && other.bytes.isEmpty == answer.bytes.isEmpty)
                    #expect(other.headers[.accessControlAllowOrigin] == nil, "\(origin)")
                    #expect(
                        other.headers[values: .vary].joined(separator: ",").contains("Origin"), "\(origin)")
                }
            }
            let refused = try await app.call(
                .options, "/v1/me", headers: Self.asking("GET", from: "https://evil.example"))
            #expect(refused.status == 405 && refused.headers[.accessControlAllowOrigin] == nil)
            let me = try await app.get("/v1/me", as: "u-ann", headers: Self.from(Self.web))
            let tag = try #require(me.headers[.eTag])
            let same = try await app.get(
                "/v1/me", as: "u-ann", headers: Self.from(Self.web, [.ifNoneMatch: tag]))
            #expect(same.status == 304 && same.headers[.accessControlAllowOrigin] == Self.web)
        }
    }

    @Test func `refusals for too many calls, and of a provider that is away, can be read, too`() async throws
    {
        try await run(configure: {
            $0.rateLimits = (try? RateLimitConfig("calls=1/h")) ?? RateLimitConfig()
        }) { app in
            _ = try await app.get("/v1/me", as: "u-ann")
            // What a browser asks beforehand costs nothing.
            for _ in 0..<5 { _ = try await app.call(.options, "/v1/me", headers: Self.asking("GET")) }
            let late = try await app.get("/v1/me", as: "u-ann", headers: Self.from(Self.web))
            #expect(late.status == 429 && late.headers[.retryAfter] != nil, "\(late.text)")
            #expect(late.headers[.accessControlAllowOrigin] == Self.web)
        }
        try await run(configure: { $0.auth.jwks = "http://127.0.0.1:1/jwks" }) { app in
            let away = try await app.get("/v1/me", as: "u-ann", headers: Self.from(Self.web))
            #expect(away.status == 503 && away.headers[.retryAfter] != nil, "\(away.text)")
            #expect(away.headers[.accessControlAllowOrigin] == Self.web)
        }
    }

    @Test func `no origin may read pages, nor what is no request of a browser app`() async throws {
        try await run { app in
            try await app.signUp("ann")
            for path in [
                "/users/ann?invitedBy=u-ann", "/users/nobody", "/robots.txt", "/links/x+",
                "/users/ann/qr.svg",
            ] {
                let page = try await app.get(path, headers: Self.from(Self.web))
                #expect(page.headers[.accessControlAllowOrigin] == nil, "\(path)")
                #expect(page.headers[.accessControlExposeHeaders] == nil, "\(path)")
                let asked = try await app.call(.options, path, headers: Self.asking("GET"))
                #expect(asked.status >= 400 && asked.headers[.accessControlAllowOrigin] == nil, "\(path)")
            }
            let plain = try await app.call(.options, "/v1/me", headers: Self.from(Self.web))
            #expect(plain.status == 405 && plain.headers[.allow]?.contains("GET") == true)
            #expect(try await app.call(.options, "/v1/nothing", headers: Self.asking("GET")).status == 404)
        }
    }

    @Test func `everybody may read the settings of the server, and nothing else without the setting`()
        async throws
    {
        try await TestApp.run { app in
            let config = try await app.get("/v1/config", headers: Self.from("https://any.example"))
            #expect(config.status == 200 && config.headers[.accessControlAllowOrigin] == "*")
            #expect(config.headers[.vary]?.contains("Origin") != true, "a shared cache may keep it for all")
            let asked = try await app.call(
                .options, "/v1/config", headers: Self.asking("GET", from: "https://any.example"))
            #expect(asked.status == 204 && asked.headers[.accessControlAllowOrigin] == "*")
            let me = try await app.get("/v1/me", headers: Self.from(Self.web))
            #expect(
                me.status == 401 && me.headers[.accessControlAllowOrigin] == nil && me.headers[.vary] == nil)
            #expect(try await app.call(.options, "/v1/me", headers: Self.asking("GET")).status == 405)
        }
        try await run(configure: { $0.app.corsOrigins = CORSOrigins("*") ?? .none }) { app in
            let me = try await app.get("/v1/me", headers: Self.from("https://any.example"))
            #expect(me.headers[.accessControlAllowOrigin] == "*" && me.headers[.vary] == nil)
            #expect(me.headers[.accessControlAllowCredentials] == nil)
        }
    }

    @Test func `each app of the file has origins of its own`() async throws {
        try await run { app in
            try await app.apply(
                """
                apps:
                  shop: {hosts: [https://shop.example.com], corsOrigins: [https://shop.example.com, https://www.example.com]}
                  plain: {hosts: [https://plain.example.com]}
                """)
            for (host, origin, isAllowed) in [
                ("shop.example.com", "https://www.example.com", true), ("shop.example.com", Self.web, false),
                ("plain.example.com", Self.web, false), ("join.example.com", Self.web, true),
                ("join.example.com", "https://www.example.com", false),
            ] {
                let answer = try await app.get("/v1/me", headers: Self.from(origin, [.testHost: host]))
                #expect(
                    (answer.headers[.accessControlAllowOrigin] == origin) == isAllowed, "\(host) \(origin)")
            }
        }
    }

    @Test(arguments: [
        ("https://app.example.com", "https://app.example.com"),
        ("https://App.Example.com:443/", "https://app.example.com"),
        ("http://localhost:3000", "http://localhost:3000"), ("ionic://localhost", "ionic://localhost"),
        ("tauri://localhost", "tauri://localhost"), ("https://[::1]:8443", "https://[::1]:8443"),
    ])
    func `an origin is what a browser sends`(text: String, origin: String) {
        #expect(CORSOrigins(text)?.allow(origin) == true)
        #expect(CORSOrigins(text)?.allow(origin + ".evil.example") == false)
        #expect(CORSOrigins(text)?.allow(origin.uppercased()) == false)
    }

    @Test func `a stream can be read from another origin`() async throws {
        try await TestApp.run(
            configure: { $0.app.corsOrigins = CORSOrigins(Self.web) ?? .none }, .live
        ) { app in
            try await app.signUp("ann")
            let stream = try await app.openStream(as: "u-ann", origin: Self.web)
            let head = await stream.hear("retry: 2000\nid: ").lowercased()
            #expect(
                head.contains("200 ok") && head.contains("access-control-allow-origin: \(Self.web)"),
                "\(head)")
            #expect(head.contains("vary: origin"), "\(head)")
        }
    }
}
