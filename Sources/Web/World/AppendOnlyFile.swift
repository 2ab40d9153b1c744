import Foundation

/// A file of lines that is only ever added to. It is opened for each addition, so an operator who rotates it
/// may rename it at any time.
package struct AppendOnlyFile: Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Adds the lines and returns once they are on the disk. If the file ends with a partial line, as after a
    /// crash, they begin on a new one.
    package func append(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Trouble() }
        defer { close(file) }
        var bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        if let last = try Self.end(of: file, 1).last, last != UInt8(ascii: "\n") {
            bytes.insert(UInt8(ascii: "\n"), at: 0)
        }
        // An incomplete write leaves such a partial line.
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else { throw Trouble() }
    }

    /// Returns the lines at the end of the file, without a partial one. Empty if there is no file.
    package func lastLines(bytes: Int = 1 << 20) throws -> [Substring] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return [] }
            throw Trouble()
        }
        defer { close(file) }
        let text = String(decoding: try Self.end(of: file, bytes), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().filter { !$0.isEmpty }
    }

    private static func end(of file: Int32, _ most: Int) throws -> [UInt8] {
        let size = lseek(file, 0, SEEK_END)
        guard size >= 0 else { throw Trouble() }
        var bytes = [UInt8](repeating: 0, count: min(most, Int(size)))
        let count = pread(file, &bytes, bytes.count, size - off_t(bytes.count))
        guard count >= 0 else { throw Trouble() }
        return Array(bytes.prefix(count))
    }

    /// The system's refusal.
    struct Trouble: Error, CustomStringConvertible {
        let description = String(cString: strerror(errno))
    }
}
