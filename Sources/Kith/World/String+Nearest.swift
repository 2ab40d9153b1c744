/// Finds what somebody meant who mistyped a name.
extension String {
    /// The most similar of these names.
    func nearest(among names: some Sequence<String>) -> String? {
        names.sorted().min { distance(to: $0) < distance(to: $1) }
    }

    /// How many characters to insert, delete or substitute (Levenshtein).
    private func distance(to other: String) -> Int {
        let (one, other) = (Array(utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let exchanged = diagonal + (character == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(exchanged, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
