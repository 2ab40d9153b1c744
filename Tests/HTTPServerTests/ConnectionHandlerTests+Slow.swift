import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPServer

/// Clients that take their answers slowly, or send their bodies slowly: who is closed, and who is not.
extension ConnectionHandlerTests {
    @Test
    func `a client that takes almost nothing of an answer in 30 seconds is cut off, but a slow one is not`()
        throws
    {
        let (stuck, sipping, slow) = (try Connection(), try Connection(), try Connection())
        for connection in [stuck, sipping, slow] {
            try connection.send(Self.get)
            let parts = [HTTPResponsePart.head(.init(status: .ok)), .body(ByteBuffer(string: "ok"))]
            for part in parts { connection.channel.write(part, promise: nil) }
        }
        for _ in 0..<5 {
            for connection in [stuck, sipping, slow] { connection.pass(10) }
            for (connection, bytes) in [(sipping, 100), (slow, 8192)] where connection.isOpen {
                connection.channel.flush()
                _ = try connection.said()
                let more = ByteBuffer(repeating: 32, count: bytes)
                connection.channel.write(HTTPResponsePart.body(more), promise: nil)
            }
        }
        #expect(!stuck.isOpen && !sipping.isOpen && slow.isOpen)
        for connection in [stuck, sipping] { #expect(connection.connections.sinceStart.slow == [.answer: 1]) }
        #expect(slow.connections.sinceStart.slow.isEmpty)
    }

    @Test func `at the end an answer on its way arrives, and one second later the connection is closed`()
        throws
    {
        let (between, begun, unread) = (try Connection(), try Connection(), try Connection())
        try between.send(Self.get)
        try begun.send(Self.get + "GET /y HT")
        try unread.send(Self.post + "01234")
        for connection in [between, begun, unread] {
            connection.answerSlowly()
            connection.quiesce()
        }
        between.pass(9)
        #expect(try between.isOpen && between.said().isEmpty)
        between.channel.flush()
        #expect(try between.said().hasSuffix("ok"))
        between.pass(3)
        #expect(!between.isOpen)
        for connection in [begun, unread] {
            connection.pass(2)
            #expect(try connection.said().hasSuffix("ok"))
            connection.pass(3)
            #expect(!connection.isOpen)
        }
    }

    @Test func `a connection is idle from when its answer was sent`() throws {
        var limits = ConnectionLimits()
        limits.stall = .seconds(300)
        let connection = try Connection(limits)
        try connection.send(Self.get)
        connection.answerSlowly()
        connection.pass(100)
        #expect(connection.isOpen)
        connection.channel.flush()
        connection.pass(49)
        #expect(connection.isOpen)
        connection.pass(20)
        #expect(!connection.isOpen)
    }

    @Test func `the rest of a body that does not come in time cuts off no answer on its way`() throws {
        var limits = ConnectionLimits()
        limits.stall = .seconds(300)
        let connection = try Connection(limits)
        try connection.send(Self.post + "01234")
        connection.answerSlowly()
        connection.pass(31)
        #expect(try connection.said().hasSuffix("ok"))
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `at the limit a connection whose answer is on its way stays, and the next idle one goes`()
        throws
    {
        let all = OpenConnections(limit: 2)
        let (slow, idle) = (try Connection(of: all), try Connection(of: all))
        let take = { Self.take(all, beside: [slow, idle]) }
        for connection in [slow, idle] {
            _ = take()
            try connection.send(Self.get)
        }
        slow.answerSlowly()
        for connection in [slow, idle] { connection.pass(1) }
        try idle.answer()
        for connection in [slow, idle] { connection.pass(1) }
        #expect(take() == .taken)
        #expect(slow.isOpen && !idle.isOpen)
        all.giveBack()
        #expect(take() == .tooMany)
        slow.channel.flush()
        slow.pass(11)
        #expect(take() == .taken)
        #expect(!slow.isOpen, "its answer was sent")
        #expect(all.sinceStart.slow == [.idle: 2])
    }

    @Test(arguments: [true, false])
    func `a client that ends its side gets the answers on their way, then the connection is closed`(
        isAnswered: Bool
    ) throws {
        let connection = try Connection()
        try connection.send(Self.get)
        if isAnswered { connection.answerSlowly() }
        connection.channel.pipeline.fireChannelReadComplete()
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        if !isAnswered {
            connection.pass(100)
            connection.answerSlowly()
        }
        let said = try connection.said()
        #expect(said.hasSuffix("ok") && said.contains("Connection: close") == !isAnswered)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a client that ends its side after its answer is left at once`() throws {
        let (used, new) = (try Connection(), try Connection())
        try used.send(Self.get)
        try used.answer()
        for connection in [used, new] {
            connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            #expect(!connection.isOpen)
        }
    }

    @Test func `at the limit those go first that are idle, then the one longest silent in its body`() throws {
        let all = OpenConnections(limit: 5)
        let connections = try (0..<5).map { _ in try Connection(of: all) }
        let (silent, longer, sending, begun, idle) = (
            connections[0], connections[1], connections[2], connections[3], connections[4]
        )
        let pass = { (seconds: Int64) in
            for connection in connections { connection.pass(seconds) }
        }
        let take = { Self.take(all, beside: connections) }
        for connection in connections {
            #expect(take() == .taken)
            if connection.channel !== idle.channel { try connection.send(Self.post) }
        }
        try begun.channel.writeOutbound(HTTPResponsePart.head(.init(status: .ok)))
        pass(1)
        for connection in [silent, sending] { try connection.send("0") }
        pass(1)
        try sending.send("1")
        for expected in [idle, longer, silent] {
            #expect(connections.contains { $0.channel === expected.channel && $0.isOpen })
            #expect(take() == .taken)
            #expect(!expected.isOpen)
            all.giveBack()
        }
        #expect(take() == .tooMany)
        #expect(sending.isOpen && begun.isOpen)
        #expect(all.sinceStart.slow == [.idle: 3])
        try sending.send("23456789")
        pass(1)
        #expect(take() == .tooMany, "it is the server's turn")
    }

    @Test func `a client whose body the routes do not take yet is not silent`() throws {
        let all = OpenConnections(limit: 1)
        let connection = try Connection(of: all)
        let take = { Self.take(all, beside: [connection]) }
        _ = take()
        try connection.send(Self.post + "0", asksOn: false)
        connection.pass(1)
        #expect(take() == .tooMany)
        connection.channel.read()
        #expect(take() == .tooMany, "it had no time yet")
        connection.pass(1)
        #expect(take() == .taken)
        #expect(!connection.isOpen)
    }

    @Test func `a pipelined request owes its body once those before it are answered`() throws {
        let all = OpenConnections(limit: 1)
        let connection = try Connection(of: all)
        let take = { Self.take(all, beside: [connection]) }
        _ = take()
        try connection.send(Self.get + Self.post)
        connection.pass(1)
        #expect(take() == .tooMany)
        try connection.answer()
        #expect(take() == .tooMany, "it had no time yet")
        connection.pass(1)
        #expect(take() == .taken)
        #expect(!connection.isOpen)
    }

    /// What a new connection gets, after those that make room for it have left.
    private static func take(_ all: OpenConnections, beside connections: [Connection])
        -> OpenConnections.Place
    {
        let place = all.take(now: connections.last?.channel.embeddedEventLoop.now ?? .now())
        for connection in connections { connection.channel.embeddedEventLoop.run() }
        return place
    }
}
