/// Finds the name that was meant by a mistyped one.
package extension String {
    /// Returns the most similar of these names.
    func nearest(among names: some Sequence<String>) -> String? {
        names.sorted().min { distance(to: $0) < distance(to: $1) }
    }

    /// Returns the most similar of these names, whose parts are separated by dots. Nil if that is a different
    /// name altogether: more than half of what follows the common parts differs.
    func near(among names: some Sequence<String>) -> String? {
        nearest(among: names).flatMap { nearest in
            let (mine, theirs) = (split(separator: "."), nearest.split(separator: "."))
            let common = zip(mine, theirs).prefix { $0 == $1 }.count
            let (rest, other) = (
                mine.dropFirst(common).joined(separator: "."), theirs.dropFirst(common).joined(separator: ".")
            )
            return rest.distance(to: other) * 2 <= max(rest.utf8.count, other.utf8.count) ? nearest : nil
        }
    }

    /// Returns how many characters to insert, delete, substitute, or exchange with the next one (optimal
    /// string alignment).
    private func distance(to other: String) -> Int {
        let (one, other) = (Array(utf8), Array(other.utf8))
        var (before, row) = ([Int](), Array(0...other.count))
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            let last = row
            row[0] = index + 1
            for column in other.indices {
                let exchanged = diagonal + (character == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(exchanged, row[column] + 1, diagonal + 1)
                if index > 0, column > 0, character == other[column - 1], one[index - 1] == other[column] {
                    row[column + 1] = Swift.min(row[column + 1], before[column - 1] + 1)
                }
            }
            before = last
        }
        return row[other.count]
    }
}
