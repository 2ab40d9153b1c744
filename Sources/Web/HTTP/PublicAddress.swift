import Foundation

/// Tells addresses of the Internet from those that lead into a private network, or nowhere.
package enum PublicAddress {
    /// Which hosts an operator lets Kith reach.
    package enum Reach: String, Sendable {
        /// https at port 443, and public addresses only.
        case isPublic = "deny"
        /// `KITH_WEBHOOK_PRIVATE_ADDRESSES=allow`: http, other ports, and addresses of the operator's own
        /// network too.
        case isAll = "allow"
    }

    /// - Parameter text: an address as the system writes it.
    package static func allows(_ text: String, _ reach: Reach) -> Bool {
        guard let address = ClientAddress(text) else { return false }
        if reach == .isAll { return true }
        // A mapped address is written as IPv6, and leads to hosts that a filter for IPv6 does not see.
        if address.isIPv4 { return !text.contains(":") && !notPublic.contains { $0.contains(address) } }
        let ends = [address, carried(by: address)].compactMap(\.self)
        return global.contains { $0.contains(address) }
            && !notPublic.contains { ends.contains(where: $0.contains) }
    }

    /// Returns the IPv4 address at the end of an ISATAP interface id (RFC 5214 §6.1). A router of any network
    /// may lead to it.
    private static func carried(by address: ClientAddress) -> ClientAddress? {
        guard [0x5EFE, 0x0200_5EFE].contains(address.low >> 32) else { return nil }
        return ClientAddress(high: 0, low: 0xFFFF << 32 | address.low & 0xFFFF_FFFF)
    }

    /// The IPv6 addresses that IANA assigns. Loopback, private, link-local and multicast addresses, and
    /// NAT64, are outside.
    private static let global = ["2000::/3"].compactMap { AddressRange($0) }

    /// The ranges of https://www.iana.org/assignments/iana-ipv4-special-registry and
    /// …/iana-ipv6-special-registry, and 168.63.129.16, which is Azure's own.
    private static let notPublic = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        // These are: Teredo and others of the IETF, documentation, 6to4, documentation.
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap { AddressRange($0) }
}
