/// A username that a user may choose: it has the form that the policy asks for and is not reserved.
struct Username: Equatable, Sendable {
    /// As typed.
    let text: String
    let key: Key

    /// What makes two usernames the same: the ASCII letters in lower case.
    ///
    /// A key may be anything that a link can name, also names of other systems that no policy here
    /// would allow.
    struct Key: Hashable, Sendable, CustomStringConvertible {
        let text: String

        /// Nil where the text is empty, longer than 64 characters, or holds control characters.
        init?(_ text: some StringProtocol) {
            guard text.isOneLine(ofAtMost: 64) else { return nil }
            self.text = Self.fold(text)
        }

        /// That of a username that is stored.
        init(of username: String) {
            text = Self.fold(username)
        }

        private static func fold(_ text: some StringProtocol) -> String {
            guard text.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return String(text) }
            return String(
                decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        }

        var description: String { text }

        // As uids are: an imported name may have letters that can be written in two ways.
        static func == (left: Key, right: Key) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

extension StringProtocol {
    /// Not empty, so many scalars at the most, and no control character (general category Cc) among them.
    func isOneLine(ofAtMost limit: Int) -> Bool {
        var count = 0
        for scalar in unicodeScalars {
            count += 1
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            if isControl || count > limit { return false }
        }
        return count > 0
    }
}
