package import Web

/// The keys by which operators call the entries of a file, and parts of these: policies, experiments,
/// variations, goals, rules, campaigns.
package enum EntryKey {
    static let most = 32
    package static let form = "1 to \(most) of letters, digits, - and _, the first of which is a letter"

    /// Whether a text is a key. There is no regular expression here, which each call would parse.
    package static func isOne(_ text: some StringProtocol) -> Bool {
        (1...most).contains(text.utf8.count) && text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy(letters.contains)
    }

    /// The characters of a key.
    package static let letters = ASCIISet.alphanumeric + "-_"
}
