/// What people sent, as an operator may print it.
extension String {
    /// In one line. What would move a terminal's cursor, or turn its text round, stands there as JSON escapes it.
    package var visible: String {
        guard !utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return self }
        return unicodeScalars.map { scalar in
            let kind = scalar.properties.generalCategory
            guard
                scalar.properties.isBidiControl
                    || [.control, .lineSeparator, .paragraphSeparator].contains(kind)
            else { return String(scalar) }
            let number = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - number.count) + number
        }.joined()
    }

    /// The same in several lines.
    package var visibleLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible }
            .joined(separator: "\n")
    }

    /// Each line without its middle if it is long: what is wrong may be a whole file in one line, which a message quotes.
    package var shortLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let scalars = line.unicodeScalars
            guard scalars.count > 1500 else { return String(line) }
            return "\(Substring(scalars.prefix(1000)))…\(Substring(scalars.suffix(400)))"
        }.joined(separator: "\n")
    }
}
