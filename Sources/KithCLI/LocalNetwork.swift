import Foundation

/// The address at which other devices reach this machine.
enum LocalNetwork {
    /// The IPv4 address with which this machine reaches others. Nil without a network. Nothing is sent:
    /// connecting a datagram socket only asks the system for its route.
    static var address: String? {
        #if canImport(Glibc) || canImport(Musl)
            let kind = Int32(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // This is an address for documents (RFC 5737), at the port that discards.
        var other = sockaddr_in()
        other.sin_family = sa_family_t(AF_INET)
        other.sin_port = UInt16(9).bigEndian
        other.sin_addr.s_addr = inet_addr("192.0.2.1")
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafePointer(to: &other) { other in
            other.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
        }
        guard isKnown else { return nil }
        let isRead = withUnsafeMutablePointer(to: &own) { own in
            own.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isRead, let text = inet_ntoa(own.sin_addr).map({ String(cString: $0) }), !text.hasPrefix("127.")
        else { return nil }
        return text
    }
}
