import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import Web

/// The client that fetches keys, against a misbehaving server on this machine.
@Suite(.timeLimit(.minutes(1))) struct HTTPFetchTests {
    private var server: some ApplicationProtocol {
        let router = Router()
        router.get("good") { _, _ in
            Response(
                status: .ok, headers: [.cacheControl: "max-age=7"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "hello")))
        }
        router.get("moved") { _, _ in Response.redirect(to: "/good", type: .normal) }
        router.get("big") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    for _ in 0..<10 { try await writer.write(ByteBuffer(repeating: 32, count: 1 << 20)) }
                    try await writer.finish(nil)
                })
        }
        router.get("silent") { _, _ in
            try await Task.sleep(for: .seconds(30))
            return Response(status: .ok)
        }
        router.get("dripping") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    for _ in 0..<300 {
                        try await writer.write(ByteBuffer(string: " "))
                        try await Task.sleep(for: .milliseconds(100))
                    }
                    try await writer.finish(nil)
                })
        }
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
    }

    private func get(_ path: String, timeout: Duration = .seconds(5)) async throws -> HTTPFetch.Answer {
        try await server.test(.live) { client in
            let port = try #require(client.port)
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/\(path)"))
            return try await HTTPFetch.live(timeout: timeout).get(url)
        }
    }

    @Test(
        arguments: ["000", "001", "050", "099"], ["Content-Length: 0\r\n\r\n", "Content-Length: 2\r\n\r\nok"])
    func `an answer with a status that is none fails, and ends no process`(status: String, rest: String)
        async throws
    {
        let answer = Array("HTTP/1.1 \(status) Z\r\n\(rest)".utf8)
        let (listener, port) = try Loopback.listener(backlog: 8)
        defer { close(listener) }
        let server = Thread {
            for _ in 0..<2 {
                let connection = accept(listener, nil, nil)
                var request = [UInt8](repeating: 0, count: 4_096)
                _ = recv(connection, &request, request.count, 0)
                _ = send(connection, answer, answer.count, 0)
                _ = recv(connection, &request, request.count, 0)
                close(connection)
            }
        }
        server.start()
        let url = "http://127.0.0.1:\(port)/"
        await #expect(throws: HTTPFetch.Failure.cut) {
            try await HTTPFetch.live.get(try #require(URL(string: url)))
        }
        let client = PinnedClient(host: "127.0.0.1", address: "127.0.0.1", connections: 1)
        await #expect(throws: HTTPFetch.Failure.cut) {
            try await client.post(url, [], headers: [], within: .seconds(5))
        }
        await client.close()
    }

    @Test(arguments: [0, 65_536, 99_999])
    func `a number that is no port is refused`(port: Int) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        await #expect(throws: HTTPFetch.Failure.refused) { try await HTTPFetch.live.get(url) }
    }

    @Test func `an answer has a status, Cache-Control and a body`() async throws {
        let answer = try await get("good")
        #expect(answer.status == 200)
        #expect(answer.cacheControl == "max-age=7")
        #expect(String(decoding: answer.body, as: UTF8.self) == "hello")
    }

    @Test func `a redirect is not followed`() async throws {
        #expect(try await get("moved").status == 303)
    }

    @Test func `a body of 10 MiB is not read`() async throws {
        await #expect(throws: HTTPFetch.Failure.tooLarge) { try await get("big") }
    }

    @Test(arguments: ["silent", "dripping"])
    func `an answer that takes too long times out`(_ path: String) async throws {
        await #expect(throws: HTTPFetch.Failure.late(.milliseconds(300))) {
            try await get(path, timeout: .milliseconds(300))
        }
    }

    // Who asks again until the deadline takes ten minutes.
    @Test(.timeLimit(.minutes(5))) func `a server that refuses connections is not asked again and again`()
        async throws
    {
        for address in ["http://127.0.0.1:1/", "http://localhost:1/"] {
            await #expect(throws: HTTPFetch.Failure.refused) {
                try await HTTPFetch.live(timeout: .seconds(600)).get(try #require(URL(string: address)))
            }
        }
    }

    @Test func `a server without TLS is told from one that is slow`() async throws {
        try await server.test(.live) { client in
            let port = try #require(client.port)
            let url = try #require(URL(string: "https://127.0.0.1:\(port)/good"))
            await #expect(throws: HTTPFetch.Failure.noTLS) { try await HTTPFetch.live.get(url) }
        }
        let other = try #require(URL(string: "kith://good"))
        await #expect(throws: HTTPFetch.Failure.notHTTP) { try await HTTPFetch.live.get(other) }
    }
}
