import Foundation
import Testing

@testable import Kith

/// More connections than a server takes, and fewer descriptors than it needs.
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

    #if os(Linux)
        @Test func `without a descriptor for a client it tries four times a second, until there is one`()
            async throws
        {
            let server = try await KithServer.start(["KITH_DATABASE_URL": TestServer.shared.database()])
            let ops = try server.connect(toOps: true)
            func errors() async throws -> Int {
                let answer = await ops.ask("/metrics")
                let count = answer.firstMatch(of: /\nkith_http_accept_errors_total (\d+)\n/)
                return try #require(Int(count?.1 ?? ""))
            }
            #expect(try await errors() == 0)
            let start = ContinuousClock.now
            try await allow(server, descriptors: 3)
            let clients = try (0..<5).map { _ in try server.connect() }
            for client in clients {
                await client.say(Array("GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            }
            try await waitUntil("it has tried some times") { try await errors() >= 4 }
            let tried = try await errors()
            #expect(Double(tried) <= 2 + start.duration(to: .now) / .milliseconds(250))
            try await allow(server, descriptors: 1024)
            for client in clients { #expect(await client.answer().hasPrefix("HTTP/1.1 200 ")) }
            server.process.terminate()
            #expect(await server.exit().status == 0)
        }

        /// Of those it has open it loses none.
        private func allow(_ server: KithServer, descriptors: Int) async throws {
            let prlimit = Process()
            prlimit.executableURL = URL(filePath: "/usr/bin/prlimit")
            prlimit.arguments = ["--pid", "\(server.process.id)", "--nofile=\(descriptors):"]
            try prlimit.run()
            try await waitUntil("prlimit has ended") { !prlimit.isRunning }
            #expect(prlimit.terminationStatus == 0)
        }
    #endif
}
