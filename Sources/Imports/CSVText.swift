/// Reads a table of comma-separated values (RFC 4180) of which all is in memory.
package enum CSVText {
    /// A row, and the number of the line on which it begins.
    package struct Row: Equatable, Sendable {
        package let line: Int
        package let fields: [String]
    }

    /// Returns the rows that are not blank. Nil if a quoted field does not end.
    package static func rows(_ text: String) -> [Row]? {
        var reader = Reader()
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        for scalar in lines.unicodeScalars.drop(while: { $0 == "\u{FEFF}" }) { reader.take(scalar) }
        return reader.end()
    }

    private struct Reader {
        private var rows: [Row] = []
        private var fields: [String] = []
        private var field = String.UnicodeScalarView()
        private var (line, start) = (1, 1)
        private var isQuoted = false
        /// Whether the last character may have been the end of a quoted field, or the first of two quotes.
        private var isAfterQuote = false

        mutating func take(_ scalar: Unicode.Scalar) {
            if isQuoted {
                if isAfterQuote {
                    isAfterQuote = false
                    if scalar == "\"" {
                        field.append(scalar)
                        return
                    }
                    isQuoted = false
                } else if scalar == "\"" {
                    isAfterQuote = true
                    return
                } else {
                    if scalar == "\n" { line += 1 }
                    field.append(scalar)
                    return
                }
            }
            switch scalar {
            case "\"" where field.isEmpty: isQuoted = true
            case ",": endField()
            case "\n": endRow()
            default: field.append(scalar)
            }
        }

        private mutating func endField() {
            fields.append(String(field))
            field = String.UnicodeScalarView()
        }

        private mutating func endRow() {
            endField()
            if fields.contains(where: { $0.contains { !$0.isWhitespace } }) {
                rows.append(Row(line: start, fields: fields))
            }
            fields = []
            line += 1
            start = line
        }

        mutating func end() -> [Row]? {
            guard !isQuoted || isAfterQuote else { return nil }
            endRow()
            return rows
        }
    }
}
