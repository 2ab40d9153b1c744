import NIOCore
import NIOEmbedded
import Testing

@testable import Kith

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
        let connections = OpenConnections(limit: 5) { true }
        let crowd = try (0..<3).map { _ in try busy("203.0.113.1", connections) }
        let others = try ["203.0.113.2", "203.0.113.3"].map { try busy($0, connections) }
        #expect(try connections.take(from: network("203.0.113.1")) == .tooMany)
        #expect(try connections.take(from: network("203.0.113.9")) == .taken)
        for one in crowd + others { one.channel.embeddedEventLoop.run() }
        #expect((crowd.count { !$0.isOpen }, others.count { $0.isOpen }) == (1, 2))
        #expect(connections.sinceStart.slow[.crowd] == 1)
    }

    @Test func `without a crowd a stream makes room`() throws {
        let connections = OpenConnections(limit: 2) { true }
        let held = try ["203.0.113.1", "203.0.113.2"].map { try busy($0, connections) }
        #expect(try connections.take(from: network("203.0.113.1")) == .taken)
        #expect(!held.contains { !$0.isOpen })
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
