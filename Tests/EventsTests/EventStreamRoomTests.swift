import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Web

/// How many streams there are, and whose make room.
@Suite(.inTurns) struct EventStreamRoomTests {
    private static func user(_ number: Int) -> User.ID { User.ID(of: User.UID(stored: "u-\(number)")) }

    private static func address(_ number: Int) -> ClientAddress? { ClientAddress("203.0.113.\(number)") }

    @Test func `an address has half of the streams at most, and those without one are counted by user`()
        throws
    {
        let feed = EventFeed()
        feed.allow(connections: 16)
        let held = try (0..<4).map { try feed.follow(Self.user($0), at: Self.address(1)) }
        #expect(throws: StreamError.tooManyOfAddress) { try feed.follow(Self.user(9), at: Self.address(1)) }
        let others = try (0..<4).map { try feed.follow(Self.user($0)) }
        #expect(feed.followerCount == 8 && feed.sinceStart.address == 1)
        _ = (held, others)
        let error = StreamError.tooManyOfAddress.problem
        #expect((error.statusCode, error.code, error.retryAfter) == (429, "too_many_streams", 60))
    }

    @Test func `who has none takes the place of the oldest of whoever has most, who has as many is refused`()
        async throws
    {
        let feed = EventFeed()
        feed.allow(connections: 12)
        let first = try (0..<3).map { try feed.follow(Self.user($0), at: Self.address(1)) }
        let second = try (3..<6).map { try feed.follow(Self.user($0), at: Self.address(2)) }
        let third = try (6..<8).map { try feed.follow(Self.user($0), at: Self.address(3)) }
        #expect(throws: StreamError.tooManyOfServer) { try feed.follow(Self.user(8), at: Self.address(3)) }
        #expect(feed.followerCount == 6)
        let ended = await [first[0], second[0]].asyncMap { await $0.follower.next() }
        #expect(ended == [.end, .end])
        for one in [first[1], first[2], second[1], second[2]] + third {
            #expect(await one.follower.next() == .news)
        }
        #expect(feed.sinceStart.room == 2 && feed.sinceStart.server == 1)
    }

    @Test func `a follower who leaves twice is counted once`() throws {
        let feed = EventFeed()
        let one = try feed.follow(Self.user(1), at: Self.address(1))
        let other = try feed.follow(Self.user(1), at: Self.address(2))
        for _ in 0..<2 { feed.leave(one.follower) }
        #expect(feed.followerCount == 1)
        feed.leave(other.follower)
        #expect(feed.followerCount == 0 && !feed.makeRoom(over: 0))
    }

    private static let cap = 12

    private func withServer(_ body: (KithServer) async throws -> Void) async throws {
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": TestPostgres.shared.migratedDatabase(),
            "KITH_MAX_CONNECTIONS": "\(Self.cap)", "KITH_TRUSTED_PROXIES": "127.0.0.1/32",
        ])
        for number in 0..<Self.cap {
            let name = "user\(number)"
            let answer = try await server.call(
                "POST", "/v1/signup", as: "u-\(name)", body: ["username": name])
            #expect(answer.status == 201, "\(answer.text)")
        }
        try await body(server)
        server.process.terminate()
        #expect(await server.exit().status == 0)
    }

    /// Asks for a stream, through a proxy.
    private func open(_ server: KithServer, _ user: Int, at address: Int) async throws -> (
        RawConnection, String
    ) {
        let connection = try server.connect()
        let token = try await server.token(for: "u-user\(user)")
        await connection.say(
            Array(
                """
                GET /v1/me/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\
                X-Forwarded-For: 203.0.113.\(address)\r\n\r\n
                """.utf8))
        return (connection, await connection.hear("\r\n\r\n"))
    }

    @Test func `streams take half of the connections, so that others are answered`() async throws {
        try await withServer { server in
            var streams: [RawConnection] = []
            for user in 0..<Self.cap / 2 {
                let (stream, said) = try await open(server, user, at: user)
                #expect(said.hasPrefix("HTTP/1.1 200 "), "\(said)")
                streams.append(stream)
            }
            let (refused, said) = try await open(server, 11, at: 11)
            #expect(said.hasPrefix("HTTP/1.1 503 ") && said.contains("Retry-After: 60\r\n"), "\(said)")
            #expect(try await server.call("GET", "/users/user1?invitedBy=u-user1").status == 200)
            #expect(try await server.metric("kith_event_streams") == Self.cap / 2)
            #expect(try await server.metric(#"kith_event_streams_cut_total{reason="server"}"#) == 1)
            _ = (streams, refused)
        }
    }

    @Test func `at the limit of connections a stream makes room, one of the address that has most`()
        async throws
    {
        try await withServer { server in
            var streams: [RawConnection] = []
            for (user, address) in [(0, 1), (1, 2), (2, 2), (3, 2)] {
                let (stream, said) = try await open(server, user, at: address)
                #expect(said.hasPrefix("HTTP/1.1 200 "), "\(said)")
                streams.append(stream)
            }
            // These read nothing, so that their answers are on their way.
            let requests = String(repeating: "GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n", count: 300)
            var busy: [RawConnection] = []
            try await waitUntil("a stream was closed") {
                let connection = try server.connect(receiving: 2048)
                let said = await connection.ask("/robots.txt")
                #expect(said.hasPrefix("HTTP/1.1 200 "), "\(said)")
                await connection.say(Array(requests.utf8))
                busy.append(connection)
                return try await server.metric(#"kith_event_streams_cut_total{reason="room"}"#) > 0
            }
            #expect(
                await !streams[1].rest().contains("HTTP/1.1 5"), "the oldest of the second address is closed")
            #expect(try await server.metric("kith_event_streams") == 3)
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ change: (Element) async -> T) async -> [T] {
        var all: [T] = []
        for one in self { all.append(await change(one)) }
        return all
    }
}
