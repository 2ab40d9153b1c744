import Foundation
package import NIOCore

/// An IP address. IPv4 addresses are in their IPv6-mapped form.
package struct ClientAddress: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    private static let mapped: UInt64 = 0xFFFF << 32

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    private init(v4: UInt32) {
        self.init(high: 0, low: Self.mapped | UInt64(v4))
    }

    /// Reads an address in text form, without a port.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45 else { return nil }
        var v4 = in_addr()
        if inet_pton(AF_INET, String(text), &v4) == 1 {
            self.init(v4: UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, String(text), &v6) == 1 else { return nil }
        self.init(v6)
    }

    private init(_ v6: in6_addr) {
        self = withUnsafeBytes(of: v6) { bytes in
            ClientAddress(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// The other end of a connection. Nil if it has no IP address.
    package init?(_ peer: SocketAddress?) {
        switch peer {
        case .v4(let peer): self.init(v4: UInt32(bigEndian: peer.address.sin_addr.s_addr))
        case .v6(let peer): self.init(peer.address.sin6_addr)
        case .unixDomainSocket, nil: return nil
        }
    }

    package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The address itself for IPv4, and its /64 for IPv6, which is the least that one customer has.
    package var network: ClientAddress { isIPv4 ? self : ClientAddress(high: high, low: 0) }

    /// Whether it is loopback, private, a carrier's shared address, or link-local.
    package var isPrivate: Bool { Self.privateRanges.contains { $0.contains(self) } }

    private static let privateRanges = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
        "::1", "fc00::/7", "fe80::/10",
    ].compactMap { AddressRange($0) }
}

/// A CIDR: all addresses with the same prefix.
package struct AddressRange: Hashable, Sendable {
    private let first: ClientAddress
    private let mask: ClientAddress

    /// Nil if the text is not a CIDR, or covers all addresses: with that, every client could choose its
    /// address.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = ClientAddress(parts[0]) else { return nil }
        let isWrittenAsIPv4 = !parts[0].contains(":")
        var bits = 128
        if parts.count == 2 {
            guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
                let length = Int(parts[1]), (1...(isWrittenAsIPv4 ? 32 : 128)).contains(length)
            else { return nil }
            bits = isWrittenAsIPv4 ? 96 + length : length
        }
        mask = ClientAddress(high: Self.leading(bits), low: Self.leading(bits - 64))
        first = ClientAddress(high: address.high & mask.high, low: address.low & mask.low)
    }

    /// Whether the text is the CIDR of all addresses.
    package static func isOfAll(_ text: String) -> Bool {
        text.hasSuffix("/0") && ClientAddress(text.dropLast(2)) != nil
    }

    private static func leading(_ bits: Int) -> UInt64 {
        bits <= 0 ? 0 : ~0 << (64 - min(bits, 64))
    }

    func contains(_ address: ClientAddress) -> Bool {
        address.high & mask.high == first.high && address.low & mask.low == first.low
    }
}

/// `KITH_TRUSTED_PROXIES`: proxies whose `X-Forwarded-For` and `X-Request-Id` are believed.
package struct TrustedProxies: Sendable {
    package var ranges: [AddressRange] = []

    package init(ranges: [AddressRange] = []) {
        self.ranges = ranges
    }

    package func contains(_ address: ClientAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// Returns the client's address: the peer or, if that is a trusted proxy, the right-most entry of
    /// `X-Forwarded-For` that is not one. Anybody may have written the entries to its left.
    /// - Parameter forwarded: the values of the header, in order.
    package func client(peer: ClientAddress, forwarded: [String]) -> ClientAddress {
        var client = peer
        for value in forwarded.reversed() {
            for entry in value.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                guard contains(client), let next = Self.address(entry) else { return client }
                client = next
            }
        }
        return client
    }

    /// Returns the network of a client that connects directly. Nil for a proxy, and for a private address,
    /// which may be one.
    package func network(of peer: SocketAddress?) -> ClientAddress? {
        guard let address = ClientAddress(peer), !address.isPrivate, !contains(address) else { return nil }
        return address.network
    }

    /// Returns the id that the peer gave in its only header `X-Request-Id`, if the peer is a trusted proxy.
    package func requestID(_ given: String?, of peer: ClientAddress?) -> RequestID? {
        guard let given, let peer, contains(peer) else { return nil }
        return RequestID(given: given)
    }

    /// Reads an address as proxies write it: alone, with a port, or in brackets.
    private static func address(_ entry: Substring) -> ClientAddress? {
        let text = entry.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("[") { return ClientAddress(text.dropFirst().prefix { $0 != "]" }) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return ClientAddress(parts.count == 2 ? parts[0] : text[...])
    }
}
