/// What one landing page shows: a person, the way to her in the app, and the QR symbol of her link.
struct LandingPage: Hashable, Sendable {
    enum Kind: CaseIterable, Hashable, Sendable {
        /// Signing up by the link makes the two friends.
        case invite
        /// Signing up by the link leaves a friend request.
        case ask
        /// The person, without an invite.
        case profile
    }

    var kind: Kind
    var displayName: String?
    var username: String
    /// Absolute, complete, percent-encoded.
    var url: String
    /// Path of the QR symbol, as in `/users/hanako/qr.svg?invitedBy=…`.
    var qrURL: String
    /// Absolute URL of a PNG of `QRCode.previewSide` pixels, for link previews.
    var imageURL: String
    /// The same place inside the app; shown only if its scheme is the app's own.
    var openURL: String?
    var language: Language

    /// The display name, or the username of those who gave none.
    var name: String { visibleDisplayName ?? username }

    var visibleDisplayName: String? {
        guard let displayName, displayName.contains(where: \.isVisible) else { return nil }
        return displayName
    }

    /// What stands in the round picture: the first letter, digit or emoji of the name.
    var initial: String {
        guard let first = name.first(where: \.isInitial) ?? username.first else { return "" }
        // A character may carry thousands of combining marks; no emoji has more than a dozen parts.
        let whole = first.unicodeScalars.count <= 12
        return (whole ? String(first) : String(String.UnicodeScalarView(first.unicodeScalars.prefix(1))))
            .uppercased()
    }

    /// One of the six colours of the style sheet, always the same for a username.
    var tint: Int { Int(username.utf8.reduce(0 as UInt32) { $0 &* 31 &+ UInt32($1) } % 6) }
}

extension Character {
    fileprivate var isVisible: Bool {
        !isWhitespace && unicodeScalars.contains { !$0.properties.isDefaultIgnorableCodePoint }
    }

    fileprivate var isInitial: Bool {
        isLetter || isNumber || unicodeScalars.contains { $0.properties.isEmojiPresentation }
    }
}
