import Foundation

/// The variables that patterns of a file may name: the file's own and those that are predefined.
package struct URLVariables: Hashable, Sendable {
    /// The texts for which a variable may stand. They may hold `*` and `?`, but no variables.
    struct List: Hashable, Sendable {
        let name: String
        /// The texts by their first characters, since a list may be long.
        let byHead: [Unicode.Scalar: [[URLPattern.Token]]]
        /// The texts that begin with a wildcard or are empty.
        let others: [[URLPattern.Token]]

        init(_ name: String, _ texts: [String]) {
            self.name = name
            let values = texts.map { text in
                var tokens: [URLPattern.Token] = []
                tokens.append(text: text)
                return tokens
            }
            byHead = Dictionary(grouping: values.filter { $0.first?.scalar != nil }) { $0[0].scalar ?? "*" }
            others = values.filter { $0.first?.scalar == nil }
        }

        /// Compares the names: a name stands for one list in a file.
        static func == (one: Self, other: Self) -> Bool { one.name == other.name }

        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    private let exact: [String: List]
    private let folded: [String: List]

    package init(_ texts: [String: [String]]) {
        let all = Self.standard.merging(texts) { _, own in own }
        exact = Dictionary(uniqueKeysWithValues: all.map { ($0, List($0, $1)) })
        folded = Dictionary(uniqueKeysWithValues: all.map { ($0, List($0, $1.map { $0.lowercased() })) })
    }

    func list(_ name: String, ignoringCase: Bool) -> List? {
        ignoringCase ? folded[name] : exact[name]
    }

    package static let predefined = URLVariables([:])

    /// The lists of
    /// https://developer.apple.com/documentation/bundleresources/applinks/substitutionvariables-swift.dictionary
    private static let standard: [String: [String]] = {
        let upper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(Unicode.Scalar($0)) }
        let lower = upper.map { $0.lowercased() }
        let digits = (0...9).map(String.init)
        return [
            "alpha": upper + lower, "upper": upper, "lower": lower, "alnum": upper + lower + digits,
            "digit": digits, "xdigit": digits + upper.prefix(6) + lower.prefix(6),
            "region": Locale.Region.isoRegions.map(\.identifier).filter { $0.count == 2 },
            "lang": Locale.LanguageCode.isoLanguageCodes.map(\.identifier),
        ]
    }()
}

extension [URLPattern.Token] {
    /// Appends a text's characters and wildcards.
    mutating func append(text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "*": if last != .any { append(.any) }
            case "?": append(.one)
            default: append(.character(scalar))
            }
        }
    }
}
