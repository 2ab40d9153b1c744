import Web

/// The version of an app, a build or a system: one to four numbers with dots between them, `5.12.0`.
///
/// Missing numbers are zeros, and each may have any number of digits, so `1.10` is `1.10.0` and above `1.9`.
package struct VersionNumber: Hashable, Sendable {
    /// Four numbers without leading zeros.
    private let numbers: [String]

    static let zero = VersionNumber(numbers: ["0", "0", "0", "0"])
    private static let (mostNumbers, mostBytes) = (4, 64)

    /// Nil for any other text: letters, blanks, signs, digits of other scripts, an empty number.
    init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard bytes.count <= Self.mostBytes else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= Self.mostNumbers,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) })
        else { return nil }
        let numbers = parts.map { part in
            let digits = part.drop { $0 == UInt8(ascii: "0") }
            return digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self)
        }
        self.init(numbers: numbers + Array(repeating: "0", count: Self.mostNumbers - numbers.count))
    }

    private init(numbers: [String]) {
        self.numbers = numbers
    }

    /// The first number. Nil if it is huge.
    var major: Int? { numbers.first.flatMap { Int($0) } }

    /// The next higher version.
    var successor: VersionNumber {
        var (digits, place) = (Array((numbers.last ?? "0").utf8), 0)
        digits.reverse()
        while place < digits.count, digits[place] == UInt8(ascii: "9") {
            digits[place] = UInt8(ascii: "0")
            place += 1
        }
        if place < digits.count { digits[place] += 1 } else { digits.append(UInt8(ascii: "1")) }
        return VersionNumber(
            numbers: numbers.dropLast() + [String(decoding: digits.reversed(), as: UTF8.self)])
    }
}

extension VersionNumber: Comparable {
    package static func < (one: VersionNumber, other: VersionNumber) -> Bool {
        for (mine, theirs) in zip(one.numbers, other.numbers) where mine != theirs {
            let (mine, theirs) = (mine.utf8, theirs.utf8)
            return mine.count == theirs.count
                ? mine.lexicographicallyPrecedes(theirs) : mine.count < theirs.count
        }
        return false
    }
}

extension VersionNumber: CustomStringConvertible {
    /// The version as text, which is the same for equal versions: `5.0` for `5`, `5.0` and `05.0.0`.
    package var description: String {
        let last = numbers.lastIndex { $0 != "0" } ?? 0
        return numbers.prefix(max(2, last + 1)).joined(separator: ".")
    }
}
