/// A field of a table (RFC 4180).
enum CSV {
    /// A spreadsheet would take a text that begins with one of these marks for a formula.
    private static let formula: Set<Character> = ["=", "+", "-", "@", "\t", "\r"]

    static func field(_ text: String) -> String {
        let safe = text.first.map(formula.contains) == true ? "'\(text)" : text
        guard safe.contains(where: { "\",\n\r".contains($0) }) else { return safe }
        return
            "\"\(safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}
