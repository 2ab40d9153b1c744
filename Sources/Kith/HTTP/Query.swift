import Hummingbird

/// The query of a request, as it came and decoded.
///
/// A `+` stands for itself: links and uids are written with percent-encoding only.
struct Query: Sendable {
    /// Without the `?`; nil if there is none.
    let raw: String?

    init(_ raw: String?) {
        self.raw = raw
    }

    /// The one value of a key. Several are a 400, so is text that is not UTF-8 or holds a NUL.
    func value(_ key: String) throws(Problem) -> String? {
        guard let encoded = try encoded(key) else { return nil }
        guard let value = PercentEncoding.decode(encoded) else {
            throw .invalid(key, "is not percent-encoded UTF-8 text")
        }
        return value
    }

    /// As it came. Several are a 400.
    func encoded(_ key: String) throws(Problem) -> Substring.UTF8View? {
        guard let raw else { return nil }
        var found: Substring.UTF8View?
        var rest = raw.utf8[...]
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest[pair.endIndex...].dropFirst()
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard PercentEncoding.matches(name, key) else { continue }
            guard found == nil else { throw .invalid(key, "is given more than once") }
            found = pair[name.endIndex...].dropFirst()
        }
        return found
    }

    /// The pairs, as they came, whose key is none of these.
    func dropping(_ keys: [String]) -> String? {
        guard let raw else { return nil }
        let kept = raw.split(separator: "&", omittingEmptySubsequences: false).filter { pair in
            let name = pair.utf8.prefix { $0 != UInt8(ascii: "=") }
            return !keys.contains { PercentEncoding.matches(name, $0) }
        }
        return kept.isEmpty ? nil : kept.joined(separator: "&")
    }

    /// A page size of 1 to 100.
    func limit(default standard: Int = 50) throws(Problem) -> Int {
        guard let text = try value("limit") else { return standard }
        // Written in one way only: no sign, no zeros before it.
        guard let number = Int(text), (1...100).contains(number), String(number) == text else {
            throw .invalid("limit", "must be a number from 1 to 100")
        }
        return number
    }
}

extension Request {
    var query: Query { Query(uri.query) }
}

/// RFC 3986 percent-encoding.
enum PercentEncoding {
    private static let hex = Array("0123456789ABCDEF".utf8)

    /// All but the unreserved characters is encoded, so that the result is safe as one query value, and
    /// stays so when the whole URL is encoded once more inside another.
    static func encode(_ text: String) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether this is what the text is encoded as.
    static func matches(_ encoded: Substring.UTF8View, _ text: String) -> Bool {
        encoded.contains(UInt8(ascii: "%")) ? decode(encoded) == text : encoded.elementsEqual(text.utf8)
    }

    /// Nil if an escape is broken, the bytes are no UTF-8, or a NUL is among them.
    static func decode(_ encoded: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
    }
}
