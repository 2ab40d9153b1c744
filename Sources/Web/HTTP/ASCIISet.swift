/// A set of ASCII characters. Kith reads URLs and JSON at each visit, where searching a text for each byte
/// would take most of the time.
package struct ASCIISet: Sendable, ExpressibleByStringLiteral {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 0

    /// - Parameter characters: ASCII characters only.
    package init(stringLiteral characters: String) {
        insert(characters.utf8)
    }

    private mutating func insert(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            precondition(byte < 128)
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte - 64) }
        }
    }

    @inlinable package func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> byte & 1 == 1 : byte < 128 && high >> (byte - 64) & 1 == 1
    }

    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        (sum.low, sum.high) = (one.low | other.low, one.high | other.high)
        return sum
    }

    package static let alphanumeric: Self = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    package static let digits: Self = "0123456789"
}

extension StringProtocol {
    /// Whether the text consists only of these characters, and has as many of them as `count` allows. A
    /// client's text is not matched with a regular expression, which would be made anew at each call.
    package func consists(of characters: ASCIISet, count: ClosedRange<Int>) -> Bool {
        count.contains(utf8.count) && utf8.withBytes { $0.allSatisfy(characters.contains) }
    }
}
