import HTTPTypes
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Codes of short links are as little to be guessed as those of invites, whoever asks where they lead.
extension RateLimitTests {
    /// Asks where a short link leads.
    private typealias Ask =
        @Sendable (_ app: TestApp, _ code: String, _ from: String) async throws -> TestApp.Answer

    private static func asApp(
        _ path: String, _ body: @escaping @Sendable (_ url: String) -> Body
    ) -> Ask {
        { app, code, address in
            var headers = try await app.keyed(.client)
            headers[.xForwardedFor] = address
            return try await app.post(path, as: nil, headers: headers, body("https://go.example.com/\(code)"))
        }
    }

    private static func asVisitor(_ query: String) -> Ask {
        { app, code, address in
            var headers = from(address)
            headers[.testHost] = "go.example.com"
            return try await app.get("/\(code)\(query)", headers: headers)
        }
    }

    private static let asks: [(name: String, ask: Ask)] = [
        ("visit", asVisitor("")), ("picture", asVisitor("?d=1")),
        ("resolve", asApp("/v1/links/resolve") { ["url": $0] }),
        (
            "claim",
            asApp("/v1/installs/claim") {
                [
                    "platform": "android", "installationId": "i",
                    "referrer": "kith_link=\(PercentEncoding.encode($0))",
                ]
            }
        ),
        (
            "paste",
            asApp("/v1/installs/claim") { ["platform": "ios", "installationId": "i", "pasteboard": $0] }
        ),
        ("install", asApp("/fdl/v1/installAttribution") { ["uniqueMatchLinkToCheck": $0] }),
        ("reopen", asApp("/fdl/v1/reopenAttribution") { ["requestedLink": $0] }),
    ]

    @Test(arguments: asks.indices)
    func `codes of short links that lead nowhere count by address, and valid ones never`(number: Int)
        async throws
    {
        try await run("codes=3/m", configure: TestApp.withLinks) { apps, hand in
            let (app, (name, ask)) = (apps[0], Self.asks[number])
            let made = try await app.post(
                "/v1/links", as: nil, headers: app.keyed(.server),
                ["parameters": ["link": TestApp.party], "suffix": "custom", "code": "party"])
            try #require(made.status == 201, "\(made.text)")
            let (here, there) = ("203.0.113.1", "203.0.113.2")
            for _ in 0..<5 { #expect(try await ask(app, "party", here).status < 400, "\(name)") }
            for dead in ["a", "a", "a", "b", "c"] {
                #expect(try await ask(app, dead, here).status != 429, "\(name) \(dead)")
            }
            for code in ["d", "party"] {
                #expect(try await ask(app, code, here).status == 429, "\(name) \(code)")
            }
            #expect(try await ask(app, "party", there).status < 400, "\(name)")
            hand.pass(21)
            #expect(try await ask(app, "party", here).status < 400, "\(name)")
        }
    }

    @Test func `all ways to ask for codes share one limit, with those of invites`() async throws {
        try await run("codes=3/m", configure: TestApp.withLinks) { apps, _ in
            let (app, here) = (apps[0], "203.0.113.1")
            _ = try await Self.asVisitor("")(app, "a", here)
            _ = try await Self.asApp("/v1/links/resolve") { ["url": $0] }(app, "b", here)
            #expect(try await app.get("/\(Self.code(1))", headers: Self.from(here)).status == 404)
            #expect(try await app.get("/\(Self.code(2))", headers: Self.from(here)).status == 429)
            #expect(try await Self.asVisitor("")(app, "c", here).status == 429)
        }
    }

    @Test func `a code in the target of a long link counts, too`() async throws {
        try await run("codes=3/m", configure: TestApp.withLinks) { apps, _ in
            for (code, isRefused) in [("a", false), ("a", false), ("b", false), ("c", false), ("d", true)] {
                let ask = Self.asVisitor("?link=\(PercentEncoding.encode("https://go.example.com/\(code)"))")
                let answer = try await ask(apps[0], "", "203.0.113.1")
                #expect((answer.status == 429) == isRefused, "\(code)")
            }
        }
    }

    /// Of an invite and of a short link, each for one whose code is dead.
    @Test func `dead codes that a backend asks for count neither against it nor against its address`()
        async throws
    {
        try await run("codes=3/m", configure: TestApp.withLinks) { apps, _ in
            let (app, here) = (apps[0], Self.from("203.0.113.1"))
            var backend = try await app.keyed(.server)
            backend[.xForwardedFor] = here[.xForwardedFor]
            var acting = backend
            acting[.kithUser] = "u-bob"
            for number in 1...5 {
                let invite: Body = ["code": Self.code(number)]
                let asked = try await app.post("/v1/invites/resolve", as: nil, headers: acting, invite)
                #expect((asked.status, asked.code) == (404, "invite_not_found"), "\(asked.text)")
                let link: Body = ["url": "https://go.example.com/dead\(number)"]
                let found = try await app.post("/v1/links/resolve", as: nil, headers: backend, link)
                #expect(found.status == 404, "\(found.text)")
            }
            #expect(try await app.get("/\(Self.code(6))", headers: here).status == 404)
        }
    }

    @Test func `short links that apps make count by address, those of backends do not`() async throws {
        try await run("links=2/m", configure: TestApp.withLinks) { apps, _ in
            let app = apps[0]
            func make(_ scope: APIKey.Scope, _ path: String = "/v1/links", from address: String) async throws
                -> TestApp.Answer
            {
                var headers = try await app.keyed(scope)
                headers[.xForwardedFor] = address
                let body: Body =
                    path == "/v1/links"
                    ? ["parameters": ["link": TestApp.party]]
                    : ["longDynamicLink": TestApp.long(["link": TestApp.party])]
                return try await app.post(path, as: nil, headers: headers, body)
            }
            #expect(try await make(.client, from: "203.0.113.1").status == 201)
            #expect(try await make(.client, "/fdl/v1/shortLinks", from: "203.0.113.1").status == 200)
            for path in ["/v1/links", "/fdl/v1/shortLinks"] {
                let refused = try await make(.client, path, from: "203.0.113.1")
                #expect(
                    refused.status == 429 && refused.headers[.rateLimit]?.contains("links") == true,
                    "\(refused.text)")
            }
            for _ in 0..<3 { #expect(try await make(.server, from: "203.0.113.1").status == 200) }
            #expect(try await make(.client, from: "203.0.113.2").status == 200)
        }
    }
}
