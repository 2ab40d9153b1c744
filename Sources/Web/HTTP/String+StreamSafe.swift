extension String {
    /// Whether at most 30 accents stand in a row: the Stream-Safe Text Format
    /// (https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format). Each comparison and each hash of a
    /// text sorts accents in a row, which takes a quarter of a second for 60 KB of them.
    package var isStreamSafe: Bool {
        // No accent begins with a smaller byte.
        guard utf8.count > 60, utf8.contains(where: { $0 >= 0xCC }) else { return true }
        return unicodeScalars.streamSafe.endIndex == unicodeScalars.endIndex
    }
}

extension String.UnicodeScalarView {
    /// The part before the first accent that is one too many.
    var streamSafe: SubSequence {
        var row = 0
        return prefix { scalar in
            let isAccent =
                scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            row = isAccent ? row + 1 : 0
            return row <= 30
        }
    }
}
