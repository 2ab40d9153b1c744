import Web

/// A text that operators set, and apps and pages ask for.
package struct RemoteValue: Hashable, Sendable {
    /// The standard text. Nil if there is none unless a rule or an experiment gives one.
    var standard: String?
    /// The rules, in the order in which they are tried.
    var rules: [Rule] = []

    struct Rule: Hashable, Sendable {
        var key: String
        var when: Targeting
        var priority: Int
        var text: String
    }

    /// Returns the text of the first rule whose conditions hold, or the standard one.
    func text(for asking: AskingApp) -> String? {
        rules.first { $0.when.miss(asking, key: $0.key) == nil }?.text ?? standard
    }

    /// Whether the text is 1 to 64 letters, digits, hyphens and underscores in parts with dots between them.
    static func isName(_ text: String) -> Bool {
        let letters = ASCIISet.alphanumeric + "_-."
        return (1...64).contains(text.utf8.count) && text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy(letters.contains) && !text.contains("..") && text.last != "."
    }

    static let mostBytes = 10_000
}
