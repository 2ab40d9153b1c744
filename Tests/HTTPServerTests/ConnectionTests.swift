import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import HTTPServer

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
        let ahead = 300
        var size = 0
        let requests = String(repeating: "GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n", count: ahead)
        for _ in 0..<Self.cap + 20 {
            let connection = try server.connect(receiving: 2048)
            let said = await connection.ask("/robots.txt")
            if said.hasPrefix("HTTP/1.1 200 ") {
                served.append(connection)
                size = said.utf8.count
                // An idle connection would be closed for the next one; one whose answers are on their way is
                // not.
                await connection.say(Array(requests.utf8))
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
        #expect(told >= OpenConnections.refusalMargin(Self.cap))
        for connection in served {
            #expect(await connection.hear(bytes: ahead * size) == ahead * size)
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

    @Test(arguments: [
        "", "GET / HTTP",
        "POST /v1/signup HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\n"
            + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ])
    func `a client that holds all connections, and says no more, locks nobody out`(said: String)
        async throws
    {
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase(),
            "KITH_MAX_CONNECTIONS": "\(Self.cap)",
        ])
        let held = try (0..<Self.cap).map { _ in try server.connect() }
        let said = said.replacing("TOKEN", with: try await server.token(for: "u-ann"))
        for connection in held { await connection.say(Array(said.utf8)) }
        // The client that waited for the start may have held a place or two.
        let others = Mutex<[RawConnection]>([])
        for _ in 0..<3 {
            try await waitUntil("a new one is served") {
                let other = try server.connect()
                others.withLock { $0.append(other) }
                return await other.ask("/robots.txt").hasPrefix("HTTP/1.1 200 ")
            }
        }
        // On a slow machine the time for their heads ends first.
        let closed = try await server.metric(#"kith_http_connections_slow_total{part="idle"}"#)
        #expect(try await closed + server.metric(#"kith_http_connections_slow_total{part="head"}"#) > 0)
        _ = held
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }
}
