package import Web

/// What operators call the entries of a file by, and what stands in them: policies, experiments, variations, goals, rules, campaigns.
package enum EntryKey {
    static let most = 32
    package static let form = "1 to \(most) of letters, digits, - and _, the first of which is a letter"

    /// Without a regular expression, which each call would parse.
    package static func isOne(_ text: some StringProtocol) -> Bool {
        (1...most).contains(text.utf8.count) && text.utf8.first?.isASCIILetter == true
            && text.utf8.allSatisfy(letters.contains)
    }

    /// What a key is made of.
    package static let letters = ASCIISet.alphanumeric + "-_"
}
