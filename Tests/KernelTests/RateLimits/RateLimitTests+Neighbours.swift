import HTTPTypes
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// One client behind a shared address must not lock out the others: behind a carrier's NAT there may be
/// thousands.
extension RateLimitTests {
    @Test func `hundreds of dead codes from an address do not block valid ones from there`() async throws {
        try await run("on") { apps, _ in
            let app = apps[0]
            try await app.signUp("ann")
            let good = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let here = Self.from("203.0.113.1")
            for number in 0..<300 {
                #expect(try await app.get("/\(Self.code(number))", headers: here).status == 404)
            }
            #expect(try await app.get("/\(good)", headers: here).status == 302)
        }
    }

    @Test
    func `invalid tokens of one client do not block valid tokens and keys of others at the address`()
        async throws
    {
        try await run("unauthenticated=2/m") { apps, _ in
            let app = apps[0]
            try await app.signUp("ann")
            let key = try await APIKeyStore(db: app.db).create(name: "test", scope: .server)
            var headers = Self.from("203.0.113.1")
            for status in [401, 401, 429, 429] {
                headers[.authorization] = "Bearer x.y.z"
                #expect(try await app.get("/v1/me", headers: headers).status == status)
            }
            headers[.authorization] = nil
            let refused = try await app.get("/v1/me", headers: headers)
            #expect(refused.status == 429 && refused.headers[.rateLimit] == #""unauthenticated";r=0;t=60"#)
            for uid in ["u-ann", "u-ann", "u-new"] {
                let answer = try await app.get("/v1/usernames/free", as: uid, headers: headers)
                #expect(answer.status == 200)
            }
            headers[.authorization] = "Bearer \(key)"
            #expect(try await app.get("/v1/usernames/free", headers: headers).status == 200)
        }
    }

    @Test
    func `a client refused too often for lack of a valid token is refused before its token is verified`()
        async throws
    {
        try await run("unauthenticated=2/m") { (apps, _) async throws in
            let app = apps[0]
            var headers = Self.from("203.0.113.1")
            for _ in 0..<2 {
                headers[.authorization] = "Bearer x.y.z"
                #expect(try await app.get("/v1/me", headers: headers).status == 401)
            }
            headers[.authorization] = "Bearer kith_000000000000_00000000000000000000000000000000"
            #expect(try await app.get("/v1/me", headers: headers).status == 429)
            #expect(try await app.get("/v1/me", headers: Self.from("203.0.113.2")).status == 401)
        }
    }

    @Test(arguments: ["//v1/signup", "/v1//signup", "///v1/signup"])
    func `a path with empty segments reaches no call, and passes no limit of one`(path: String) async throws {
        try await run("newcomers=1/m") { (apps, _) async throws in
            let (app, headers) = (apps[0], Self.from("203.0.113.1"))
            for name in ["ann", "bob"] {
                let answer = try await app.post(path, as: "u-\(name)", headers: headers, ["username": name])
                #expect((answer.status, answer.code) == (404, "not_found"))
                #expect(answer.headers[.contentType] == "application/problem+json")
                #expect(
                    try await app.get("/v1/me", as: "u-\(name)", headers: headers).code == "not_signed_up")
            }
        }
    }

    @Test func `a token that looks like a key counts by address on a path without a route`()
        async throws
    {
        try await run("api=2/m") { (apps, _) async throws in
            var headers = Self.from("203.0.113.1")
            headers[.authorization] = "Bearer kith_000000000000_00000000000000000000000000000000"
            for status in [404, 405, 429] {
                let path = status == 405 ? "/v1/signup" : "/v1/nothing"
                #expect(try await apps[0].get(path, headers: headers).status == status)
            }
        }
    }

    @Test func `the number of tokens and keys verified for an address that sends invalid ones is limited`()
        async throws
    {
        try await run("unauthenticated=2/m,api=3/m") { apps, _ in
            let app = apps[0]
            var headers = Self.from("203.0.113.1")
            headers[.authorization] = "Bearer kith_000000000000_00000000000000000000000000000000"
            var limits: [String] = []
            for _ in 0..<7 {
                let answer = try await app.get("/v1/me", headers: headers)
                limits.append(String(answer.headers[.rateLimit]?.prefix { $0 != ";" } ?? "none"))
            }
            let unauthenticated = "\"unauthenticated\""
            #expect(
                limits == ["none", "none"] + Array(repeating: unauthenticated, count: 3) + [
                    "\"api\"", "\"api\"",
                ])
        }
    }

    @Test func `taps on a store's button and claims of pasted links count by address`() async throws {
        try await run("installs=2/m") { apps, _ in
            let app = apps[0]
            try await app.signUp("ann")
            func claim(_ number: Int, from address: String) async throws -> TestApp.Answer {
                var headers = try await app.keyed(.client)
                headers[.xForwardedFor] = address
                return try await app.post(
                    "/v1/installs/claim", as: nil, headers: headers,
                    [
                        "platform": "ios", "installationId": "i-\(number)",
                        "pasteboard": "\(TestApp.origin)/users/ann?invitedBy=u-ann",
                    ])
            }
            for number in 1...2 { #expect(try await claim(number, from: "192.0.2.1").status == 200) }
            let refused = try await claim(3, from: "192.0.2.1")
            #expect(refused.status == 429 && refused.headers[.retryAfter] != nil, "\(refused.text)")
            #expect(try await claim(3, from: "192.0.2.2").status == 200)
            #expect(try await app.count("installs") == 3)
        }
    }

    @Test func `who leaves too many invites goes to the store without one, and is counted`() async throws {
        try await run("installs=2/m", configure: TestApp.withStores) { apps, _ in
            let app = apps[0]
            try await app.signUp("ann")
            for isLeft in [true, true, false] {
                var headers = HTTPFields.android
                headers[.xForwardedFor] = "192.0.2.1"
                let answer = try await app.get("/users/ann/play-store?invitedBy=u-ann", headers: headers)
                #expect(answer.headers[.location]?.contains("kith_claim") == isLeft, "\(answer.text)")
            }
            let text = app.app.metrics.text()
            for sample in [
                #"kith_taps_total{invite="left"} 2"#, #"kith_taps_total{invite="limited"} 1"#,
                #"kith_rate_limited_total{limit="installs"} 1"#,
            ] { #expect(text.contains(sample), "\(sample)") }
        }
    }

    @Test func `drawn pictures count by address, but not those cached here or by the client`()
        async throws
    {
        try await run("pictures=2/m") { apps, hand in
            let app = apps[0]
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            func picture(_ name: String, from address: String = "203.0.113.1", tag: String? = nil)
                async throws
                -> TestApp.Answer
            {
                var headers = Self.from(address)
                headers[.ifNoneMatch] = tag
                return try await app.get("/users/\(name)/qr.png?invitedBy=u-\(name)", headers: headers)
            }
            let first = try await picture("ann")
            for _ in 0..<5 { #expect(try await picture("ann").bytes == first.bytes) }
            #expect(try await picture("bob").status == 200)
            let refused = try await picture("cat")
            #expect(refused.status == 429 && refused.headers[.rateLimit] == #""pictures";r=0;t=60"#)
            #expect(try await picture("ann").status == 200)
            #expect(try await app.get("/users/cat?invitedBy=u-cat").status == 200)
            let elsewhere = try await picture("cat", from: "203.0.113.2")
            #expect(elsewhere.status == 200)
            let known = try await picture("cat", tag: elsewhere.headers[.eTag])
            #expect(known.status == 304 && known.bytes.isEmpty)
        }
    }

    @Test
    func `a client that retries after Retry-After is not refused, even after an exchange between servers`()
        async throws
    {
        try await run("usernames=60/m") { apps, hand in
            let (app, service) = (apps[0], try service(apps[0]))
            func look() async throws -> TestApp.Answer {
                try await app.get("/v1/usernames/ann", as: "u-bob")
            }
            for _ in 0..<60 { #expect(try await look().status == 200) }
            let refused = try await look()
            #expect(refused.status == 429 && refused.headers[.retryAfter] == "1")
            hand.pass(0.75)
            try await service.exchange()
            hand.pass(0.25)
            #expect(try await look().status == 200)
            #expect(try await look().status == 429)
        }
    }
}
