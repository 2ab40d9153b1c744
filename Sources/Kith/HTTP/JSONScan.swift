/// Checks a JSON object strictly before it is decoded, for what a decoder would accept: unknown and repeated keys, deep
/// nesting, NUL and lone surrogates in strings, a top level that is not an object.
///
/// Its time is linear in the bytes: it refuses an object at its first unknown field, before reading that field's value.
struct JSONScan<Bytes: RandomAccessCollection<UInt8>> {
    private let bytes: Bytes
    private var at: Bytes.Index
    /// Nil for any fields; then errors name a field only by its key.
    private let allowed: Set<String>?

    private init(_ bytes: Bytes, _ allowed: Set<String>?) {
        self.bytes = bytes
        self.allowed = allowed
        at = bytes.startIndex
    }

    private var current: UInt8? { at < bytes.endIndex ? bytes[at] : nil }
}

extension JSONScan {
    /// Accepts an object with only these fields, given by their paths (`invite.url`, or `metadata.*` for any field in it);
    /// elements of an array have the array's path.
    static func check(_ bytes: Bytes, fields: Set<String>) throws(JSONScanError) {
        try run(bytes, fields)
    }

    /// Accepts an object with any fields.
    static func check(_ bytes: Bytes) throws(JSONScanError) {
        try run(bytes, nil)
    }

    private static func run(_ bytes: Bytes, _ allowed: Set<String>?) throws(JSONScanError) {
        var scan = JSONScan(bytes, allowed)
        scan.skipSpace()
        guard scan.current == UInt8(ascii: "{") else { throw JSONScanError("must be a JSON object") }
        try scan.value(path: "", depth: 0)
        scan.skipSpace()
        guard scan.at == bytes.endIndex else { throw JSONScanError("has something after the JSON object") }
    }

    private static var maxDepth: Int { 16 }
    /// The most bytes of a key in a body, since a response may quote it. Twice what metadata allow, so that a key a little too
    /// long for them is told as their mistake.
    private static var maxKey: Int { 128 }

    private mutating func value(path: String, depth: Int) throws(JSONScanError) {
        guard depth < Self.maxDepth else { throw JSONScanError("is nested too deeply") }
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): try object(path: path, depth: depth)
        case UInt8(ascii: "["): try array(path: path, depth: depth)
        case UInt8(ascii: "\""): _ = try string(path: path)
        case nil: throw JSONScanError("ends too early")
        default: try literal()
        }
    }

    private mutating func object(path: String, depth: Int) throws(JSONScanError) {
        advance()
        var keys: Set<String> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return }
        repeat {
            skipSpace()
            let key = try string(path: path, limit: allowed == nil ? nil : Self.maxKey)
            let field = allowed == nil || path.isEmpty ? key : "\(path).\(key)"
            guard keys.insert(key).inserted else { throw JSONScanError("is given twice", field: field) }
            guard allowed?.contains(field) ?? true || allowed?.contains("\(path).*") == true else {
                throw JSONScanError("is not a field of this call", field: field)
            }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            try value(path: field, depth: depth + 1)
            skipSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    private mutating func array(path: String, depth: Int) throws(JSONScanError) {
        advance()
        skipSpace()
        if take(UInt8(ascii: "]")) { return }
        repeat {
            try value(path: path, depth: depth + 1)
            skipSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    /// - Parameter limit: the most bytes that it may have.
    private mutating func string(path: String, limit: Int? = nil) throws(JSONScanError) -> String {
        try expect(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                advance()
                try escape(into: &text, path: path)
            } else {
                guard byte >= 0x20 else {
                    throw JSONScanError("holds a control character", field: named(path))
                }
                text.append(byte)
                advance()
            }
            if let limit, text.count > limit {
                throw JSONScanError("has a field whose name is too long", field: named(path))
            }
        }
        try expect(UInt8(ascii: "\""))
        guard let valid = String(validating: text, as: UTF8.self) else {
            throw JSONScanError("is not valid UTF-8", field: named(path))
        }
        return valid
    }

    private mutating func escape(into text: inout [UInt8], path: String) throws(JSONScanError) {
        guard let byte = current else { throw JSONScanError("ends too early") }
        advance()
        guard byte == UInt8(ascii: "u") else {
            guard let plain = jsonEscapes[byte] else { throw JSONScanError("holds a broken escape") }
            text.append(plain)
            return
        }
        var unit = try hex()
        if (0xD800..<0xDC00).contains(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let low = try hex()
            guard (0xDC00..<0xE000).contains(low) else {
                throw JSONScanError("holds half of a surrogate pair", field: named(path))
            }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else {
            throw JSONScanError("holds half of a surrogate pair", field: named(path))
        }
        guard scalar.value != 0 else { throw JSONScanError("holds a NUL", field: named(path)) }
        UTF8.encode(scalar).map { text.append(contentsOf: $0) }
    }

    private mutating func hex() throws(JSONScanError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONScanError("holds a broken escape")
            }
            value = value << 4 | UInt32(digit)
            advance()
        }
        return value
    }

    private func named(_ path: String) -> String? { path.isEmpty ? nil : path }

    /// Skips a number, true, false or null, which the decoder validates; an empty one is an error here, since the decoder
    /// would take it for the end of an array.
    private mutating func literal() throws(JSONScanError) {
        let start = at
        while let byte = current, !",]} \t\n\r".utf8.contains(byte) { advance() }
        guard at != start else { throw JSONScanError("is not valid JSON") }
    }

    private mutating func skipSpace() {
        while let byte = current, " \t\n\r".utf8.contains(byte) { advance() }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        advance()
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(JSONScanError) {
        guard take(byte) else { throw JSONScanError("is not valid JSON") }
    }

    private mutating func advance() { bytes.formIndex(after: &at) }
}

/// What is wrong with a JSON object or one of its fields.
struct JSONScanError: Error, CustomStringConvertible {
    /// A predicate for the object or the field: `is given twice`.
    let reason: String
    let field: String?

    init(_ reason: String, field: String? = nil) {
        self.reason = reason
        self.field = field
    }

    var description: String { field.map { "`\($0)` \(reason)" } ?? reason }
}

/// The character after a backslash, and the byte that both mean. A generic type cannot have static properties.
private let jsonEscapes: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: zip(Array(#""\/bfnrt"#.utf8), Array("\"\\/\u{8}\u{C}\n\r\t".utf8)))
