import Foundation
import NIOPosix

/// Asks the system for the addresses of a name.
package struct HostLookup: Sendable {
    /// Returns all addresses as numbers, as in `192.0.2.1` and `2001:db8::1`. Empty if the name is unknown.
    package var addresses: @Sendable (_ host: String) async throws -> [String]

    package static let live = HostLookup { host in
        // The system's call blocks, so it gets a thread that may wait.
        try await threads.runIfActive { ask(host) }
    }

    /// Threads for the blocking calls. There are more than endpoints, so that a slow look-up of one name
    /// delays no other, and nothing else that waits.
    private static let threads = {
        let threads = NIOThreadPool(numberOfThreads: 32)
        threads.start()
        return threads
    }()

    private static func ask(_ host: String) -> [String] {
        var hints = addrinfo()
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let entry = entry?.pointee else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                    == 0
            else { return nil }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
