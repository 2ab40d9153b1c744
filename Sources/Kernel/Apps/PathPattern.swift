/// A pattern of paths in an association file, as Apple or Google reads it.
package struct PathPattern: Hashable, Sendable {
    package enum Reader: Hashable, Sendable, CaseIterable {
        case apple, google
    }

    package let text: String
    private let reader: Reader
    /// The patterns of which at least one must match.
    private let forms: [URLPattern]

    /// Apple ignores slashes at the end of pattern and path, needs none at the pattern's beginning, and lets
    /// `/x/*` match `/x` too. None of this is documented; it is what Apple's own `swcutil match` of macOS 27
    /// answers. Nothing like it is known of Google.
    package init(
        text: String, reader: Reader = .apple, variables: URLVariables = .predefined,
        ignoringCase: Bool = false
    ) {
        (self.text, self.reader) = (text, reader)
        var forms = [text]
        if reader == .apple {
            var whole = Self.trimmed(text)
            if whole.hasPrefix("/") { whole = "/" + whole.drop { $0 == "/" } }
            if !whole.isEmpty, !whole.hasPrefix("/"), !whole.hasPrefix("*") { whole = "/" + whole }
            forms = text.hasSuffix("/*") ? [whole, Self.trimmed(String(whole.dropLast(2)))] : [whole]
        }
        self.forms = forms.map { URLPattern($0, variables: variables, ignoringCase: ignoringCase) }
    }

    /// The first `$(name)` without a known list.
    var unknownVariable: String? { forms.first?.unknownVariable }

    package func matches(_ path: String) -> Bool {
        let path = reader == .apple ? Self.trimmed(path) : path
        return forms.contains { $0.matches(path) }
    }

    /// Whether it matches everything that the other one matches.
    package func covers(_ other: PathPattern) -> Bool {
        other.forms.allSatisfy { form in forms.contains { $0.covers(form) } }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
