/// A day as numbers, of a text such as `2026-11-24`.
struct ChartDay: Equatable {
    let year: Int
    let month: Int
    let day: Int

    init?(_ text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]) else { return nil }
        (year, month, day) = (parts[0], parts[1], parts[2])
    }

    /// The number of its month, counted from the year 0 on.
    var months: Int { year * 12 + month - 1 }
}
