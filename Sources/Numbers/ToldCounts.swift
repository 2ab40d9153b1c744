import Counts

/// How often each value of a dimension was counted in a time, as far as it may be told.
///
/// Of a place or a page (`KITH_NUMBERS_LEAST`), counts below the least are hidden, also those of values that
/// were never seen. What is hidden shows as one number, since the total is told. If that number is itself
/// below the least, the lowest count that would be told is hidden, too: statistical offices call it
/// complementary suppression. It looks at all values, and not at those that are asked for, so all questions
/// about a time get the same answers.
struct ToldCounts {
    private let counts: [String: Int64]
    private let least: Int64
    /// The value that is hidden although it is frequent enough.
    private let complement: String?
    /// How many have a value, whether it is told or not.
    let valued: Int

    init(_ counts: [String: Int64], others: Int64, of dimension: CountDimension, least: Int) {
        self.counts = counts
        valued = Int(counts.values.reduce(others, +))
        let bound = dimension.isHidden && least > 1 ? Int64(least) : 0
        let hidden = bound == 0 ? 0 : counts.values.reduce(others) { $1 < bound ? $0 + $1 : $0 }
        // Where nothing is hidden, zeros are no secret.
        self.least = hidden == 0 ? 0 : bound
        complement =
            hidden == 0 || hidden >= bound
            ? nil
            : counts.filter { $0.value >= bound }.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    /// The count of a value. Nil if it is hidden.
    subscript(value: String) -> Int? {
        let count = counts[value] ?? 0
        return count < least || value == complement ? nil : Int(count)
    }

    /// All counts that are told and not zero.
    var all: [String: Int64] {
        least == 0 && complement == nil ? counts : counts.filter { self[$0.key] != nil }
    }

    init(_ parts: CountParts, by dimension: CountDimension, least: Int) {
        self.init(
            parts.values[dimension] ?? [:], others: parts.others[dimension] ?? 0, of: dimension, least: least)
    }
}

extension CountDimension {
    /// Whether low numbers by it may tell of somebody.
    var isHidden: Bool { self == .country || self == .referrer }
}
