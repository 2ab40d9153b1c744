import Crypto
import Foundation

/// Encodes lists of byte strings unambiguously: before each part stands its length in four bytes.
package enum LengthPrefixed {
    package static func write(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { part in
            let length = UInt32(part.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + part
        }
    }

    /// Returns the parts. Nil if a length exceeds the rest.
    package static func read(_ bytes: [UInt8]) -> [[UInt8]]? {
        var (parts, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard length <= rest.count else { return nil }
            parts.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return parts
    }
}

extension UUID {
    package var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }
}

extension UUID {
    /// Makes a UUID of the first 16 bytes of the SHA-256 of the parts.
    package init(hashing parts: [[UInt8]]) {
        self.init(bytes: Array(SHA256.hash(data: LengthPrefixed.write(parts))))
    }
}
