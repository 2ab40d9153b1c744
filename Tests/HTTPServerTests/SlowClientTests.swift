import Foundation
import TestSupport
import Testing

@testable import AppTesting

/// Clients that read the picture of a link preview slowly, over a socket that takes little at once.
@Suite(.inTurns) struct SlowClientTests {
    private static let card = "GET /users/ann/card.jpg?invitedBy=u-ann HTTP/1.1\r\nHost: x\r\n"

    private static func server(_ settings: [String: String] = [:]) async throws -> KithServer {
        var environment = settings
        environment["KITH_DATABASE_URL"] = try await TestPostgres.shared.migratedDatabase()
        let server = try await KithServer.start(environment)
        let signup = try await server.call("POST", "/v1/signup", as: "u-ann", body: ["username": "ann"])
        #expect(signup.status == 201)
        // The next one need not be drawn.
        let connection = try server.connect()
        await connection.say(Array("\(card)Connection: close\r\n\r\n".utf8))
        try expectWhole(await connection.restOfBytes(), 1)
        return server
    }

    /// Expects so many pictures, all of them whole.
    private static func expectWhole(
        _ received: [UInt8], _ count: Int, at location: SourceLocation = #_sourceLocation
    ) throws {
        var rest = received[...]
        for _ in 0..<count {
            let end = try #require(rest.firstRange(of: Array("\r\n\r\n".utf8)), sourceLocation: location)
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            let length = try #require(head.firstMatch(of: /Content-Length: (\d+)/.ignoresCase()))
            #expect(head.hasPrefix("HTTP/1.1 200 "), sourceLocation: location)
            let size = try #require(Int(length.1))
            #expect(
                size > 40_000 && rest.distance(from: end.upperBound, to: rest.endIndex) >= size,
                sourceLocation: location)
            rest = rest[end.upperBound...].dropFirst(size)
        }
        #expect(rest.isEmpty, sourceLocation: location)
    }

    @Test func `at SIGTERM an answer on its way arrives whole`() async throws {
        let server = try await Self.server()
        let slow = try server.connect(receiving: 2048)
        await slow.say(Array("\(Self.card)\r\n".utf8))
        try await Task.sleep(for: .milliseconds(500))
        server.process.terminate()
        try await Task.sleep(for: .seconds(2.5))
        try Self.expectWhole(await slow.restOfBytes(), 1)
        #expect(await server.exit().status == 0)
    }

    @Test func `a client that ends its side after its requests gets all answers whole`() async throws {
        let server = try await Self.server()
        let ends = ["\r\n", "Connection: close\r\n\r\n"]
        for (count, end) in [(1, ends[0]), (1, ends[1]), (4, ends[0]), (12, ends[0])] {
            let slow = try server.connect(receiving: 2048)
            let first = String(repeating: "\(Self.card)\r\n", count: count - 1)
            await slow.say(Array("\(first)\(Self.card)\(end)".utf8))
            slow.finish()
            try await Task.sleep(for: .seconds(1))
            try Self.expectWhole(await slow.restOfBytes(), count)
        }
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }

    @Test func `clients that read nothing hold up the end no longer than it may take`() async throws {
        let server = try await Self.server(["KITH_SHUTDOWN_SECONDS": "1"])
        let slow = try (0..<3).map { _ in try server.connect(receiving: 2048) }
        for (connection, end) in zip(slow, ["\r\n", "\r\n", "Connection: close\r\n\r\n"]) {
            await connection.say(Array("\(Self.card)\(end)".utf8))
        }
        for connection in slow.dropFirst() { connection.finish() }
        try await Task.sleep(for: .milliseconds(500))
        let start = ContinuousClock.now
        server.process.terminate()
        #expect(await server.exit().status == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
    }
}
