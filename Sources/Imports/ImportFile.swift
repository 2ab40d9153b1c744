import Foundation
import Kernel

/// A CSV file on its way to the database: reads the columns from its header, and checks what COPY would not.
///
/// PostgreSQL reads the fields themselves; this only looks for the ends of lines.
struct ImportFile {
    let header: ImportColumns.Header
    /// How many lines began so far, including the header. A quoted field may span several.
    private(set) var lines = 0
    private var head: [UInt8]?
    /// The line ends at the end of the last chunk.
    private var ends: [UInt8] = []
    private var isOver = false
    /// The line end that the header has.
    private let lineEnd: [UInt8]
    /// The bytes of the last line so far, up to three.
    private var lineStart: [UInt8] = []
    private var lineLength = 0
    /// The number of the line that ends the data for PostgreSQL.
    private var endMark: Int?

    private static let maxHeader = 65_536
    private static let newline = UInt8(ascii: "\n")

    /// Reads up to the end of the header. Throws an `ImportError`.
    nonisolated(nonsending) init(
        _ columns: ImportColumns, from next: nonisolated(nonsending) () async throws -> [UInt8]?
    ) async throws {
        var head: [UInt8] = []
        while !head.contains(Self.newline), let chunk = try await next() {
            head += chunk
            guard head.count <= Self.maxHeader || head.contains(Self.newline) else { break }
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
        let line = head.prefix { $0 != Self.newline }
        guard line.count <= Self.maxHeader, let text = String(validating: line, as: UTF8.self) else {
            throw ImportError.malformed(line: 1, "not a header line in UTF-8")
        }
        guard !text.isEmpty else { throw ImportError.malformed(line: 1, "no header line") }
        if !text.contains(","), let sign = text.first(where: { ";\t|".contains($0) }) {
            let name = sign == "\t" ? "tabs" : "`\(sign)`"
            throw ImportError.malformed(
                line: 1,
                "its columns are divided by \(name): divide them by commas, as CSV UTF-8 of Excel does")
        }
        header = try columns.header(
            text.split(separator: ",", omittingEmptySubsequences: false).map(Self.name))
        self.head = head
        lineEnd = line.last == UInt8(ascii: "\r") ? Array("\r\n".utf8) : [Self.newline]
    }

    private static func name(_ field: Substring) -> String {
        var name = field.drop { $0 == " " || $0 == "\t" }
        while let last = name.last, last.isWhitespace { name.removeLast() }
        guard name.count >= 2, name.first == "\"", name.last == "\"" else { return String(name) }
        return String(name.dropFirst().dropLast())
    }

    /// Returns the next chunk for COPY, the header first. Throws an `ImportError`.
    nonisolated(nonsending) mutating func next(_ next: nonisolated(nonsending) () async throws -> [UInt8]?)
        async throws -> [UInt8]?
    {
        while true {
            var given = head.take()
            if given == nil, !isOver { given = try await next() }
            guard let given else {
                isOver = true
                return try lastLineEnd()
            }
            let chunk = ends + given
            // Blank lines at the end do not count, and only the next chunk shows whether more lines follow.
            let end = chunk.lastIndex { !Self.lineEnds.contains($0) }.map { $0 + 1 } ?? 0
            let kept = chunk.count - end <= Self.mostEnds ? end : chunk.count
            ends = Array(chunk[kept...])
            guard kept > 0 else { continue }
            let whole = Array(chunk[..<kept])
            try look(at: whole)
            return whole
        }
    }

    /// Returns the line end of the last line, in the form that the header has, since PostgreSQL does not
    /// accept two forms. Nil if the file has none, or it was already returned.
    private mutating func lastLineEnd() throws(ImportError) -> [UInt8]? {
        guard ends.contains(Self.newline) else { return nil }
        ends = []
        try look(at: lineEnd)
        return lineEnd
    }

    private static let lineEnds = [newline, UInt8(ascii: "\r")]
    private static let mostEnds = 65_536

    /// Counts lines, and refuses data after a line `\.`, which PostgreSQL would silently ignore.
    private mutating func look(at chunk: [UInt8]) throws(ImportError) {
        if let endMark, !chunk.isEmpty { throw .endMark(endMark) }
        let isWhole = chunk.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                if endMark != nil { return false }
                if lineLength == 0 { lines += 1 }
                let end = Self.newline(in: bytes, from: start)
                let length = (end ?? bytes.count) - start
                lineLength += length
                if lineLength <= 3 { lineStart += bytes[start..<(start + length)] }
                guard let end else { return true }
                if lineLength <= 3, Self.endMarks.contains(lineStart) { endMark = lines }
                lineStart.removeAll(keepingCapacity: true)
                lineLength = 0
                start = end + 1
            }
            return true
        }
        if let endMark, !isWhole { throw .endMark(endMark) }
    }

    private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(newline), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    private static let endMarks: Set<[UInt8]> = [Array("\\.".utf8), Array("\\.\r".utf8)]
}

extension ImportError {
    fileprivate static func endMark(_ line: Int) -> Self {
        .malformed(line: line, "a line of only \\. ends the data")
    }
}
