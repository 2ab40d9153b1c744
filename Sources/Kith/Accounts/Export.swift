import Foundation

/// All that is stored of a user, for themselves. Of others it says what the lists say: one who is suspended or
/// deleted is not in it.
///
/// This is what every account has one of; the lists follow part by part, as `ExportStore` reads them.
struct Export: Encodable, Sendable {
    var profile: Profile
    /// Nil only where the account was not made by a sign-up.
    var signUp: SignUp?
    var invitedBy: Origin?

    struct Profile: Encodable, Sendable {
        var uid: String
        var username: String
        var displayName: String?
        var status: String
        var createdAt: Date
        /// The short code of the permanent link.
        var inviteCode: String?
        /// Since then an operator has the user's invites frozen.
        var invitesFrozenAt: Date?
    }

    /// What the sign-up was asked and answered.
    struct SignUp: Encodable, Sendable {
        var username: String
        var displayName: String?
        var invite: String
        var reason: String?
        var friendship: String
        var at: Date
    }

    struct Name: Encodable, Sendable {
        var username: String
        var from: Date
        var to: Date?
        var severed: Bool
        /// Until then nobody else gets it.
        var heldUntil: Date?
    }

    /// By whose invite the user signed up.
    struct Origin: Encodable, Sendable {
        /// Nil where the inviter is not to be seen.
        var inviter: User.Profile?
        /// Nil: the permanent link.
        var code: String?
        var at: Date
    }

    struct Person: Encodable, Sendable {
        var uid: String
        var username: String
        var displayName: String?
        var at: Date
        /// Nil: the permanent link.
        var code: String?
    }

    struct Link: Encodable, Sendable {
        var code: String
        /// `personal` or `extra`, as custom links are called here.
        var kind: String
        var friendship: String
        var label: String?
        var maxUses: Int?
        var uses: Int
        var expiresAt: Date?
        var revokedAt: Date?
        var createdAt: Date
        var idempotencyKey: String?
    }

    struct UsedLink: Encodable, Sendable {
        var code: String
        var at: Date
    }

    struct Declined: Encodable, Sendable {
        var uid: String
        var times: Int
        /// Until then a new request is not shown.
        var quietUntil: Date?
    }

    struct Dismissed: Encodable, Sendable {
        var uid: String
        var at: Date
    }
}
