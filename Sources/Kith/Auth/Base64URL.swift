import Foundation

/// base64url as JWTs write it (RFC 7515 §2): one text for each sequence of bytes, and no other.
enum Base64URL {
    /// Nil for padding, white space, the other alphabet's characters, and bits left over at the end:
    /// each of them would let two texts stand for one token.
    static func decode(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy(isInAlphabet), let data = Data(base64URL: String(text)),
            data.base64URL.utf8.elementsEqual(text.utf8)
        else { return nil }
        return data
    }

    private static func isInAlphabet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
