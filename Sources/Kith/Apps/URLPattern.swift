import Foundation

/// A pattern of a part of a URL, as association files have them: `*` is any text, also none, `?` is one character, and
/// `$(name)` any text of a list. It must match the whole part
/// (https://developer.apple.com/documentation/bundleresources/applinks/details-swift.dictionary/components-swift.dictionary).
struct URLPattern: Hashable, Sendable {
    enum Token: Hashable, Sendable {
        case character(Unicode.Scalar)
        case one
        case any
        case list([[Token]])
    }

    let tokens: [Token]
    /// The first `$(name)` that no list is known for, or that does not end. Such a pattern matches nothing.
    let unknownVariable: String?

    /// - Parameter variables: those of the file; they may hold `*` and `?`, but no variables.
    init(_ text: String, variables: [String: [String]] = [:], ignoringCase: Bool = false) {
        var (tokens, unknown): ([Token], String?) = ([], nil)
        var rest = Substring(text)
        while let character = rest.first {
            guard rest.hasPrefix("$(") else {
                let scalars = ignoringCase ? String(character).lowercased() : String(character)
                Self.append(scalars, to: &tokens)
                rest = rest.dropFirst()
                continue
            }
            let name = String(rest.dropFirst(2).prefix { $0 != ")" })
            rest = rest.dropFirst(2 + name.count)
            if rest.popFirst() != nil, let list = variables[name] ?? Self.predefined[name] {
                tokens.append(
                    .list(
                        list.map { value in
                            var inner: [Token] = []
                            Self.append(ignoringCase ? value.lowercased() : value, to: &inner)
                            return inner
                        }))
            } else {
                unknown = unknown ?? name
                tokens.append(.list([]))
            }
        }
        (self.tokens, unknownVariable, self.ignoringCase) = (tokens, unknown, ignoringCase)
    }

    private let ignoringCase: Bool

    private static func append(_ text: String, to tokens: inout [Token]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "*": if tokens.last != .any { tokens.append(.any) }
            case "?": tokens.append(.one)
            default: tokens.append(.character(scalar))
            }
        }
    }

    func matches(_ text: String) -> Bool {
        let text = ignoringCase ? text.lowercased() : text
        return Self.match(tokens, text.unicodeScalars.map(Token.character))
    }

    /// Whether it matches all that the other one matches. It may say no of patterns with lists though it does.
    func covers(_ other: URLPattern) -> Bool {
        (ignoringCase || !other.ignoringCase) && Self.match(tokens, other.tokens)
    }

    private static func match(_ tokens: [Token], _ text: [Token]) -> Bool {
        var places = [Bool](repeating: false, count: text.count + 1)
        places[0] = true
        return ends(tokens, text, places)[text.count]
    }

    /// Where in the text the tokens may end that begin at one of these places; its time is their number times the text's
    /// length.
    private static func ends(_ tokens: [Token], _ text: [Token], _ starts: [Bool]) -> [Bool] {
        var places = starts
        for token in tokens {
            var next = [Bool](repeating: false, count: places.count)
            switch token {
            case .any:
                guard let first = places.firstIndex(of: true) else { return places }
                for place in first..<places.count { next[place] = true }
            case .list(let values):
                for place in text.indices where places[place] && text[place] == token {
                    next[place + 1] = true
                }
                for value in values {
                    let reached = ends(value, text, places)
                    for place in reached.indices where reached[place] { next[place] = true }
                }
            case .one, .character:
                for place in text.indices where places[place] {
                    next[place + 1] = text[place] == token || (token == .one && text[place].isCharacter)
                }
            }
            places = next
        }
        return places
    }
}

extension URLPattern.Token {
    fileprivate var isCharacter: Bool { if case .character = self { true } else { false } }
}

extension URLPattern {
    /// Those that every file may use
    /// (https://developer.apple.com/documentation/bundleresources/applinks/substitutionvariables-swift.dictionary).
    static let predefined: [String: [String]] = {
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
