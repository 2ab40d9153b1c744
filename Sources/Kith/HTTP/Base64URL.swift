import Foundation

/// base64url as JWTs write it (RFC 7515 §2): one text for each sequence of bytes, and no other.
enum Base64URL {
    /// Nil for padding, white space, the other alphabet's characters, and bits left over at the end:
    /// each of them would let two texts stand for one token. Written out because Foundation's decoder
    /// takes all of these, and asking it there and back cost ten times an RSA verification.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
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
        // 6 bits left: a lone letter that no byte needs.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for (value, letter) in letters.utf8.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()
}

extension Data {
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
