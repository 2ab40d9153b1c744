import Foundation
import TestSupport
import Testing

@testable import AppTesting

/// RFC 9112 on requests that no client library sends: the statuses, and whether the server closes the
/// connection.
extension RawRequestTests {
    struct Case: Sendable {
        let statuses: [Int]
        let closes: Bool
        let bytes: String

        init(_ statuses: [Int], closes: Bool, _ bytes: String) {
            (self.statuses, self.closes, self.bytes) = (statuses, closes, bytes)
        }
    }

    static let grammar = [
        Case([200], closes: false, "GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([200], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        Case([200], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n"),
        Case([200], closes: true, "GET /robots.txt HTTP/1.0\r\n\r\n"),
        Case([200], closes: true, "GET /robots.txt HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
        Case([200], closes: true, "GET http://x/robots.txt HTTP/1.0\r\n\r\n"),
        Case([400], closes: true, "GET http:///robots.txt HTTP/1.0\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost:\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: a b\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Case([200], closes: false, "GET http://x/robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([200], closes: false, "GET http://x:80/robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([200], closes: false, "GET https://x/robots.txt HTTP/1.1\r\nHost: X:443\r\n\r\n"),
        Case([421], closes: true, "GET http://x:443/robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([421], closes: true, "GET http://y/robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET ftp://x/robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET * HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([405], closes: true, "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "get /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/2.0\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.2\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt\r\n\r\n"),
        Case([400], closes: true, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\nHost: x\n\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\nX: y\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\n X: a\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\n Host: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nX : a\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nX\r\n\r\n"),
        Case([200], closes: false, "GET  /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([200], closes: false, "GET /robots.txt  HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET\t/robots.txt\tHTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([200], closes: false, "\r\nGET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, " GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1 \r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt http/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n"),
        Case(
            [501], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \u{b}chunked\r\n\r\n0\r\n\r\n"),
        Case(
            [400], closes: true, "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n"),
        Case(
            [401], closes: false,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"
        ),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na"),
        Case([400], closes: true, "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na"),
        Case([400], closes: true, "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na"),
        Case([400], closes: true, "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\na"),
        Case([400], closes: true, "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 1 1\r\n\r\na"),
        Case([400], closes: true, "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\na"),
        Case(
            [400], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775808\r\n\r\na"),
        Case(
            [401], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"),
        Case(
            [401], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"),
        Case(
            [401], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"),
        Case(
            [401], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n"),
        Case(
            [401], closes: false,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;x=\"y\"\r\na\r\n0\r\n\r\n"
        ),
        Case(
            [401], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000000\r\n\r\nx"),
        Case(
            [100, 401], closes: false,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"),
        Case(
            [200], closes: true,
            "GET /robots.txt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
        Case(
            [414], closes: false,
            "GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case(
            [414], closes: true,
            "GET /" + String(repeating: "a", count: 20000) + " HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case(
            [401, 431], closes: true,
            "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n"
                + String(repeating: "a", count: 20000) + "GET / HTTP/1.1\r\nHost: x\r\nX: "
                + String(repeating: "a", count: 20000) + "\r\n\r\n"),
        Case(
            [431], closes: true,
            "GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 20000) + "\r\n\r\n"),
        Case(
            [431], closes: true,
            "GET / HTTP/1.1\r\nHost: x\r\n"
                + String(repeating: "X: \(String(repeating: "a", count: 1000))\r\n", count: 50) + "\r\n"),
        Case(
            [431], closes: true,
            "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: a\r\n", count: 200) + "\r\n"),
        Case(
            [200, 400], closes: true,
            "GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\nGET /robots.txt HTTP/1.1\r\n\r\n"),
        Case([200, 400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\nNONSENSE"),
        Case([400], closes: true, "HEAD /robots.txt HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "BREW /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([404], closes: false, "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case([400], closes: true, "GET /robots.txt HTTP/1.1\r\nHost: x\r\nX: a\u{0}b\r\n\r\n"),
    ]

    @Test
    func `they are answered as RFC 9112 requires, and the connection is closed if the rest is ambiguous`()
        async throws
    {
        let server = try await KithServer.start(["KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase()])
        let port = try #require(URL(string: server.origin)?.port.flatMap(UInt16.init))
        for one in Self.grammar {
            // If the connection stays open, a last request that closes it must be answered as usual.
            let last = one.closes ? "" : "GET /robots.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let answer = try await say(Array((one.bytes + last).utf8), to: port, halfCloses: false)
            let statuses = answer.matches(of: /HTTP\/1\.1 (\d\d\d)/).compactMap { Int($0.1) }
            let about = String(one.bytes.prefix(80))
            #expect(statuses == one.statuses + (one.closes ? [] : [200]), "\(about)")
            if one.closes, let status = statuses.last, status >= 400, !one.bytes.hasPrefix("HEAD") {
                #expect(answer.contains("Connection: close"), "\(about)")
                #expect(answer.contains("application/problem+json"), "\(about)")
                let id = answer.matches(of: /X-Request-Id: ([0-9a-f]{32})\r\n/).last?.1 ?? "–"
                #expect(answer.contains(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/))
                #expect(answer.contains(#""requestId":"\#(id)""#), "\(about)")
            }
        }
        let half = "POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"
        #expect(try await say(Array(half.utf8), to: port).hasPrefix("HTTP/1.1 401 "))
        server.process.terminate()
        let end = await server.exit()
        #expect(end.status == 0)
        #expect(!end.error.contains("request failed"))
    }

    @Test func `a truncated body is a 400, and nothing is done`() async throws {
        let server = try await KithServer.start(["KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase()])
        let port = try #require(URL(string: server.origin)?.port.flatMap(UInt16.init))
        let token = try await server.token(for: "u-ann")
        let head = """
            POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
            Authorization: Bearer \(token)\r\n
            """
        let body = #"{"username":"ann"}"#
        for rest in [
            "Content-Length: 100\r\n\r\n\(body)", "Transfer-Encoding: chunked\r\n\r\n12\r\n\(body)\r\n",
            "Transfer-Encoding: chunked\r\n\r\n12\r\n\(body)\r\nzz\r\n",
        ] {
            let answer = try await say(Array((head + rest).utf8), to: port)
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(rest): \(answer)")
        }
        #expect(try await server.call("GET", "/v1/me", as: "u-ann").status == 403)
        server.process.terminate()
        #expect(await server.exit().error.contains("request failed") == false)
    }
}
