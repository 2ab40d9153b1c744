import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HTTPServer
@testable import Web

/// Whose connection is closed at the limit while none is idle.
@Suite struct CrowdTests {
    /// One from an address, whose answer is under way.
    private func busy(_ address: String, _ connections: OpenConnections) throws
        -> ConnectionHandlerTests.Connection
    {
        _ = connections.take()
        let connection = try ConnectionHandlerTests.Connection(of: connections, at: address)
        try connection.send(ConnectionHandlerTests.get)
        return connection
    }

    private func network(_ address: String) throws -> ClientAddress? {
        TrustedProxies(ranges: [AddressRange("198.51.100.7")].compactMap(\.self))
            .network(of: try SocketAddress(ipAddress: address, port: 1))
    }

    @Test func `an address with most connections makes room for others, not for itself`() throws {
        // A crowd may not have the streams of others closed for it.
        let connections = OpenConnections(limit: 5) { _ in true }
        let crowd = try (0..<3).map { _ in try busy("203.0.113.1", connections) }
        let others = try ["203.0.113.2", "203.0.113.3"].map { try busy($0, connections) }
        #expect(try connections.take(from: network("203.0.113.1")) == .tooMany)
        #expect(try connections.take(from: network("203.0.113.9")) == .taken)
        for one in crowd + others { one.channel.embeddedEventLoop.run() }
        #expect((crowd.count { !$0.isOpen }, others.count { $0.isOpen }) == (1, 2))
        #expect(connections.sinceStart.slow[.crowd] == 1)
    }

    @Test func `without a crowd a stream makes room`() throws {
        let connections = OpenConnections(limit: 2) { _ in true }
        let held = try ["203.0.113.1", "203.0.113.2"].map { try busy($0, connections) }
        #expect(try connections.take(from: network("203.0.113.1")) == .taken)
        #expect(!held.contains { !$0.isOpen })
    }

    @Test func `a stream makes room only for who has fewer connections than its holder has streams`() throws {
        let asked = Mutex<[Int]>([])
        let all = OpenConnections(limit: 4) { count in
            asked.withLock { $0.append(count) }
            return count < 2
        }
        let (one, two, other) = try (
            #require(ClientAddress("203.0.113.1")), #require(ClientAddress("203.0.113.2")),
            #require(ClientAddress("203.0.113.3"))
        )
        let entries = [one, one, two, two].map { IdleConnections.Entry(of: $0, leave: {}, close: {}) }
        for entry in entries {
            #expect(all.take(from: entry.network) == .taken)
            all.idle.add(entry)
        }
        #expect(all.take(from: one) == .tooMany)
        all.giveBack()
        for network in [other, nil] {
            #expect(all.take(from: network) == .taken)
            all.giveBack()
        }
        for index in [0, 0, 2] { all.idle.remove(entries[index]) }
        #expect(all.take(from: one) == .taken)
        #expect(asked.withLock(\.self) == [2, 0, 0, 1])
    }

    @Test func `a crowd is told from all connections, not from those that stand together`() {
        let all = IdleConnections()
        let closed = Mutex(Set<Int>())
        let address = ClientAddress("203.0.113.1")
        // One network has half of them. Of the others each has 100 that stand together.
        for number in 0..<4000 {
            let network = number / 100 % 2 == 0 ? address : ClientAddress("203.0.113.\(2 + number / 100)")
            all.add(.init(of: network, leave: {}, close: { closed.withLock { _ = $0.insert(number) } }))
        }
        for _ in 0..<200 { _ = all.makeRoomInCrowd(for: ClientAddress("198.51.100.1")) }
        #expect(closed.withLock { !$0.isEmpty && $0.allSatisfy { $0 / 100 % 2 == 0 } })
    }

    @Test func `half of the connections are no crowd, and neither are private addresses`() throws {
        for address in ["203.0.113.1", "10.0.0.1"] {
            let connections = OpenConnections(limit: 4)
            let held = try (0..<2).map { _ in try busy(address, connections) }
            let others = try ["203.0.113.2", address.hasPrefix("10.") ? address : "203.0.113.3"].map {
                try busy($0, connections)
            }
            #expect(try connections.take(from: network("203.0.113.9")) == .tooMany)
            for one in held + others { one.channel.embeddedEventLoop.run() }
            #expect(!(held + others).contains { !$0.isOpen })
        }
    }

    @Test func `a network is an IPv4 address or a /64, and none that many may share`() throws {
        #expect(try network("203.0.113.1") == ClientAddress("203.0.113.1"))
        #expect(try network("2001:db8::1:2:3:4") == ClientAddress("2001:db8::"))
        for address in ["198.51.100.7", "127.0.0.1", "10.1.2.3", "fd00::1"] {
            #expect(try network(address) == nil)
        }
    }
}
