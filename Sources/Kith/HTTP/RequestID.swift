/// What a request is called in its answer's `X-Request-Id`, in problems, and in the log.
///
/// It is random: by a counter, anybody could read off two answers how many requests came between them.
struct RequestID: CustomStringConvertible, Sendable {
    let description: String

    /// 128 bits in hex.
    init() {
        var generator = SystemRandomNumberGenerator()
        let (high, low) = (generator.next(), generator.next())
        description = String(unsafeUninitializedCapacity: 32) { buffer in
            for place in 0..<32 {
                let word = place < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - place % 16 * 4)) & 15
                buffer.initializeElement(at: place, to: digit + (digit < 10 ? 48 : 87))
            }
            return 32
        }
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
