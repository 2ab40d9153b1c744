import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import AppTesting
@testable import HTTPServer
@testable import Links
@testable import Web

/// The ends of requests: pipelined requests, half-closed connections, upgrades.
extension ConnectionHandlerTests {
    private static let upgrade =
        "GET /x HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"

    @Test(arguments: [upgrade, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"], [true, false])
    func `data after an upgrade or CONNECT is dropped, and soon the connection is closed`(
        request: String, isAnswered: Bool
    ) throws {
        let connection = try Connection()
        if !isAnswered { try connection.send(Self.get) }
        try connection.send(request)
        var sent = 0
        while connection.isOpen, sent < 10_000_000 {
            try connection.send(String(repeating: "a", count: 10_000))
            sent += 10_000
        }
        #expect(sent < 300_000)
    }

    @Test func `a head that begins in the same read as the end of the previous request has 10 seconds`()
        throws
    {
        let (begun, idle) = (try Connection(), try Connection())
        try begun.send(Self.get + "GET /y HTTP/1.1\r\n")
        try idle.send(Self.post + "0123456789")
        for connection in [begun, idle] {
            try connection.answer()
            connection.pass(11)
        }
        #expect(try begun.said().contains("HTTP/1.1 408 "))
        #expect(idle.isOpen)
        #expect(try !idle.said().contains(" 408 "))
    }

    @Test(arguments: ["Accept-Language", "Transfer-Encoding", "X-Unknown", "Cookie"])
    func `accents without end in any header are refused before anything compares them`(name: String) throws {
        let accents = "e" + String(repeating: "\u{344}\u{316}", count: 15)
        for (text, isRefused) in [(accents + "\u{316}", true), (accents, false), ("花 \u{1F600}", false)] {
            let connection = try Connection()
            try connection.send("GET /x HTTP/1.1\r\nHost: x\r\n\(name): \(text)\r\n\r\n")
            if isRefused {
                #expect(try connection.heard() == [])
                let said = try connection.said()
                #expect(said.hasPrefix("HTTP/1.1 400 ") && said.contains("30 accents"), "\(said)")
            } else if name != "Transfer-Encoding" {
                #expect(try connection.heard().first == "GET /x")
            }
        }
    }

    @Test func `HTTP/1.0 gets no chunks: the end of the connection ends the answer`() throws {
        let connection = try Connection()
        try connection.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        try connection.channel.writeOutbound(HTTPResponsePart.head(.init(status: .ok)))
        try connection.channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "ok")))
        try connection.channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(try connection.said() == "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nok")
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a refusal of the connection after a HEAD has a body`() throws {
        let connection = try Connection()
        try connection.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n")
        try connection.answer()
        try connection.send("GET bad\r\n\r\n")
        #expect(try connection.said().hasSuffix("}"))
    }

    @Test func `a pipelined request that waits for 100 Continue gets it when it is its turn`() throws {
        let connection = try Connection()
        let post = "POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        try connection.send(Self.get + post)
        #expect(try connection.said().isEmpty)
        try connection.answer()
        #expect(try statuses(connection) == ["200", "100"])
        try connection.send("{}")
        #expect(try connection.heard() == ["GET /x", "end", "POST /x", "{}", "end"])
        try connection.answer()
        #expect(try statuses(connection) == ["200"])
        try connection.send(post)
        #expect(try statuses(connection) == ["100"])
    }

    @Test func `with large pipelined heads, the next is parsed once all before it are answered`() throws {
        let connection = try Connection()
        let request = "GET /x HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 3000))\r\n\r\n"
        try connection.send(String(repeating: request, count: 6))
        for _ in 0..<3 {
            #expect(try connection.heard() == ["GET /x", "end", "GET /x", "end"])
            try connection.answer()
            #expect(try connection.heard() == [])
            try connection.answer()
        }
        #expect(try connection.heard() == [])
    }

    @Test(arguments: [10, 3000, 4096, 12_000])
    func `behind a head of any size the body is read, in time, also after another request`(size: Int) throws {
        let padding = String(repeating: "x", count: size)
        let post = "POST /x HTTP/1.1\r\nHost: x\r\nX: \(padding)\r\nContent-Length: 2\r\n\r\n"
        for before in ["", Self.get] {
            let connection = try Connection()
            try connection.send(before + post)
            try connection.send("{}")
            #expect(try connection.heard().suffix(3) == ["POST /x", "{}", "end"])
        }
        let late = try Connection()
        try late.send(post)
        late.pass(31)
        #expect(throws: Problem.self) { try late.channel.throwIfErrorCaught() }
    }

    @Test func `every header that openapi.yaml names reaches the routes`() throws {
        let names = try RepositoryFile.read("openapi.yaml").matches(of: /name: (\S+)\n +in: header/).map {
            String($0.1)
        }
        #expect(names.contains("Kith-Read-After"))
        for name in names {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/x", headers: ["Host": "x", name: "value"])
            let fields = try RequestHead(head).request.headerFields
            #expect(fields.contains { $0.name.rawName == name && $0.value == "value" }, "\(name)")
        }
    }

    @Test func `every header that the sources look at reaches them`() throws {
        let folder = RepositoryFile.root.appending(path: "Sources")
        let kept = try RepositoryFile.read("Sources/HTTPServer/RequestHead.swift")
        var names: Set<String> = []
        for case let path as String in try #require(FileManager.default.enumerator(atPath: folder.path))
        where path.hasSuffix(".swift") {
            let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let reads = source.matches(of: /(\w+\.)?headers\[\.(\w+)\](?! [+]?= )/)
            names.formUnion(reads.filter { ["request.", nil].contains($0.1) }.map { String($0.2) })
        }
        #expect(names.contains("userAgent") && names.count > 4)
        for name in names { #expect(kept.contains(".\(name),"), "\(name)") }
    }

    @Test(arguments: (HTTPField.Name.countries + HTTPField.Name.ahead).map { $0.rawName })
    func `headers that are known by their names alone reach the sources, too`(name: String) throws {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/x", headers: ["Host": "x", name: "prefetch"])
        let request = Request(head: try RequestHead(head).request, body: .init(buffer: .init()))
        #expect(request.headers.first?.value == "prefetch")
        #expect(request.isUnopened == HTTPField.Name.ahead.map { $0.rawName }.contains(name))
    }

    /// The parser refuses them, too: this is for the day when it does not.
    @Test(arguments: [
        [("Content-Length", "3"), ("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "chunked"), ("Content-Length", "0")],
        [("Content-Length", "3"), ("Content-Length", "3")], [("Transfer-Encoding", "chunked, gzip")],
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
    ])
    func `whatever the parser lets through, Kith reads no request whose end two programs may see elsewhere`(
        headers: [(String, String)]
    ) throws {
        let head = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: "/", headers: HTTPHeaders([("Host", "x")] + headers))
        #expect(throws: Problem.self) { try RequestHead(head) }
    }

    @Test func `only headers that Kith reads are kept, repeated ones twice or joined`() throws {
        var headers: HTTPHeaders = ["Host": "x", "accept": "text/html", "X-Forwarded-For": "203.0.113.1"]
        for number in 0..<50 {
            headers.add(name: "X-\(number)", value: "x")
            headers.add(name: "Authorization", value: "Bearer \(number)")
            headers.add(name: "x-forwarded-for", value: "10.0.0.\(number)")
        }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/x", headers: headers)
        let fields = try RequestHead(head).request.headerFields
        #expect(
            fields.map(\.name.canonicalName).sorted() == [
                "accept", "authorization", "authorization", "x-forwarded-for",
            ])
        #expect(fields[.xForwardedFor]?.hasPrefix("203.0.113.1,10.0.0.0,10.0.0.1,") == true)
    }

    private func statuses(_ connection: Connection) throws -> [String] {
        try connection.said().matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
    }

    @Test func `at the limit the connection idle longest makes room, but a busy one does not`() throws {
        let all = OpenConnections(limit: 3)
        let (oldest, idle, busy) = (try Connection(of: all), try Connection(of: all), try Connection(of: all))
        let now = { oldest.channel.embeddedEventLoop.now }
        for connection in [oldest, idle, busy] {
            #expect(all.take(now: now()) == .taken)
            connection.pass(5)
        }
        for connection in [idle, busy] { try connection.send(Self.get) }
        try idle.answer()
        for connection in [oldest, idle, busy] { connection.pass(2) }
        for made in [oldest, idle] {
            #expect(all.take(now: now()) == .taken)
            for connection in [oldest, idle, busy] { connection.channel.embeddedEventLoop.run() }
            #expect(!made.isOpen && busy.isOpen)
            #expect(idle.isOpen == (made.channel === oldest.channel))
            all.giveBack()
        }
        #expect(all.take(now: now()) == .tooMany)
        #expect(all.sinceStart.slow == [.idle: 2])
        try busy.answer()
        #expect(all.take(now: now()) == .tooMany, "it was busy until now")
        #expect(busy.isOpen)
    }

    @Test(arguments: ["", "GET /x HTTP/1.1\r\n", get + "GET", post + "01"])
    func `at the limit a connection with half a request makes room like an idle one`(request: String) throws {
        let all = OpenConnections(limit: 1)
        let connection = try Connection(of: all)
        _ = all.take(now: connection.channel.embeddedEventLoop.now)
        try connection.send(request)
        if try !connection.heard().isEmpty { try connection.answer(.unauthorized) }
        connection.pass(2)
        #expect(all.take(now: connection.channel.embeddedEventLoop.now) == .taken)
        connection.channel.embeddedEventLoop.run()
        #expect(!connection.isOpen)
    }
}
