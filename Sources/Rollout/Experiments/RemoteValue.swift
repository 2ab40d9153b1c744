import Web

/// A text that operators set, and apps and pages ask for.
package struct RemoteValue: Hashable, Sendable {
    /// Nil: it has none unless a rule or an experiment gives one.
    var standard: String?
    /// In the order in which they are asked.
    var rules: [Rule] = []

    struct Rule: Hashable, Sendable {
        var key: String
        var when: Targeting
        var priority: Int
        var text: String
    }

    /// That of the first rule whose conditions hold, or the standard one.
    func text(for asking: AskingApp) -> String? {
        rules.first { $0.when.miss(asking, key: $0.key) == nil }?.text ?? standard
    }

    /// 1 to 64 letters, digits, hyphens and underscores in parts with dots between them.
    static func isName(_ text: String) -> Bool {
        let letters = ASCIISet.alphanumeric + "_-."
        return (1...64).contains(text.utf8.count) && text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy(letters.contains) && !text.contains("..") && text.last != "."
    }

    static let mostBytes = 10_000
}
