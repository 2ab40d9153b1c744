/// A part of a table, by a range of its home keys.
enum Slice: Equatable, Sendable {
    /// Users whose ids begin with these 32 bits.
    case users(Range<Int>)
    /// Home keys from a text on, up to another, which is excluded, or to the end.
    case texts(from: String, before: String?)

    static let allUsers = 0..<(1 << 32)

    /// The smaller parts to try if the whole takes too long. Empty if it cannot be split.
    var halves: [Slice] {
        guard case .users(let range) = self, range.count > 1 else { return [] }
        let middle = range.lowerBound + range.count / 2
        return [.users(range.lowerBound..<middle), .users(middle..<range.upperBound)]
    }

    /// The first home key, and the one that ends the range, which is excluded. Nil for the end of the table.
    var bounds: (from: String, before: String?) {
        switch self {
        case .users(let range): (Self.userID(range.lowerBound) ?? "", Self.userID(range.upperBound))
        case .texts(let from, let before): (from, before)
        }
    }

    /// Returns equal parts of all users. Ids are hashes, so each part has about the same number.
    static func ofUsers(_ count: Int) -> [Slice] {
        let count = min(max(1, count), 1 << 20)
        return (0..<count).map {
            .users(($0 * allUsers.count / count)..<(($0 + 1) * allUsers.count / count))
        }
    }

    /// Returns the least id that begins with these 32 bits. Nil beyond the last.
    static func userID(_ prefix: Int) -> String? {
        guard prefix < allUsers.upperBound else { return nil }
        let digits = String(prefix, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits + "-0000-0000-0000-000000000000"
    }
}
