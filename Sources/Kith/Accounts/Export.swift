import Foundation

/// Everything that is stored about a user, for that user. About others it contains what the lists show, without suspended
/// and deleted users.
///
/// This is the part that each account has once; the lists follow in parts, as `ExportStore` reads them.
struct Export: Encodable, Sendable {
    var profile: Profile
    /// Nil only if the account was not created by a sign-up.
    var signUp: SignUp?
    var invitedBy: Origin?

    struct Profile: Encodable, Sendable {
        var uid: String
        var username: String
        var displayName: String?
        var avatarUrl: String?
        var metadata: User.Metadata?
        var status: String
        var createdAt: Date
        /// What the user lets their invites do.
        var invites: String
        /// The short code of the permanent link.
        var inviteCode: String?
        /// When an operator froze the user's invites.
        var invitesFrozenAt: Date?
    }

    /// The sign-up's request and answer.
    struct SignUp: Encodable, Sendable {
        var username: String
        var displayName: String?
        var avatarUrl: String?
        var metadata: User.Metadata?
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
        /// Until when nobody else gets the name.
        var heldUntil: Date?
    }

    /// The invite by which the user signed up.
    struct Origin: Encodable, Sendable {
        /// Nil if the inviter may not be seen.
        var inviter: User.Profile?
        /// Nil for the permanent link.
        var code: String?
        var at: Date
    }

    typealias Person = User.Listed<Joining>

    struct Joining: Encodable, Sendable {
        var at: Date
        /// Nil for the permanent link.
        var code: String?
    }

    struct Link: Encodable, Sendable {
        var code: String
        /// `personal` for a short code of the permanent link, or `custom`.
        var kind: String
        var friendship: String
        var label: String?
        var note: String?
        var maxUses: Int?
        var uses: Int
        var expiresAt: Date?
        var revokedAt: Date?
        var createdAt: Date
        var idempotencyKey: String?
    }

    struct Offer: Encodable, Sendable {
        var campaign: String
        var at: Date
        var expiresAt: Date
    }

    struct Purchase: Encodable, Sendable {
        var originalTransactionId: String
        var environment: String
        var bundleId: String
        var type: String
        var at: Date
        var tiedAt: Date?
        /// When a backend gave what a consumable is.
        var consumedAt: Date?
        var transactions: [Transaction]

        struct Transaction: Codable, Sendable {
            var transactionId: String
            var productId: String
            var purchasedAt: String
            var expiresAt: String?
            var quantity: Int
            var offer: String?
            var revokedAt: String?
        }
    }

    /// An experiment in which the app names the user by uid.
    struct Exposure: Encodable, Sendable {
        var experiment: String
        var phase: Int
        var variation: String
        var at: Date
        var goals: [String]
    }

    struct UsedLink: Encodable, Sendable {
        var code: String
        var at: Date
    }

    struct Declined: Encodable, Sendable {
        var uid: String
        var times: Int
        /// Until when new requests are hidden.
        var quietUntil: Date?
    }

    struct Dismissed: Encodable, Sendable {
        var uid: String
        var at: Date
    }
}
