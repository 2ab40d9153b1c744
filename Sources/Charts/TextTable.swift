/// A table for a terminal: each column is as wide as its widest text.
package struct TextTable: Sendable {
    private let rows: [[String]]
    private let leading: Set<Int>

    /// - Parameter leading: the columns whose texts begin below one another. Those of all others end so.
    package init(_ rows: [[String]], leading: Set<Int>) {
        (self.rows, self.leading) = (rows, leading)
    }

    package var text: String {
        var widths: [Int] = []
        for row in rows {
            for (column, text) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], Self.width(text))
            }
        }
        let lines = rows.map { row in
            let cells = row.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - Self.width(text))
                guard leading.contains(column) else { return space + text }
                return column + 1 < row.count ? text + space : text
            }
            let line = cells.joined(separator: "  ")
            return line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? ""
        }
        return lines.joined(separator: "\n")
    }

    /// Returns how many columns of a terminal a text takes.
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    private static func width(_ letter: Character) -> Int {
        let scalars = letter.unicodeScalars
        if scalars.contains(where: { isWide($0) || $0 == "\u{FE0F}" }) { return 2 }
        return scalars.allSatisfy(isWithoutWidth) ? 0 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }

    private static func isWithoutWidth(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .enclosingMark, .format].contains(scalar.properties.generalCategory)
    }
}
