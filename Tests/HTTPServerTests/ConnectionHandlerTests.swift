import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import HTTPServer
@testable import Web

/// The timeouts of a connection; the test moves the clock.
@Suite struct ConnectionHandlerTests {
    /// One connection, and the parts of requests that reach the routes.
    struct Connection {
        let channel = EmbeddedChannel()
        let connections: OpenConnections

        init(
            of connections: OpenConnections = OpenConnections(limit: 1), refusal: Problem? = nil,
            at address: String = "127.0.0.1", _ limits: ConnectionLimits = ConnectionLimits()
        ) throws {
            self.connections = connections
            let (pipeline, intake) = (channel.pipeline.syncOperations, RequestIntake())
            try pipeline.addHandlers([
                intake, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()),
            ])
            try pipeline.addHandler(
                ConnectionHandler(limits, of: connections, intake: intake, refusal: refusal))
            let peer = try SocketAddress(ipAddress: address, port: 1)
            channel.remoteAddress = peer
            try channel.connect(to: peer).wait()
        }

        /// - Parameter asksOn: whether the routes take more than this.
        func send(_ text: String, asksOn: Bool = true) throws {
            try channel.writeInbound(ByteBuffer(string: text))
            if asksOn { channel.read() }
        }

        /// The parts of requests that reached the routes.
        func heard() throws -> [String] {
            var parts: [String] = []
            while let part = try channel.readInbound(as: HTTPRequestPart.self) {
                switch part {
                case .head(let head): parts.append("\(head.method) \(head.path ?? "")")
                case .body(let bytes): parts.append(String(buffer: bytes))
                case .end: parts.append("end")
                }
            }
            return parts
        }

        func answer(_ status: HTTPResponse.Status = .ok) throws {
            for part in Self.answer(status) { try channel.writeOutbound(part) }
        }

        /// Answers a client that does not take anything until the channel is flushed.
        func answerSlowly() {
            for part in Self.answer(.ok) { channel.write(part, promise: nil) }
        }

        private static func answer(_ status: HTTPResponse.Status) -> [HTTPResponsePart] {
            [
                .head(.init(status: status, headerFields: [.contentLength: "2"])),
                .body(ByteBuffer(string: "ok")), .end(nil),
            ]
        }

        func said() throws -> String {
            var text = ""
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }

        func quiesce() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

        func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }
        var isOpen: Bool { channel.isActive }
    }

    static let get = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
    static let post = "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"

    @Test func `a head that takes longer than 10 seconds is a 408, however it trickles`() throws {
        let connection = try Connection()
        for byte in "GET / HTT" {
            try connection.send(String(byte))
            connection.pass(1)
        }
        #expect(try connection.said().isEmpty)
        connection.pass(2)
        let said = try connection.said()
        #expect(said.hasPrefix("HTTP/1.1 408 ") && said.contains("request_timeout"))
        #expect(said.contains("Connection: close"))
        connection.pass(3)
        #expect(!connection.isOpen)
        #expect(connection.connections.sinceStart.slow == [.head: 1])
    }

    @Test func `a body that takes longer than 30 seconds is a 408 if its handler waits for it`() throws {
        let connection = try Connection()
        try connection.send(Self.post)
        for _ in 0..<9 {
            connection.pass(3)
            try connection.send("a")
        }
        #expect(throws: Never.self) { try connection.channel.throwIfErrorCaught() }
        connection.pass(4)
        let problem = #expect(throws: Problem.self) { try connection.channel.throwIfErrorCaught() }
        #expect(problem?.code == "request_timeout")
        try connection.answer(.requestTimeout)
        #expect(try connection.said().contains("Connection: close"))
        connection.pass(3)
        #expect(!connection.isOpen)
        #expect(connection.connections.sinceStart.slow == [.body: 1])
    }

    @Test func `a connection between two requests may be idle for 60 seconds`() throws {
        let connection = try Connection()
        connection.pass(59)
        try connection.send(Self.get)
        #expect(try connection.heard() == ["GET /x", "end"])
        connection.pass(200)
        #expect(connection.isOpen, "an answer may take its time")
        try connection.answer()
        connection.pass(59)
        #expect(connection.isOpen)
        connection.pass(2)
        #expect(!connection.isOpen)
        #expect(connection.connections.sinceStart.slow.isEmpty, "it was idle, not slow")
    }

    @Test(arguments: [
        ("Content-Length: 100000", false), ("Content-Length: 65536", true),
        ("Transfer-Encoding: chunked", false),
    ])
    func `a request answered with much of its body unread is the last`(length: String, isKept: Bool) throws {
        let connection = try Connection()
        try connection.send("POST /x HTTP/1.1\r\nHost: x\r\n\(length)\r\n\r\n")
        try connection.answer(.unauthorized)
        #expect(try connection.said().contains("Connection: close") == !isKept)
        connection.pass(3)
        #expect(connection.isOpen == isKept)
        connection.pass(30)
        #expect(!connection.isOpen, "the rest did not come in time")
    }

    @Test func `after the last answer incoming data is dropped, and soon the connection is closed`() throws {
        let connection = try Connection()
        try connection.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
        try connection.answer(.unauthorized)
        _ = try connection.heard()
        var sent = 0
        while connection.isOpen, sent < 10_000_000 {
            try connection.send(String(repeating: "a", count: 10_000))
            sent += 10_000
        }
        #expect(try connection.heard().isEmpty)
        #expect(sent < 300_000)
    }

    @Test(arguments: [
        ("Content-Length: 10", true), ("Transfer-Encoding: chunked", true), ("Content-Length: 0", false),
        ("X: y", false), ("Content-Length: 100000000", false),
    ])
    func `a client that expects 100 Continue gets it if its body is welcome`(
        length: String, isTold: Bool
    )
        throws
    {
        let connection = try Connection()
        try connection.send("POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\(length)\r\n\r\n")
        #expect(try connection.said().hasPrefix("HTTP/1.1 100 ") == isTold)
    }

    @Test func `a refusal waits for the answers before it`() throws {
        let connection = try Connection()
        try connection.send(Self.get + "GET / HTTP/1.1\r\n\r\n")
        #expect(try connection.heard() == ["GET /x", "end"])
        #expect(try connection.said().isEmpty)
        try connection.answer()
        #expect(try connection.said().matches(of: /HTTP\/1\.1 (200|400)/).map(\.1) == ["200", "400"])
    }

    @Test func `only a few pipelined requests are parsed before the first is answered, and none is lost`()
        throws
    {
        let connection = try Connection()
        let post = "POST /1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\n\n\r\n0\r\n\r\n"
        let requests = (0..<500).map { $0 % 5 == 0 ? post : "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }
        try connection.send(requests[..<250].joined())
        try connection.send(requests[250...].joined())
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        var heard = try connection.heard()
        var answers = 0
        let isHead = { (part: String) in part.hasPrefix("GET") || part.hasPrefix("POST") }
        #expect((8..<20).contains(heard.count(where: isHead)))
        connection.pass(100)
        while answers < heard.count(where: isHead) {
            try connection.answer()
            answers += 1
            heard += try connection.heard()
            #expect(heard.count(where: isHead) - answers < 20)
        }
        #expect(answers == 500)
        let paths = (0..<500).map { $0 % 5 == 0 ? "POST /1" : "GET /\($0)" }
        #expect(heard.filter(isHead) == paths)
        #expect(try connection.said().matches(of: /HTTP\/1\.1 200/).count == 500)
    }

    @Test func `a client that ends its side with too much data pipelined is cut off`() throws {
        let connection = try Connection()
        for _ in 0..<20 where connection.isOpen {
            try connection.send(String(repeating: Self.get, count: 1000))
        }
        #expect(!connection.isOpen)
    }

    @Test func `a connection above the limit is refused before its request`() throws {
        let connection = try Connection(refusal: .tooManyConnections)
        let said = try connection.said()
        #expect(said.hasPrefix("HTTP/1.1 503 ") && said.contains("Retry-After: 1"))
        try connection.send(Self.get)
        #expect(try connection.heard().isEmpty)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a client that asks to close gets its answer, and then the connection closes`() throws {
        let connection = try Connection()
        try connection.send("GET /x HTTP/1.1\r\nHost: x\r\nConnection: CLOSE\r\n\r\n\(Self.get)")
        #expect(try connection.heard() == ["GET /x", "end"], "what follows is not read")
        try connection.answer()
        #expect(try connection.said().contains("Connection: close"))
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `at the end an answer is the last of its connection`() throws {
        let busy = try Connection()
        try busy.send(Self.get)
        busy.quiesce()
        try busy.answer()
        #expect(try busy.said().contains("Connection: close"))
        busy.pass(3)
        #expect(!busy.isOpen)
    }

    @Test func `at the end an idle connection gets one more second, for a request that is on its way`() throws
    {
        let (idle, late, slow) = (try Connection(), try Connection(), try Connection())
        for connection in [idle, late, slow] {
            connection.pass(30)
            connection.quiesce()
            #expect(connection.isOpen)
        }
        try late.send(Self.get)
        try slow.send("GET /x HT")
        for connection in [idle, late, slow] { connection.pass(1) }
        #expect(!idle.isOpen && late.isOpen && !slow.isOpen)
        late.pass(20)
        try late.answer()
        #expect(try late.said().contains("Connection: close"))
        late.pass(3)
        #expect(!late.isOpen)
    }

    @Test func `a connection far above the limit is closed at once, so that its descriptor is freed`() {
        let open = OpenConnections(limit: 0)
        for _ in 0..<OpenConnections.refusalMargin(0) { _ = open.take() }
        let setup = ConnectionChannel(
            responder: { _, _, _ in }, limits: ConnectionLimits(), connections: open)
        let channel = EmbeddedChannel()
        _ = setup.setup(channel: channel, logger: Logger(label: "test"))
        channel.embeddedEventLoop.run()
        #expect(open.count == OpenConnections.refusalMargin(0), "it was given back")
    }

    @Test func `connections up to the limit are served, and a number above it get an answer`() {
        let open = OpenConnections(limit: 100)
        let places = (0..<120).map { _ in open.take() }
        #expect(places.count { $0 == .taken } == 100)
        #expect(places.count { $0 == .tooMany } == 6)
        #expect(open.sinceStart.refused == 20)
        for _ in 0..<120 { open.giveBack() }
        #expect(open.count == 0)
        #expect(open.take() == .taken)
        #expect(open.goneSinceMost() == 119)
        #expect(open.goneSinceMost() == 0)
    }
}
