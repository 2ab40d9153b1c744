/// What one landing page shows: a person, links to them in the app, and the QR symbol of their link.
struct LandingPage: Nameplate, Hashable, Sendable {
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
    /// The person's picture, if its host is allowed now.
    var avatarUrl: String?
    /// Absolute, complete, percent-encoded.
    var url: String
    /// The path of the QR symbol, as in `/users/hanako/qr.svg?invitedBy=…`.
    var qrURL: String
    /// The absolute URL of the card.
    var imageURL: String
    /// The same place inside the app; shown only if its scheme is the app's own.
    var openURL: String?
    var language: Language
}
