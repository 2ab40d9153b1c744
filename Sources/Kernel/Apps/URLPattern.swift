/// A pattern of a part of a URL, as association files have them: `*` is any text, even an empty one, `?` is
/// one character, and `$(name)` any text of a list. It must match the whole part
/// (https://developer.apple.com/documentation/bundleresources/applinks/details-swift.dictionary/components-swift.dictionary).
package struct URLPattern: Hashable, Sendable {
    enum Token: Hashable, Sendable {
        case character(Unicode.Scalar)
        case one
        case any
        case list(URLVariables.List)
    }

    let tokens: [Token]
    /// The first `$(name)` that has no known list, or does not end. Such a pattern matches nothing.
    package let unknownVariable: String?
    private let ignoringCase: Bool

    package init(_ text: String, variables: URLVariables = .predefined, ignoringCase: Bool = false) {
        var (tokens, unknown): ([Token], String?) = ([], nil)
        var rest = Substring(text)
        while let character = rest.first {
            guard rest.hasPrefix("$(") else {
                tokens.append(text: ignoringCase ? String(character).lowercased() : String(character))
                rest = rest.dropFirst()
                continue
            }
            let name = String(rest.dropFirst(2).prefix { $0 != ")" })
            rest = rest.dropFirst(2 + name.count)
            let list = rest.popFirst() == nil ? nil : variables.list(name, ignoringCase: ignoringCase)
            if list == nil { unknown = unknown ?? name }
            tokens.append(.list(list ?? URLVariables.List(name, [])))
        }
        (self.tokens, unknownVariable, self.ignoringCase) = (tokens, unknown, ignoringCase)
    }

    package func matches(_ text: String) -> Bool {
        let text = ignoringCase ? text.lowercased() : text
        return Self.match(tokens, text.unicodeScalars.map(Token.character))
    }

    /// Whether it matches everything that the other one matches. For patterns with lists it may wrongly say
    /// no.
    package func covers(_ other: URLPattern) -> Bool {
        (ignoringCase || !other.ignoringCase) && Self.match(tokens, other.tokens)
    }

    private static func match(_ tokens: [Token], _ text: [Token]) -> Bool {
        var places = [Bool](repeating: false, count: text.count + 1)
        places[0] = true
        return ends(tokens, text, places)[text.count]
    }

    /// Returns where in the text the tokens may end if they begin at one of these places. Its time is the
    /// number of tokens times the text's length.
    private static func ends(_ tokens: [Token], _ text: [Token], _ starts: [Bool]) -> [Bool] {
        var places = starts
        for token in tokens {
            var next = [Bool](repeating: false, count: places.count)
            switch token {
            case .any:
                guard let first = places.firstIndex(of: true) else { return places }
                for place in first..<places.count { next[place] = true }
            case .list(let list):
                for place in text.indices where places[place] && text[place] == token {
                    next[place + 1] = true
                }
                let heads = Set(text.indices.lazy.filter { places[$0] }.compactMap { text[$0].scalar })
                for value in heads.flatMap({ list.byHead[$0] ?? [] }) + list.others {
                    let reached = ends(value, text, places)
                    for place in reached.indices where reached[place] { next[place] = true }
                }
            case .one, .character:
                for place in text.indices where places[place] {
                    next[place + 1] = text[place] == token || (token == .one && text[place].scalar != nil)
                }
            }
            places = next
        }
        return places
    }
}

extension URLPattern.Token {
    var scalar: Unicode.Scalar? { if case .character(let scalar) = self { scalar } else { nil } }
}
