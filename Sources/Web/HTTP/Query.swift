import Hummingbird

/// The query of a request, raw and decoded.
///
/// A `+` means itself, since links and uids use only percent-encoding.
package struct Query: Sendable {
    /// The query without the `?`. Nil if there is none.
    package let raw: String?

    package init(_ raw: String?) {
        self.raw = raw
    }

    /// Returns the only value of a key. Throws a 400 for several, and for text that is not UTF-8 or contains
    /// a NUL.
    package func value(_ key: String) throws(Problem) -> String? {
        guard let encoded = try encoded(key) else { return nil }
        guard let value = PercentEncoding.decode(encoded) else {
            throw .invalid(key, "is not percent-encoded UTF-8 text")
        }
        return value
    }

    /// Returns the only value of a key, still encoded. Throws a 400 for several.
    package func encoded(_ key: String) throws(Problem) -> Substring.UTF8View? {
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

    /// Returns the pairs whose key is none of these, unchanged.
    package func dropping(_ keys: Set<String>) -> String? { dropping { keys.contains($0) } }

    /// Returns the pairs whose decoded key is not dropped, unchanged. A key that is not percent-encoded UTF-8
    /// stays.
    package func dropping(_ isDropped: (String) -> Bool) -> String? {
        guard let raw else { return nil }
        let pairs = raw.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = pairs.filter { pair in
            PercentEncoding.decode(pair.prefix { $0 != UInt8(ascii: "=") }).map(isDropped) != true
        }
        return kept.isEmpty ? nil : kept.map { Substring($0) }.joined(separator: "&")
    }

    /// The most entries on a page. Pages of friends and changes may have more, since an app loads all of
    /// them.
    package static let (maxLimit, maxFriends) = (100, 500)
    /// The most users in one call.
    package static let maxUsers = 100

    /// Reads the page size.
    package func limit(default standard: Int = 50, most: Int = maxLimit) throws(Problem) -> Int {
        guard let text = try value("limit") else { return standard }
        // Accept only the canonical form, without a sign or leading zeros.
        guard let number = Int(text), (1...most).contains(number), String(number) == text else {
            throw .invalid("limit", "must be a number from 1 to \(most)")
        }
        return number
    }
}

extension Request {
    package var query: Query { Query(uri.query) }
}

/// RFC 3986 percent-encoding.
package enum PercentEncoding {
    private static let hex = Array("0123456789ABCDEF".utf8)

    /// Encodes all except the unreserved characters. The result is safe as a query value, and stays so when
    /// the whole URL is encoded again inside another.
    package static func encode(_ text: String) -> String {
        let unreserved = unreserved
        if text.utf8.allSatisfy(unreserved.contains) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * text.utf8.count)
        for byte in text.utf8 {
            if unreserved.contains(byte) { bytes.append(byte) } else { escape(byte, into: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds `%`, and two capital hexadecimal digits.
    static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hex[Int(byte >> 4)])
        bytes.append(hex[Int(byte & 15)])
    }

    /// Whether `encoded` is an encoding of the text.
    static func matches(_ encoded: Substring.UTF8View, _ text: String) -> Bool {
        encoded.contains(UInt8(ascii: "%")) ? decode(encoded) == text : encoded.elementsEqual(text.utf8)
    }

    /// Returns the decoded text. Nil if an escape is malformed, the bytes are not UTF-8, or they contain a
    /// NUL or more than 30 accents in a row.
    package static func decode(_ encoded: some Collection<UInt8>) -> String? {
        var isSound = true
        let bytes = bytes(encoded, &isSound)
        guard isSound, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self),
            text.isStreamSafe
        else { return nil }
        return text
    }

    /// Returns the bytes that the text encodes, up to the first malformed escape.
    static func bytes(_ encoded: some Collection<UInt8>) -> [UInt8] {
        var isSound = true
        return bytes(encoded, &isSound)
    }

    private static func bytes(_ encoded: some Collection<UInt8>, _ isSound: inout Bool) -> [UInt8] {
        encoded.withBytes { bytes(of: $0, &isSound) }
    }

    private static func bytes(of encoded: UnsafeBufferPointer<UInt8>, _ isSound: inout Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexDigit, let low = rest.next()?.hexDigit else {
                isSound = false
                return bytes
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static let unreserved = ASCIISet.alphanumeric + "-._~"
}

extension UInt8 {
    /// The value of the ASCII character as a hexadecimal digit. Nil if it is none.
    var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
