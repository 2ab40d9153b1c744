import Dispatch
import Foundation
import Synchronization

/// Writes log lines to a descriptor that may be full, closed, or read by nobody. Only its own thread waits
/// for the descriptor, never a caller. Lines that find no room, or cannot be written, are dropped and
/// counted, and a line says how many.
package final class LogOutput: Sendable {
    package static let standardError = LogOutput(STDERR_FILENO)

    /// The line that says how many were dropped.
    typealias Notice = @Sendable (_ dropped: Int) -> String

    private struct State {
        var waiting: [String] = []
        var bytes = 0
        var isWriting = false
        /// How many lines were dropped since the start, and since the last line that said so.
        var (dropped, untold) = (0, 0)
        var notice: Notice?

        mutating func drop() {
            dropped += 1
            untold += 1
        }
    }

    private let descriptor: Int32
    private let mostBytes: Int
    private let state = Mutex(State())
    private let writer = DispatchQueue(label: "kith.log")

    init(_ descriptor: Int32, mostBytes: Int = 1 << 20) {
        self.descriptor = descriptor
        self.mostBytes = mostBytes
    }

    /// How many lines were dropped since the start.
    var dropped: Int { state.withLock { $0.dropped } }

    /// - Parameter text: a line with its line break, or control codes for a terminal.
    package func write(_ text: String) { write(text, notice: nil) }

    func write(_ text: String, notice: Notice?) {
        let isFirst = state.withLock { state in
            if let notice { state.notice = notice }
            guard state.bytes + text.utf8.count <= mostBytes else {
                state.drop()
                return false
            }
            state.waiting.append(text)
            state.bytes += text.utf8.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { writer.async { self.writeAll() } }
    }

    /// Waits until everything is written, up to `seconds`. It is for the end of the process.
    package func flush(seconds: Int = 1) {
        let isWritten = DispatchSemaphore(value: 0)
        writer.async { isWritten.signal() }
        _ = isWritten.wait(timeout: .now() + .seconds(seconds))
    }

    private func writeAll() {
        while let lines = takeWaiting() {
            var isTaking = false
            for line in lines {
                isTaking = put(line)
                if !isTaking { state.withLock { $0.drop() } }
            }
            if isTaking { tellDropped() }
        }
    }

    private func takeWaiting() -> [String]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { (state.waiting, state.bytes) = ([], 0) }
            return state.waiting
        }
    }

    private func tellDropped() {
        let (notice, count) = state.withLock { ($0.notice, $0.untold) }
        guard let notice, count > 0, put(notice(count)) else { return }
        state.withLock { $0.untold -= count }
    }

    /// Writes a line. False if the descriptor does not take it, in which case `FileHandle` would end the
    /// process.
    private func put(_ line: String) -> Bool {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
