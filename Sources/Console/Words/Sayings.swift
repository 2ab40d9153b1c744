import Foundation

/// What the API says in English, in another language: by what it says, or by the code of a refusal.
struct Sayings: Sendable {
    /// A saying with values, cut at these.
    private struct Pattern {
        /// What stands around the values.
        let pieces: [String]
        let names: [String]
        let text: String

        /// - Parameter english: the saying, in which names in braces stand for values: capitals for sayings,
        ///   others for what stays as it is.
        init(_ english: String, _ text: String) {
            names = english.matches(of: /\{[a-zA-Z]\}/).map { String($0.0) }
            pieces = english.split(separator: /\{[a-zA-Z]\}/, omittingEmptySubsequences: false).map(
                String.init)
            self.text = text
        }

        /// Returns the values in a text. Nil if it says something else: no value ends a sentence.
        func values(in text: String) -> [String]? {
            guard text.hasPrefix(pieces[0]) else { return nil }
            var (rest, values) = (text.dropFirst(pieces[0].count), [String]())
            for piece in pieces.dropFirst().dropLast() {
                guard let next = rest.firstRange(of: piece) else { return nil }
                values.append(String(rest[..<next.lowerBound]))
                rest = rest[next.upperBound...]
            }
            guard let last = pieces.last, rest.hasSuffix(last) else { return nil }
            values.append(String(rest.dropLast(last.count)))
            return values.contains { $0.contains(". ") } ? nil : values
        }
    }

    private let texts: [String: String]
    /// The sayings with values. Those that say most come first.
    private let patterns: [Pattern]

    init(_ texts: [String: String]) {
        self.texts = texts
        patterns = texts.filter { $0.key.contains("{") }.map { Pattern($0.key, $0.value) }
            .sorted { $0.pieces.joined().count > $1.pieces.joined().count }
    }

    /// Returns what the code of a refusal means, in which `{detail}` stands for what else the API says.
    func meaning(of code: String) -> String? { texts["problem.\(code)"] }

    /// Returns the same in the other language. Nil if there are no words for it.
    func callAsFunction(_ english: String) -> String? {
        // Texts have values that anybody may have chosen.
        var looks = Self.mostLooks
        return english.utf8.count > Self.mostBytes ? nil : said(english, &looks)
    }

    /// The longest text that is looked up.
    private static let mostBytes = 1_000
    /// How many sayings in a saying are looked up: a list of twenty, of which each is a sentence or two.
    private static let mostLooks = 100

    private func said(_ english: String, _ looks: inout Int) -> String? {
        if let text = texts[english] { return text }
        guard looks > 0 else { return nil }
        looks -= 1
        // "`version` is missing.", "policies.old-ios.target: is missing", or with the title of the field.
        let subject = /(`[^`]+`(?= .*\.$)|“[^”]+”:?|[\w\-]+(?:\.[\w\-]+)+:) (.+?)\.?/
        if let parts = english.wholeMatch(of: subject) {
            return said(String(parts.2), &looks).map { "\(Self.name(parts.1))：\($0)" }
        }
        for pattern in patterns {
            guard let values = pattern.values(in: english) else { continue }
            if let text = text(of: pattern, values, &looks) { return text }
        }
        return sentences(english, &looks)
    }

    private static func name(_ subject: Substring) -> String {
        let name = subject.trimmingCharacters(in: CharacterSet(charactersIn: "`“”:"))
        return subject.hasPrefix("“") || subject.hasPrefix("`") ? "「\(name)」" : name
    }

    /// Returns a saying with its values. Nil if one should be a saying, and there are no words for it.
    private func text(of pattern: Pattern, _ values: [String], _ looks: inout Int) -> String? {
        var said: [String: String] = [:]
        for (name, value) in zip(pattern.names, values) {
            let isSaying = name != name.lowercased()
            guard let value = isSaying ? list(value, &looks) : value else { return nil }
            said[name] = value
        }
        // In one pass: a value may look like a name.
        return pattern.text.replacing(/\{[a-zA-Z]\}/) { said[String($0.0)] ?? String($0.0) }
    }

    /// Returns a saying, or several with commas between them.
    private func list(_ text: String, _ looks: inout Int) -> String? {
        if let said = said(text, &looks) { return said }
        let parts = text.split(separator: ", ")
        let said = parts.compactMap { self.said(String($0), &looks) }
        return parts.count > 1 && said.count == parts.count ? said.joined(separator: "、") : nil
    }

    /// Returns several sentences. Nil unless there are words for all of them.
    private func sentences(_ english: String, _ looks: inout Int) -> String? {
        for (mark, end) in [(". ", "."), ("; ", "")] {
            guard let range = english.firstRange(of: mark) else { continue }
            guard let first = said(english[..<range.lowerBound] + end, &looks) else { return nil }
            return said(String(english[range.upperBound...]), &looks).map { first + $0 }
        }
        return nil
    }
}
