/// A JSON text with the line of each value and its names in order, repeated ones included: for telling people what to mend.
struct JSONTree: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case object([Member])
        case array([JSONTree])
        case text(String)
        case bool(Bool)
        /// As it was written.
        case number(String)
        case null
    }

    struct Member: Hashable, Sendable {
        let key: String
        let value: JSONTree
    }

    let value: Value
    let line: Int

    /// Why a text is not JSON, and where.
    struct Fault: Error, Hashable {
        let line: Int
        let column: Int
        let reason: String
    }

    init(_ bytes: [UInt8]) throws(Fault) {
        var parser = JSONTreeParser(bytes)
        self = try parser.whole()
    }

    init(_ value: Value, line: Int) {
        (self.value, self.line) = (value, line)
    }

    var members: [Member]? { if case .object(let members) = value { members } else { nil } }
    var elements: [JSONTree]? { if case .array(let elements) = value { elements } else { nil } }
    var text: String? { if case .text(let text) = value { text } else { nil } }
    var bool: Bool? { if case .bool(let bool) = value { bool } else { nil } }

    /// The first value of that name.
    subscript(key: String) -> JSONTree? { members?.first { $0.key == key }?.value }

    /// What it is, for a sentence.
    var kind: String {
        switch value {
        case .object: "an object"
        case .array: "a list"
        case .text: "a text"
        case .bool(let bool): bool ? "true" : "false"
        case .number: "a number"
        case .null: "null"
        }
    }
}

private struct JSONTreeParser {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private static let maxDepth = 64
    private static let space: ASCIISet = " \t\n\r"
    /// What ends a literal.
    private static let ends = space + ",]}:\""
    private typealias Fault = JSONTree.Fault

    private var current: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func whole() throws(JSONTree.Fault) -> JSONTree {
        let tree = try value(depth: 0)
        skipSpace()
        guard at == bytes.count else { throw fault("something follows the end") }
        return tree
    }

    private func fault(_ reason: String) -> Fault {
        let head = bytes[..<at]
        let start = head.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: head[start...], as: UTF8.self).unicodeScalars.count + 1
        return Fault(line: head.count { $0 == UInt8(ascii: "\n") } + 1, column: column, reason: reason)
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONTree {
        guard depth < Self.maxDepth else { throw fault("it is nested too deeply") }
        skipSpace()
        let line = line
        let value: JSONTree.Value
        switch current {
        case UInt8(ascii: "{"): value = .object(try members(depth: depth))
        case UInt8(ascii: "["): value = .array(try elements(depth: depth))
        case UInt8(ascii: "\""): value = .text(try text())
        case nil: throw fault("it ends too early")
        default: value = try literal()
        }
        return JSONTree(value, line: line)
    }

    private mutating func members(depth: Int) throws(Fault) -> [JSONTree.Member] {
        at += 1
        var members: [JSONTree.Member] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return members }
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\"") else {
                throw fault(
                    members.isEmpty ? "a name in quotes must stand here" : "a name must follow the comma")
            }
            let key = try text()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon must stand here") }
            members.append(JSONTree.Member(key: key, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("a comma or } must stand here") }
        return members
    }

    private mutating func elements(depth: Int) throws(Fault) -> [JSONTree] {
        at += 1
        var elements: [JSONTree] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            skipSpace()
            guard current != UInt8(ascii: "]") else { throw fault("a value must follow the comma") }
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("a comma or ] must stand here") }
        return elements
    }

    private mutating func text() throws(Fault) -> String {
        at += 1
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("a text has a line break or a control character") }
            at += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
        }
        guard take(UInt8(ascii: "\"")) else { throw fault("a text has no end") }
        guard let valid = String(validating: text, as: UTF8.self) else { throw fault("a text is not UTF-8") }
        return valid
    }

    private mutating func escape(into text: inout [UInt8]) throws(Fault) {
        guard let byte = current else { throw fault("a text has no end") }
        guard byte == UInt8(ascii: "u") else {
            let plain = zip(#""\/bfnrt"#.utf8, "\"\\/\u{8}\u{C}\n\r\t".utf8).first { $0.0 == byte }
            guard let plain else { throw fault("a backslash is followed by what JSON does not know") }
            at += 1
            text.append(plain.1)
            return
        }
        var unit = try hex()
        if (0xD800..<0xDC00).contains(unit), bytes[at...].starts(with: "\\u".utf8) {
            at += 1
            let low = try hex()
            guard (0xDC00..<0xE000).contains(low) else { throw fault("half of a character") }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else { throw fault("half of a character") }
        UTF8.encode(scalar).map { text.append(contentsOf: $0) }
    }

    /// Of `uXXXX`.
    private mutating func hex() throws(Fault) -> UInt32 {
        let digits = bytes[at...].dropFirst().prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, text.wholeMatch(of: /[0-9A-Fa-f]{4}/) != nil,
            let unit = UInt32(text, radix: 16)
        else { throw fault("a broken escape") }
        at += 5
        return unit
    }

    private mutating func literal() throws(Fault) -> JSONTree.Value {
        let word = bytes[at...].prefix { !Self.ends.contains($0) }
        let text = String(decoding: word, as: UTF8.self)
        let value: JSONTree.Value
        switch text {
        case "true": value = .bool(true)
        case "false": value = .bool(false)
        case "null": value = .null
        case _ where text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/) != nil:
            value = .number(text)
        default: throw fault("a value must stand here")
        }
        at = word.endIndex
        return value
    }

    private mutating func skipSpace() {
        while let byte = current, Self.space.contains(byte) {
            if byte == UInt8(ascii: "\n") { line += 1 }
            at += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        at += 1
        return true
    }
}
