/// Text that people sent, in a form that is safe to print.
extension String {
    /// The text in one line. Characters that would move a terminal's cursor, or reverse the direction of
    /// text, stand there as JSON escapes them.
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

    /// The text in several lines, each like `visible`.
    package var visibleLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible }
            .joined(separator: "\n")
    }

    /// The text with long lines cut in the middle: a message may quote a wrong file that is one single line.
    package var shortLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let scalars = line.unicodeScalars
            guard scalars.count > 1500 else { return String(line) }
            return "\(Substring(scalars.prefix(1000)))…\(Substring(scalars.suffix(400)))"
        }.joined(separator: "\n")
    }
}
