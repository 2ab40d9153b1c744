package import Web

/// A table for spreadsheets (RFC 4180). It is UTF-8 as its type says, without a mark at its beginning.
package struct CSV: Sendable {
    /// The name of its file, without the ending.
    private(set) var name: String
    package let text: String

    /// - Parameter rows: the first one names the columns.
    package init(name: String, rows: [[String]]) {
        self.name = name
        text = rows.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
    }

    /// Returns it as a table of these days.
    package func of(_ span: DaySpan) -> CSV {
        var table = self
        table.name += "_\(span.first)_\(span.last)"
        return table
    }

    /// A spreadsheet would take a text that begins with one of these marks, or a wide one, for a formula.
    private static let formula: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"]

    /// It looks at scalars, as spreadsheets do: a mark with an accent behind it is another character.
    private static func field(_ text: String) -> String {
        let safe = text.unicodeScalars.first.map(formula.contains) == true ? "'\(text)" : text
        guard safe.utf8.contains(where: "\",\n\r".utf8.contains) else { return safe }
        let pieces = safe.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"\(pieces.map { String($0) }.joined(separator: "\"\""))\""
    }
}
