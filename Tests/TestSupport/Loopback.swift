import Foundation

/// TCP sockets on this machine.
public enum Loopback {
    #if os(Linux)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    /// A listener on a free port.
    public static func listener(backlog: Int32) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, stream, 0)
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                [
                    bind(descriptor, address, length), listen(descriptor, backlog),
                    getsockname(descriptor, address, &length),
                ]
            }
        }
        guard outcome == [0, 0, 0] else { throw POSIXError(.EADDRNOTAVAIL) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Ports that are free now.
    public static func freePorts(_ count: Int) throws -> [UInt16] {
        let listeners = try (0..<count).map { _ in try listener(backlog: 1) }
        for listener in listeners { close(listener.descriptor) }
        return listeners.map(\.port)
    }

    /// - Parameters:
    ///   - waits: whether to wait until it is connected.
    ///   - receiving: how many bytes the system keeps until they are read; nil: as many as it likes.
    public static func connection(
        to port: UInt16, waits: Bool = true, receiving: Int32? = nil
    ) throws -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        if var receiving {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiving, socklen_t(MemoryLayout<Int32>.size))
        }
        if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        var address = address(port: port)
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard outcome == 0 || !waits else { throw POSIXError(.ECONNREFUSED) }
        return descriptor
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
