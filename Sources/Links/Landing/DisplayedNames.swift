import Kernel
import Web

/// A user's names, and how pages and cards show them.
protocol DisplayedNames {
    var displayName: String? { get }
    var username: String { get }
}

extension User.Profile: DisplayedNames {}

extension DisplayedNames {
    /// The display name, or the username if there is none that can be seen.
    var name: String { visibleDisplayName ?? username }

    var visibleDisplayName: String? {
        guard let displayName, displayName.unicodeScalars.contains(where: \.isVisible) else { return nil }
        return displayName
    }

    /// The text of the round picture: the first letter, digit or emoji of the name.
    var initial: String {
        let name = name
        if let letter = name.utf8.first, letter.isASCIILetter || letter.isASCIIDigit,
            // ASCII is enough if no combining mark follows.
            name.utf8.dropFirst().first ?? 0 < 0x80
        {
            return String(UnicodeScalar(letter)).uppercased()
        }
        guard let first = name.first(where: \.isInitial) ?? username.first else { return "" }
        // A character may carry thousands of combining marks, but no emoji has more than a dozen parts.
        let whole = first.unicodeScalars.count <= 12
        return (whole ? String(first) : String(String.UnicodeScalarView(first.unicodeScalars.prefix(1))))
            .uppercased()
    }

    /// One of the six colours of the style sheet, always the same for a username.
    var tint: Int { Int(username.utf8.reduce(0 as UInt32) { $0 &* 31 &+ UInt32($1) } % 6) }
}

extension Unicode.Scalar {
    /// Whether the letter can be seen. ASCII letters come first, since asking for properties is slow.
    fileprivate var isVisible: Bool {
        (0x21...0x7E).contains(value) || !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
    }
}

extension Character {
    fileprivate var isInitial: Bool {
        isLetter || isNumber || unicodeScalars.contains { $0.properties.isEmojiPresentation }
    }
}
