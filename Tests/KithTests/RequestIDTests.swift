import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith
@testable import Web

/// The `X-Request-Id` of answers, which problems and the log repeat.
@Suite(.inTurns) struct RequestIDTests {
    private static var made: Regex<Substring> { /[0-9a-f]{32}/ }

    @Test func `every answer has an id of its own, and a problem repeats it`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            var ids: [String] = []
            for call in BadInputTests.calls {
                for method in [call.method, .head, .post, .options] {
                    let answer = try await app.call(method, call.path, as: "u-ann", body: call.body)
                    let id = try #require(answer.headers[.xRequestID], "\(method) \(call.path)")
                    #expect(answer.headers[values: .xRequestID].count == 1)
                    #expect(id.wholeMatch(of: Self.made) != nil, "\(id)")
                    if let told = answer["requestId"] { #expect(told == id) }
                    ids.append(id)
                }
            }
            #expect(Set(ids).count == ids.count)
        }
    }

    @Test func `ids share no digits by which they could be counted`() {
        let ids = (0..<64).map { _ in Array("\(Web.RequestID())".utf8) }
        for place in 0..<32 {
            #expect(Set(ids.map { $0[place] }).count > 4, "digit \(place)")
        }
    }

    /// - Parameter proxies: `KITH_TRUSTED_PROXIES`.
    private func check(_ given: [String], trusting proxies: String, areTaken: Bool) async throws {
        let range = try #require(AddressRange(proxies))
        try await TestApp.run(configure: { $0.server.trustedProxies.ranges = [range] }, .live) { app in
            for text in given {
                let answer = try await app.get("/v1/me", headers: [.xRequestID: text])
                let id = try #require(answer.headers[.xRequestID])
                #expect(answer["requestId"] == id)
                #expect(areTaken ? id == text : id.wholeMatch(of: Self.made) != nil, "\(text): \(id)")
            }
        }
    }

    @Test func `a trusted proxy names the request, by 1 to 128 harmless characters`() async throws {
        let good = [
            "a", "7b6d1a40-9a0b-4a3e-8a43-3f3f9b1a2c3d", "Root=1-67891233-abcdef012345678912345678",
            "a+b/c=:@._",
            String(repeating: "x", count: 128),
        ]
        try await check(good, trusting: "127.0.0.0/8", areTaken: true)
        let bad = [
            "", " ", "a b", "a,b", "a\"b", "a\\b", "<b>", "a;b", "{x}", "é", "%00", "a\tb",
            String(repeating: "x", count: 129),
        ]
        try await check(bad, trusting: "127.0.0.0/8", areTaken: false)
    }

    @Test func `nobody else names it`() async throws {
        try await check(["mine", "a"], trusting: "10.0.0.0/8", areTaken: false)
    }

    @Test func `a failure is logged with the id of its answer`() async throws {
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase(),
            "KITH_TRUSTED_PROXIES": "127.0.0.1/32",
        ])
        var ids: [Substring] = []
        // Of two reasons: of one the log has a line in ten seconds.
        for (token, more) in [
            ("x.y.z", ""), ("eyJhbGciOiJub25lIiwia2lkIjoieCJ9.e30.eA", "X-Request-Id: of-the-proxy\r\n"),
        ] {
            let connection = try server.connect()
            let head =
                "GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n"
            await connection.say(Array("\(head)\(more)\r\n".utf8))
            let answer = await connection.rest()
            ids.append(try #require(answer.firstMatch(of: /X-Request-Id: ([^\r]+)\r\n/.ignoresCase())?.1))
        }
        #expect(ids[0].wholeMatch(of: Self.made) != nil && ids[1] == "of-the-proxy")
        server.process.terminate()
        let lines = await server.exit().error.split(separator: "\n").filter { $0.contains("token refused") }
        #expect(lines.count == 2)
        for (line, id) in zip(lines, ids) { #expect(line.contains(#""requestId":"\#(id)""#)) }
    }

    @Test(arguments: [
        ("GET /v1/me HTTP/1.1\r\n", 400), ("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n", 405),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n", 400), ("GET http://y/ HTTP/1.1\r\nHost: x\r\n", 421),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n", 501),
    ])
    func `a trusted proxy names a request that is refused by its head, too`(head: String, status: Int)
        async throws
    {
        for (proxies, isTaken) in [("127.0.0.0/8", true), ("10.0.0.0/8", false)] {
            let server = try await KithServer.start([
                "KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase(), "KITH_TRUSTED_PROXIES": proxies,
            ])
            let connection = try server.connect()
            await connection.say(Array("\(head)X-Request-Id: of-the-proxy\r\n\r\n".utf8))
            let answer = await connection.rest()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.contains("X-Request-Id: of-the-proxy\r\n") == isTaken, "\(answer)")
            #expect(answer.contains(#""requestId":"of-the-proxy""#) == isTaken)
            server.process.terminate()
            _ = await server.exit()
        }
    }
}
