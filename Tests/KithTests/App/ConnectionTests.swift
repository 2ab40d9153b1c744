import Foundation
import Testing

@testable import Kith

/// More connections than a server takes.
@Suite struct ConnectionTests {
    private static let cap = 12

    @Test func `connections above the cap are told 503, and when some have gone, new ones are served`()
        async throws
    {
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": TestServer.shared.database(), "KITH_MAX_CONNECTIONS": "\(Self.cap)",
        ])
        #expect(try await server.metric("kith_http_connections_limit") == Self.cap)
        var (served, refused): ([RawConnection], [RawConnection]) = ([], [])
        var told = 0
        for _ in 0..<Self.cap + 20 {
            let connection = try server.connect()
            let said = await connection.ask("/robots.txt")
            if said.hasPrefix("HTTP/1.1 200 ") {
                served.append(connection)
                continue
            }
            refused.append(connection)
            #expect(await connection.rest().isEmpty, "it is closed")
            if said.isEmpty { continue }
            told += 1
            #expect(said.hasPrefix("HTTP/1.1 503 ") && said.contains("too_many_connections"))
            #expect(said.contains("Retry-After: 1\r\n") && said.contains("Connection: close\r\n"))
        }
        // The client that waited for the start may keep a connection or two.
        #expect((Self.cap - 2...Self.cap).contains(served.count))
        #expect(told >= OpenConnections.told(Self.cap))
        #expect(try await server.ops("/readyz").status == 200)
        #expect(try await server.metric("kith_http_connections_refused_total") == refused.count)
        for connection in served { #expect(await connection.ask("/robots.txt").hasPrefix("HTTP/1.1 200 ")) }

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
}
