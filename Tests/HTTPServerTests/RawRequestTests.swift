import Foundation
import TestSupport
import Testing

@testable import AppTesting

/// Bytes on the wire that no client library sends.
@Suite(.inTurns) struct RawRequestTests {
    private static let head = "Host: x\r\nConnection: close\r\n"

    /// Sends these bytes, and returns everything that the server answers until it closes.
    /// - Parameter halfCloses: whether the client closes its sending half afterwards.
    func say(_ bytes: [UInt8], to port: UInt16, halfCloses: Bool = true) async throws -> String {
        let connection = try RawConnection(to: port)
        await connection.say(bytes)
        if halfCloses { connection.finish() }
        return await connection.rest()
    }

    private static let bad: [[UInt8]] =
        [
            "GET /users/a b HTTP/1.1\r\n\(head)\r\n", "GET /users/\u{1} HTTP/1.1\r\n\(head)\r\n",
            "GET /users/\u{0} HTTP/1.1\r\n\(head)\r\n", "GET /users/花 HTTP/1.1\r\n\(head)\r\n",
            "GET /users/ann?x=é HTTP/1.1\r\n\(head)\r\n", "GET  HTTP/1.1\r\n\(head)\r\n",
            "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\n\(head)\r\n",
            "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 100_000))\r\n\(head)\r\n",
            "GET / HTTP/1.1\r\nX: a\u{0}b\r\n\(head)\r\n", "GET / HTTP/1.1\r\nX : a\r\n\(head)\r\n",
            "GET / HTTP/1.1\r\n\u{E9}: a\r\n\(head)\r\n", "GET / HTTP/9.9\r\n\(head)\r\n",
            "NONSENSE / HTTP/1.1\r\n\(head)\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
            "POST /v1/signup HTTP/1.1\r\n\(head)Content-Length: -1\r\n\r\n",
            "POST /v1/signup HTTP/1.1\r\n\(head)Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "POST /v1/signup HTTP/1.1\r\n\(head)Content-Length: 99999999999999999999\r\n\r\n",
            "POST /v1/signup HTTP/1.1\r\n\(head)Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            "POST /v1/signup HTTP/1.1\r\n\(head)Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
            "POST /v1/signup HTTP/1.1\r\n\(head)Transfer-Encoding: x\r\n\r\n",
        ].map { Array($0.utf8) }
        + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]].flatMap { bytes in
            ["/users/", "/v1/users/", "/users/ann?invitedBy="].map { path in
                Array("GET \(path)".utf8) + bytes + Array(" HTTP/1.1\r\n\(head)\r\n".utf8)
            }
        }

    @Test func `they are refused with a 4xx one after the other, and the server still works`() async throws {
        let server = try await KithServer.start(["KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase()])
        let port = try #require(URL(string: server.origin)?.port.flatMap(UInt16.init))
        for bytes in Self.bad {
            let answer = try await say(bytes, to: port)
            let about = String(decoding: bytes.prefix(60), as: UTF8.self)
            #expect(
                answer.wholeMatch(of: /HTTP\/1\.[01] 4\d\d (?s:.*)/) != nil, "\(about): \(answer.prefix(200))"
            )
        }
        #expect(try await server.call("GET", "/robots.txt").status == 200)
        let half = "POST /v1/signup HTTP/1.1\r\n\(Self.head)Content-Length: 10\r\n\r\n{"
        _ = try await say(Array(half.utf8), to: port)
        #expect(try await server.call("GET", "/robots.txt").status == 200)
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }
}
