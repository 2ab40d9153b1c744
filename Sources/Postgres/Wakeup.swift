internal import CLibPQ

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A descriptor that one thread polls and any other thread makes readable.
final class Wakeup: Sendable {
    static let readable = Int16(POLLIN)
    static let writable = Int16(POLLOUT)

    let descriptor: Int32
    private let writer: Int32

    /// Nil if the process has no descriptor left.
    init?() {
        #if os(Linux)
            descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
            writer = descriptor
            guard descriptor >= 0 else { return nil }
        #else
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return nil }
            (descriptor, writer) = (ends[0], ends[1])
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
        #endif
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if writer != descriptor { close(writer) }
    }

    func signal() {
        var one: UInt64 = 1
        _ = write(writer, &one, 8)
    }

    /// Waits until `socket` (-1: none) is ready, a signal comes, or `deadline` passes.
    ///
    /// Returns the socket's events, and clears signals.
    func wait(for events: Int16, on socket: Int32, until deadline: Nanoseconds) -> Int16 {
        let milliseconds = Clock.milliseconds(until: deadline)
        var polled = (
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: events, revents: 0)
        )
        let ready = withUnsafeMutableBytes(of: &polled) {
            poll($0.assumingMemoryBound(to: pollfd.self).baseAddress, 2, milliseconds)
        }
        guard ready > 0 else { return 0 }
        if polled.0.revents != 0 { take() }
        return polled.1.revents
    }

    private func take() {
        var buffer = (UInt64(0), UInt64(0))
        _ = read(descriptor, &buffer, 16)
    }
}
