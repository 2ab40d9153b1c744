import Synchronization

/// The id of a request, in its answer's `X-Request-Id`, in problems, and in the log.
///
/// It is random. With a counter, anybody could read from two answers how many requests came between them.
package struct RequestID: CustomStringConvertible, Sendable {
    package let description: String

    private static let last = Atomic(UInt64.random(in: .min ... .max))

    /// Makes an id of 128 bits in hex: two hashes of a number, with the key that Swift draws for the process.
    /// Asking the system for random bytes costs ten times as much.
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

    /// The id that a proxy gave. Nil unless it has 1 to 128 characters, none of them with a meaning in a
    /// header, a log or JSON.
    init?(given text: String) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPart) else { return nil }
        description = text
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._:=+/@".utf8.contains(byte)
    }
}
