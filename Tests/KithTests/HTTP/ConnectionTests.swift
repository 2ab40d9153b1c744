import Foundation
import TestSupport
import Testing

@testable import Kith

/// More connections than a server accepts.
@Suite(.inTurns) struct ConnectionTests {
    private static let cap = 12

    @Test func `connections above the limit get a 503, and when some have closed, new ones are served`()
        async throws
    {
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase(),
            "KITH_MAX_CONNECTIONS": "\(Self.cap)",
        ])
        #expect(try await server.metric("kith_http_connections_limit") == Self.cap)
        var (served, refused): ([RawConnection], [RawConnection]) = ([], [])
        var told = 0
        let token = try await server.token(for: "u-ann")
        let head = Array(
            """
            POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
            Authorization: Bearer \(token)\r\nExpect: 100-continue\r\n\r\n
            """.utf8)
        for _ in 0..<Self.cap + 20 {
            let connection = try server.connect()
            let said = await connection.ask("/robots.txt")
            if said.hasPrefix("HTTP/1.1 200 ") {
                served.append(connection)
                // An idle connection would be closed for the next one; a connection in the middle of a request is not.
                await connection.say(head)
                #expect(await connection.hear("100 Continue\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
                continue
            }
            refused.append(connection)
            #expect(await connection.rest().isEmpty, "it is closed")
            if said.isEmpty { continue }
            told += 1
            #expect(said.hasPrefix("HTTP/1.1 503 ") && said.contains("too_many_connections"))
            #expect(said.contains("Retry-After: 1\r\n") && said.contains("Connection: close\r\n"))
        }
        // The client that waited for the start may hold a connection or two.
        #expect((Self.cap - 2...Self.cap).contains(served.count))
        #expect(told >= OpenConnections.told(Self.cap))
        for connection in served {
            await connection.say(Array("{}".utf8))
            #expect(await connection.answer().hasPrefix("HTTP/1.1 400 "))
        }
        #expect(try await server.ops("/readyz").status == 200)
        #expect(try await server.metric("kith_http_connections_refused_total") == refused.count)

        served.removeFirst(3)
        try await waitUntil("those refused and three more have gone") {
            try await server.metric("kith_http_connections") <= Self.cap - 3
        }
        served += try (0..<3).map { _ in try server.connect() }
        for connection in served { #expect(await connection.ask("/robots.txt").hasPrefix("HTTP/1.1 200 ")) }
        #expect(try await server.metric("kith_http_connections_refused_total") == refused.count)
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }

    @Test func `a client that holds all connections idle locks nobody out`() async throws {
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase(),
            "KITH_MAX_CONNECTIONS": "\(Self.cap)",
        ])
        let held = try (0..<Self.cap).map { _ in try server.connect() }
        try await waitUntil("a new one is served") {
            try await server.connect().ask("/robots.txt").hasPrefix("HTTP/1.1 200 ")
        }
        // On a slow machine the time for their heads ends first.
        let closed = try await server.metric(#"kith_http_connections_slow_total{part="idle"}"#)
        #expect(try await closed + server.metric(#"kith_http_connections_slow_total{part="head"}"#) > 0)
        _ = held
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }
}
