import Foundation
import TestSupport
import Testing

@testable import AppTesting

/// `KITH_ACCESS_LOG`.
@Suite(.inTurns) struct AccessLogTests {
    private func lines(of outcome: KithCommand.Outcome) throws -> [[String: Any]] {
        try outcome.error.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }.filter { $0["message"] as? String == "answered" }
    }

    private static let blocks = "GET /v1/blocks HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: "
    private static let refused = [
        (blocks + "Basic u-secret", 401), (blocks + "bearer  kith_u-secret", 401),
        (blocks + "Bearer u-secret", 401),
        (
            "POST /fdl/v1/shortLinks?key=kith_aaaaaaaaaaaa_\(String(repeating: "b", count: 32)) HTTP/1.1\r\n"
                + "Host: x\r\nConnection: close\r\nContent-Length: 0", 401
        ), ("NONSENSE", 400), ("GET /hidden_name HTTP/1.1", 400),
    ]

    @Test func `each answer has a line, which names neither users nor codes`() async throws {
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase(), "KITH_ACCESS_LOG": "json",
        ])
        let made = try await server.call(
            "POST", "/v1/signup", as: "u-secret", body: ["username": "hidden_name"])
        #expect(made.status == 201)
        _ = try await server.call("GET", "/users/hidden_name?invitedBy=u-secret&utm_source=hushed")
        _ = try await server.call("GET", "/0123456789abcdef")
        _ = try await server.call("GET", "/v1/users/u-secret", as: "u-secret")
        _ = try await server.call("GET", "/v1/nowhere/u-secret")
        _ = try await server.call("GET", "/v1/me/export", as: "u-secret")
        _ = try await server.call("DELETE", "/users/hidden_name")
        for (bytes, status) in Self.refused {
            let connection = try server.connect()
            await connection.say(Array("\(bytes)\r\n\r\n".utf8))
            #expect(await connection.rest().hasPrefix("HTTP/1.1 \(status) "))
        }
        server.process.terminate()
        let outcome = await server.exit()
        for secret in [
            "u-secret", "hidden_name", "0123456789abcdef", "hushed", "invitedBy", "kith_aaaa", "bbbbbbbb",
        ] {
            #expect(!outcome.error.contains(secret), "\(secret)")
        }
        let lines = try lines(of: outcome).filter { $0["route"] as? String != "/robots.txt" }
        let seen = lines.map { line in
            ["method", "route", "status", "credentials"].map { line[$0].map { "\($0)" } ?? "–" }
                .joined(separator: " ")
        }
        #expect(
            seen == [
                "POST /v1/signup 201 token", "GET /users/{username} 200 none", "GET /{code} 404 none",
                "GET /v1/users/{uid} 200 token", "GET NotFound 404 none", "GET /v1/me/export 200 token",
                "DELETE /users/{username} 405 none", "GET /v1/blocks 401 other", "GET /v1/blocks 401 key",
                "GET /v1/blocks 401 token", "POST /fdl/v1/shortLinks 401 key",
                "– – 400 –", "– – 400 –",
            ])
        for line in lines {
            #expect((line["requestId"] as? String)?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect((line["time"] as? String)?.hasSuffix("Z") == true)
            let isRead = line["route"] != nil
            #expect((line["milliseconds"] as? Double).map { $0 >= 0 } == (isRead ? true : nil))
            let isWhole = line["route"] as? String != "/v1/me/export"
            #expect((line["bytes"] as? Int).map { $0 > 0 } == (isWhole ? true : nil), "\(line)")
        }
    }

    @Test func `by default there are no such lines`() async throws {
        let server = try await KithServer.start(["KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase()])
        server.process.terminate()
        #expect(try lines(of: await server.exit()).isEmpty)
    }
}
