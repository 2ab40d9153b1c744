/// Reads a JSON text (RFC 8259) token by token in one pass. Kith reads JSON only with this and `JSONDecoder`.
///
/// Its time is linear in the bytes, whatever they are. It stops at the first fault.
struct JSONTokenizer<Bytes: RandomAccessCollection<UInt8>> where Bytes.Index == Int {
    private let bytes: Bytes
    private let bounds: JSONBounds
    private var at: Int
    /// The line of the last token.
    private(set) var line = 1
    /// The kinds of the open objects and arrays, a bit for each: 1 for an object. The innermost is the
    /// lowest.
    private var nesting: UInt64 = 0
    private var depth = 0
    private var members = 0
    private var expected = Expected.value

    private enum Expected {
        case value, valueOrEnd, name, nameOrEnd, commaOrEnd, nothing
    }

    init(_ bytes: Bytes, _ bounds: JSONBounds) {
        precondition(bounds.depth <= UInt64.bitWidth)
        (self.bytes, self.bounds) = (bytes, bounds)
        at = bytes.startIndex
    }

    private var current: UInt8? { at < bytes.endIndex ? bytes[at] : nil }
    private var isInObject: Bool { nesting & 1 == 1 }
}

extension JSONTokenizer {
    /// Returns the next token, and `end` after the last one.
    mutating func next() throws(JSONFault) -> JSONToken {
        skipSpace()
        switch expected {
        case .value: return try value()
        case .valueOrEnd: return take("]") ? close() : try value()
        case .name: return try name(missing: "a name must follow the comma")
        case .nameOrEnd: return take("}") ? close() : try name(missing: "a name in quotes must stand here")
        case .commaOrEnd: return try commaOrEnd()
        case .nothing:
            guard at == bytes.endIndex else { throw fault(.grammar("something follows the end")) }
            return .end
        }
    }

    private mutating func commaOrEnd() throws(JSONFault) -> JSONToken {
        if take(isInObject ? "}" : "]") { return close() }
        guard take(",") else { throw missing("a comma or \(isInObject ? "}" : "]") must stand here") }
        skipSpace()
        expected = isInObject ? .name : .value
        guard isInObject || current != UInt8(ascii: "]") else {
            throw fault(.grammar("a value must follow the comma"))
        }
        return try next()
    }

    private mutating func name(missing reason: String) throws(JSONFault) -> JSONToken {
        guard take("\"") else { throw missing(reason) }
        members += 1
        guard members <= bounds.members else { throw fault(.bounds("has too many fields")) }
        let name = try text(limit: bounds.name)
        skipSpace()
        guard take(":") else { throw missing("a colon must stand here") }
        expected = .value
        return .name(name)
    }

    private mutating func value() throws(JSONFault) -> JSONToken {
        switch current {
        case UInt8(ascii: "{"):
            try open(isObject: true)
            return .object
        case UInt8(ascii: "["):
            try open(isObject: false)
            return .array
        case UInt8(ascii: "\""):
            at += 1
            return .text(ended(try text()))
        default:
            return ended(try literal())
        }
    }

    private mutating func open(isObject: Bool) throws(JSONFault) {
        guard depth < bounds.depth else { throw fault(.bounds("is nested too deeply")) }
        at += 1
        depth += 1
        nesting = nesting << 1 | (isObject ? 1 : 0)
        expected = isObject ? .nameOrEnd : .valueOrEnd
    }

    private mutating func close() -> JSONToken {
        defer {
            depth -= 1
            nesting >>= 1
            expected = depth == 0 ? .nothing : .commaOrEnd
        }
        return isInObject ? .endOfObject : .endOfArray
    }

    private mutating func ended<Value>(_ value: Value) -> Value {
        expected = depth == 0 ? .nothing : .commaOrEnd
        return value
    }

    private mutating func skipSpace() {
        while let byte = current, byte <= 0x20, jsonSpace.contains(byte) {
            if byte == UInt8(ascii: "\n") { line += 1 }
            at += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private func missing(_ reason: String) -> JSONFault {
        fault(.grammar(current == nil ? "it ends too early" : reason))
    }

    private func fault(_ kind: JSONFault.Kind) -> JSONFault {
        let head = bytes[..<at]
        let start = head.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.startIndex
        // Count all bytes except those that continue a character.
        let column = bytes[start..<at].count { $0 & 0xC0 != 0x80 } + 1
        return JSONFault(line: line, column: column, kind: kind)
    }
}

/// Literals.
extension JSONTokenizer {
    private mutating func literal() throws(JSONFault) -> JSONToken {
        let start = at
        let token: JSONToken? =
            switch current {
            case UInt8(ascii: "t"): skip("true") ? .bool(true) : nil
            case UInt8(ascii: "f"): skip("false") ? .bool(false) : nil
            case UInt8(ascii: "n"): skip("null") ? .null : nil
            case nil: throw fault(.grammar("it ends too early"))
            default: skipNumber() ? .number(String(decoding: bytes[start..<at], as: UTF8.self)) : nil
            }
        guard let token, current.map(jsonEnds.contains) ?? true else {
            at = start
            throw fault(.grammar("a value must stand here"))
        }
        return token
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        for place in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[place] else { return false }
            at += 1
        }
        return true
    }

    private mutating func skipNumber() -> Bool {
        _ = take("-")
        guard take("0") || skipDigits() else { return false }
        if take("."), !skipDigits() { return false }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return skipDigits()
        }
        return true
    }

    /// Skips digits. False if there are none.
    private mutating func skipDigits() -> Bool {
        let start = at
        while let byte = current, byte >= 0x30, byte <= 0x39 { at += 1 }
        return at > start
    }
}

/// Texts.
extension JSONTokenizer {
    /// Reads a text, from behind its opening quote.
    private mutating func text(limit: Int = .max) throws(JSONFault) -> String {
        let start = at
        skipPlain(most: limit)
        guard at - start <= limit else { throw tooLong }
        if current == UInt8(ascii: "\"") { return try ended(bytes[start..<at]) }
        var text = Array(bytes[start..<at])
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                throw fault(.text("holds a line break or a control character"))
            }
            at += 1
            try escape(into: &text)
            let plain = at
            skipPlain(most: limit)
            text += bytes[plain..<at]
            guard text.count <= limit else { throw tooLong }
        }
        return try ended(text)
    }

    private var tooLong: JSONFault { fault(.text("has a field whose name is too long")) }

    private mutating func ended(_ text: some Collection<UInt8>) throws(JSONFault) -> String {
        guard take("\"") else { throw fault(.grammar("a text has no end")) }
        guard let valid = String(validating: text, as: UTF8.self) else {
            throw fault(.text("is not valid UTF-8"))
        }
        guard bounds.takesAllAccents || valid.isStreamSafe else {
            throw fault(.text("has more than 30 accents in a row"))
        }
        return valid
    }

    /// Skips bytes that mean themselves.
    private mutating func skipPlain(most: Int) {
        let last = most < bytes.endIndex - at ? at + most + 1 : bytes.endIndex
        while at < last {
            let byte = bytes[at]
            guard byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return }
            at += 1
        }
    }

    /// Reads an escape, from behind its backslash.
    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        guard let byte = current else { throw fault(.grammar("a text has no end")) }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try scalar()
            guard scalar.value != 0 else { throw fault(.text("holds a NUL")) }
            text.append(contentsOf: scalar.utf8)
        default:
            at -= 1
            throw fault(.grammar("a backslash is followed by what JSON does not know"))
        }
    }

    /// Reads the code point of `XXXX`, or of `XXXX\uXXXX`.
    private mutating func scalar() throws(JSONFault) -> Unicode.Scalar {
        var unit = try hex()
        if (0xD800..<0xDC00).contains(unit), take("\\"), take("u") {
            let low = try hex()
            guard (0xDC00..<0xE000).contains(low) else {
                throw fault(.text("holds half of a surrogate pair"))
            }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(unit) else { throw fault(.text("holds half of a surrogate pair")) }
        return scalar
    }

    private mutating func hex() throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = current?.hexDigit else { throw fault(.grammar("a broken escape")) }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }
}

/// White space. It is not a member, because a generic type cannot have static properties.
private let jsonSpace: ASCIISet = " \t\n\r"
/// The characters that may follow a literal.
private let jsonEnds = jsonSpace + ",]}:\""
