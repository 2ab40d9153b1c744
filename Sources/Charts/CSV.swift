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

    /// A spreadsheet would take a text that begins with one of these marks for a formula.
    private static let formula: Set<Character> = ["=", "+", "-", "@", "\t", "\r"]

    private static func field(_ text: String) -> String {
        let safe = text.first.map(formula.contains) == true ? "'\(text)" : text
        guard safe.contains(where: { "\",\n\r".contains($0) }) else { return safe }
        return
            "\"\(safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}
