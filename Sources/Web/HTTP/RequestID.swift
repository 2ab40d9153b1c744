import Synchronization

/// What a request is called in its answer's `X-Request-Id`, in problems, and in the log.
///
/// It is random: by a counter, anybody could read off two answers how many requests came between them.
package struct RequestID: CustomStringConvertible, Sendable {
    package let description: String

    private static let last = Atomic(UInt64.random(in: .min ... .max))

    /// 128 bits in hex: two hashes of a number, by the key that Swift draws for the process. To ask the system for random
    /// bytes costs ten times as much.
    package init() {
        let number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
        let (high, low) = (Self.hash(number, 0), Self.hash(number, 1))
        description = String(unsafeUninitializedCapacity: 32) { buffer in
            for place in 0..<32 {
                let word = place < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - place % 16 * 4)) & 15
                buffer.initializeElement(at: place, to: digit + (digit < 10 ? 48 : 87))
            }
            return 32
        }
    }

    private static func hash(_ number: UInt64, _ half: UInt8) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        hasher.combine(half)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The id that a proxy gave; nil unless it has 1 to 128 characters, none of which means something in a header, a log or JSON.
    init?(given text: String) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPart) else { return nil }
        description = text
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._:=+/@".utf8.contains(byte)
    }
}
