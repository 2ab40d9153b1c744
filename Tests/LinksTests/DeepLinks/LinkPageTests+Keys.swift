import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Who may look.
extension LinkPageTests {
    @Test func `without a server or admin key there is a page that asks for one`() async throws {
        try await run { app, key in
            try await make(app, key, "party")
            let (client, admin) = (try await app.keyed(.client), try await app.keyed(.admin))
            #expect(try await app.get("/links/party+", headers: admin).status == 200)
            let wrong = "kith_000000000000_\(String(repeating: "0", count: 32))"
            var double = basic(text(of: key))
            double[values: .authorization] = [double[.authorization] ?? "", "Bearer x"]
            for (headers, status) in [
                ([.accept: "text/html"], 401), (basic(wrong), 401), (basic("secret"), 401), (basic(""), 401),
                ([.authorization: "Basic %%%", .accept: "text/html"], 401),
                ([.authorization: "Basic", .accept: "text/html"], 401), (basic("\(text(of: key))\n"), 401),
                (basic(text(of: client)), 401), (double, 400),
            ] as [(HTTPFields, Int)] {
                for path in ["/links/party+", "/links/nothing+", "/links/party", "/links/party+/qr.png"] {
                    let answer = try await app.get(path, headers: headers)
                    #expect(answer.status == status, "\(headers) \(path)")
                    #expect(!answer.text.contains("go.example.com"))
                    #expect(answer.headers[.cacheControl] == "no-store")
                    guard status != 400 else { continue }
                    #expect(answer.text.contains("<h1>This page needs a key</h1>"))
                    #expect(
                        answer.headers[.wwwAuthenticate]
                            == (status == 401 ? #"Basic realm="Kith", charset="UTF-8""# : nil))
                }
            }
            let program = try await app.get("/links/party+")
            #expect((program.status, program.code) == (401, "unauthenticated"))
            var guess = basic("bad")
            guess[.accept] = nil
            let guessed = try await app.get("/links/party+", headers: guess)
            for answer in [program, guessed] {
                #expect(answer["detail"]?.contains("needs a key, as the password") == true, "\(answer.text)")
            }
            #expect(try await app.get("/links/party+", as: "u-ann").status == 401)
            // A password that a browser keeps must open nothing that changes something.
            let call = try await app.get("/v1/links/party", headers: basic(text(of: key)))
            #expect((call.status, call.headers[.wwwAuthenticate]) == (401, #"Bearer realm="Kith""#))
        }
    }

    @Test func `guesses count against the address, as those at the API do`() async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        let limits = try RateLimitConfig("unauthenticated=3/m,api=4/m")
        try await run(
            .live,
            {
                $0.server.trustedProxies.ranges = proxies
                $0.rateLimits = limits
            }
        ) { app, key in
            try await make(app, key, "party")
            var headers = basic("kith_000000000000_\(String(repeating: "0", count: 32))")
            headers[.xForwardedFor] = "203.0.113.9"
            var statuses: [Int] = []
            for _ in 0..<12 { statuses.append(try await app.get("/links/party+", headers: headers).status) }
            #expect(statuses.first == 401 && statuses.last == 429, "\(statuses)")
            headers[.xForwardedFor] = "203.0.113.10"
            #expect(try await app.get("/links/party+", headers: headers).status == 401)
        }
    }

    @Test func `without a domain the first that has the code counts`() async throws {
        try await run { app, key in
            let (own, other) = ("https://example.com/own", "https://example.com/other")
            try await make(app, key, "both", ["link": own])
            for code in ["both", "second"] {
                try await make(app, key, code, ["link": other], domain: "\(TestApp.origin)/l")
            }
            let both = try await app.get("/links/both+", headers: key)
            #expect(both.text.contains(own) && !both.text.contains(other))
            let second = try await app.get("/links/second+", headers: key)
            #expect(second.status == 200 && second.text.contains("\(TestApp.origin)/l/second"))
            #expect(try await app.get("/links/second+/qr.svg", headers: key).status == 200)
            let first = PercentEncoding.encode("https://go.example.com")
            #expect(try await app.get("/links/second+?domain=\(first)", headers: key).status == 404)
            #expect(try await app.get("/links/third+", headers: key).status == 404)
        }
    }
}
