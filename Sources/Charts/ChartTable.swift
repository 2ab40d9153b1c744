import Web

/// The numbers of a chart as text: the first column names the rows.
package struct ChartTable: Equatable, Sendable {
    package let caption: String
    package let head: [String]
    package let rows: [[String]]

    /// An HTML table, with all of its texts escaped.
    package var html: String {
        let head = head.map { "<th scope=\"col\">\(HTML.escape($0))</th>" }.joined()
        let rows = rows.map { row in
            let cells = row.enumerated().map { place, text in
                place == 0
                    ? "<th scope=\"row\">\(HTML.escape(text))</th>" : "<td>\(HTML.escape(text))</td>"
            }
            return "<tr>\(cells.joined())</tr>\n"
        }
        return """
            <table>
            <caption>\(HTML.escape(caption))</caption>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table>
            """
    }

    /// How many rows its text has at most: whoever hears a picture would not get through more.
    static let mostLines = 62

    /// Its caption, and a line a row. Nil if it is too long to be heard.
    var text: String? {
        guard rows.count <= Self.mostLines else { return nil }
        let lines = rows.map { row in
            let cells = zip(head, row).dropFirst().map { "\($0) \($1)" }
            return "\(row.first ?? ""): \(cells.joined(separator: ", "))"
        }
        return ((caption.isEmpty ? [] : [caption]) + lines).joined(separator: "\n")
    }
}
