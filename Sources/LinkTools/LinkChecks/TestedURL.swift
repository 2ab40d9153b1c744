/// A URL in the parts that association files look at, as they are written.
struct TestedURL: Hashable, Sendable {
    let text: String
    /// The host with its port, in lower case. Nil for a path alone.
    let host: String?
    let path: String
    let query: String
    let fragment: String

    /// Reads an absolute http or https URL, or a path from its slash on. Nil for any other text.
    init?(_ text: String) {
        var rest = Substring(text)
        if text.hasPrefix("/") {
            host = nil
        } else {
            guard let match = text.prefixMatch(of: /(?i:https?):\/\/([^\/?#@\s]+)/) else { return nil }
            host = match.output.1.lowercased()
            rest = rest[match.range.upperBound...]
            guard rest.first.map({ "/?#".contains($0) }) ?? true else { return nil }
        }
        let whole = rest.prefix { $0 != "#" }
        let path = whole.prefix { $0 != "?" }
        self.text = text
        self.path = path.isEmpty ? "/" : String(path)
        query = String(whole[path.endIndex...].dropFirst())
        fragment = String(rest[whole.endIndex...].dropFirst())
        guard text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }) else {
            return nil
        }
    }

    /// Returns the values of an item of the query. One without `=` is empty.
    func values(of name: String) -> [String] {
        query.split(separator: "&").compactMap { item in
            let key = item.prefix { $0 != "=" }
            return key == name ? String(item[key.endIndex...].dropFirst()) : nil
        }
    }
}
