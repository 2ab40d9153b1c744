import Foundation

/// base64url as in JWTs (RFC 7515 §2), with exactly one text for each sequence of bytes.
package enum Base64URL {
    /// Returns the bytes. Nil for padding, white space, characters of plain base64, and leftover bits at the
    /// end: each would allow two texts for one token. This is written by hand because Foundation's decoder
    /// accepts all of these, and decoding and re-encoding with it took ten times as long as an RSA
    /// verification.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (bits, count): (UInt32, Int) = (0, 0)
        for letter in text {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // A rest of 6 bits is a superfluous character.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    package static func encode(_ bytes: some Collection<UInt8>) -> String { bytes.withBytes(encode) }

    private static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(letters[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(letters[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()
}

extension Data {
    package var base64URL: String { Base64URL.encode(self) }
}
