import Foundation
import TestSupport

/// A TCP connection to a server on this machine, for raw bytes. Reads and writes time out after 20 seconds.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter receiving: how many bytes the system keeps until they are read; nil: as many as it likes.
    init(to port: UInt16, receiving: Int32? = nil) throws {
        descriptor = try Loopback.connection(to: port, receiving: receiving)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(descriptor) }

    /// Sends all of them, unless the other side has closed.
    func say(_ bytes: [UInt8]) async {
        await onThread {
            #if os(Linux)
                _ = send(self.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            #else
                _ = send(self.descriptor, bytes, bytes.count, 0)
            #endif
        }
    }

    /// Closes the sending half.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything received until the other side closes.
    func rest() async -> String {
        await receive { _ in false }
    }

    /// The same, of any bytes.
    func restOfBytes() async -> [UInt8] {
        await receiveBytes { _ in false }
    }

    /// One response, or its beginning if the other side closes.
    func ask(_ path: String) async -> String {
        await say(Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        return await answer()
    }

    /// Everything received until it contains `end`.
    func hear(_ end: String) async -> String {
        await receive { $0.contains(end) }
    }

    /// Receives so many bytes; less if the other side closes.
    func hear(bytes count: Int) async -> Int {
        await receiveBytes { $0.count >= count }.count
    }

    func answer() async -> String {
        await receive { text in
            guard let head = text.firstRange(of: "\r\n\r\n"),
                let length = text.firstMatch(of: /Content-Length: (\d+)/.ignoresCase())
            else { return false }
            return text[head.upperBound...].utf8.count >= Int(length.1) ?? 0
        }
    }

    private func receive(until isWhole: @escaping @Sendable (String) -> Bool) async -> String {
        String(
            decoding: await receiveBytes { isWhole(String(decoding: $0, as: UTF8.self)) }, as: UTF8.self)
    }

    private func receiveBytes(until isWhole: @escaping @Sendable ([UInt8]) -> Bool) async -> [UInt8] {
        await onThread {
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = recv(self.descriptor, &buffer, buffer.count, 0), count > 0 {
                received += buffer[..<count]
                if isWhole(received) { break }
            }
            return received
        }
    }

    /// Blocking calls must not block the few threads that run tasks.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
