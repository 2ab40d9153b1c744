import Foundation

/// All that is stored of a user, for himself. Of others it says what the lists say: one who is suspended,
/// deleted or blocks the user is not in it.
struct Export: Encodable, Sendable {
    var profile: Profile
    /// Nil only where the account was not made by a sign-up.
    var signUp: SignUp?
    /// Oldest first.
    var usernames: [Name] = []
    var invitedBy: Origin?
    var invited: [Person] = []
    var invites: [Link] = []
    /// Other users' links that the user came through, oldest first.
    var usedLinks: [UsedLink] = []
    var friends: [Friend] = []
    var requests = Requests()
    var blocks: [BlockedUser] = []
    var declined: [Declined] = []
    /// Whom the user no longer wants to be suggested.
    var dismissed: [Dismissed] = []

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
        /// `personal` or `extra`.
        var kind: String
        var friendship: String
        var label: String?
        var maxUses: Int?
        var uses: Int
        var expiresAt: Date?
        var revokedAt: Date?
        var createdAt: Date
        var idempotencyKey: String?
        var joined: [Person] = []
    }

    struct UsedLink: Encodable, Sendable {
        var code: String
        var at: Date
    }

    struct Requests: Encodable, Sendable {
        var incoming: [FriendRequest] = []
        var outgoing: [FriendRequest] = []
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
