/// Crockford's base 32: lower case, without i, l, o and u, so that no letter looks like a digit.
package enum Base32 {
    private static let digits = "0123456789abcdefghjkmnpqrstvwxyz"
    private static let alphabet = Array(digits.utf8)
    private static let characters = ASCIISet(stringLiteral: digits)

    /// Returns one character for each byte. The 256 values of a byte map evenly to 32 characters, so each has
    /// 5 unbiased bits.
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }

    /// Whether a text has only these characters.
    package static func holds(_ text: some StringProtocol) -> Bool {
        text.consists(of: characters, count: 0...Int.max)
    }
}
