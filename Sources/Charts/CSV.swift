/// A table for spreadsheets (RFC 4180).
package struct CSV: Sendable {
    /// The name of its file, without the ending.
    let name: String
    package let text: String

    /// - Parameter rows: the first one names the columns.
    package init(name: String, rows: [[String]]) {
        self.name = name
        text = rows.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
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
