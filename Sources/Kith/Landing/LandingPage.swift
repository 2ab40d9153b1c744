/// What one landing page shows: a person, links to them in the app, and the QR symbol of their link.
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
    /// The path of the QR symbol, as in `/users/hanako/qr.svg?invitedBy=…`.
    var qrURL: String
    /// The absolute URL of a PNG of `QRCode.previewSide` pixels, for link previews.
    var imageURL: String
    /// The same place inside the app; shown only if its scheme is the app's own.
    var openURL: String?
    var language: Language

    /// The display name, or the username if there is none that can be seen.
    var name: String { visibleDisplayName ?? username }

    var visibleDisplayName: String? {
        guard let displayName, displayName.contains(where: \.isVisible) else { return nil }
        return displayName
    }

    /// The text of the round picture: the first letter, digit or emoji of the name.
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
