import Web

/// A username that the policy allows.
package struct Username: Equatable, Sendable {
    /// The username as it was typed.
    package let text: String
    package let key: Key

    package init(text: String, key: Key) {
        self.text = text
        self.key = key
    }

    /// The folded username, with ASCII letters in lower case. Usernames with the same key are the same.
    ///
    /// A key may be any name in a link, even an imported one that the policy would not allow, with letters
    /// that have two encodings.
    package struct Key: ByteText, Sendable, CustomStringConvertible {
        /// How many code points a key may have. `UsernamePolicy` bounds new names.
        static let longest = 64

        package let text: String

        /// Nil if the text is empty, longer than `longest`, or contains control characters.
        package init?(_ text: some StringProtocol) {
            let text = String(text)
            guard text.isOneLine(ofAtMost: Self.longest) else { return nil }
            self.text = Self.fold(text)
        }

        /// Folds a stored username.
        package init(of username: String) {
            text = Self.fold(username)
        }

        private static func fold(_ text: String) -> String {
            guard text.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return text }
            return String(
                decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        }

        package var description: String { text }
    }
}

extension StringProtocol {
    /// Whether the text has 1 to `limit` scalars, and no control character (general category Cc).
    package func isOneLine(ofAtMost limit: Int) -> Bool {
        var count = 0
        for scalar in unicodeScalars {
            count += 1
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            if isControl || count > limit { return false }
        }
        return count > 0
    }
}
