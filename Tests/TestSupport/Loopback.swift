import Foundation
import Synchronization

/// TCP sockets on this machine.
public enum Loopback {
    #if os(Linux)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    /// A listener.
    /// - Parameter port: 0: one that the system chooses.
    public static func listener(backlog: Int32, port: UInt16 = 0) throws
        -> (descriptor: Int32, port: UInt16)
    {
        let descriptor = socket(AF_INET, stream, 0)
        var address = address(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                [
                    bind(descriptor, address, length), listen(descriptor, backlog),
                    getsockname(descriptor, address, &length),
                ]
            }
        }
        guard outcome == [0, 0, 0] else {
            close(descriptor)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Ports that are free now, for a process that begins soon. Each is given once, and none is of those
    /// that systems choose for connections (from 32,768 on Linux, from 49,152 elsewhere): another test's
    /// connection would take it before the process listens.
    public static func freePorts(_ count: Int) throws -> [UInt16] {
        try (0..<count).map { _ in
            for _ in 0..<given.count {
                guard let listener = try? listener(backlog: 1, port: nextPort()) else { continue }
                close(listener.descriptor)
                return listener.port
            }
            throw POSIXError(.EADDRNOTAVAIL)
        }
    }

    private static let given: Range<UInt16> = 10_000..<32_768
    private static let next = Mutex(UInt16.random(in: given))

    private static func nextPort() -> UInt16 {
        next.withLock { port in
            defer { port = port + 1 == given.upperBound ? given.lowerBound : port + 1 }
            return port
        }
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
