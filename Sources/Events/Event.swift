import Foundation
package import Kernel

/// Something that happened to a user, for backends, apps and others that must learn it: docs/events.md.
package struct Event: Sendable {
    /// The event's number. It is greater than those of all earlier events, and never changes.
    package var id: Int64
    package var kind: Kind
    var at: Date
    /// The user whose events are told in this order.
    package var userID: User.ID
    /// The user to whom it happened.
    var user: Party
    /// The other user whom it is about. Nil if there is none.
    var other: Party?
    /// Further facts, by the names of docs/events.md.
    var facts: [String: EventFact] = [:]
    /// How many friend requests wait for the user now.
    var badge = 0

    package enum Kind: String, CaseIterable, Codable, Sendable {
        case userSignedUp = "user.signed_up"
        case userRenamed = "user.renamed"
        case userSuspended = "user.suspended"
        case userReturned = "user.returned"
        case userDeleted = "user.deleted"
        case inviteCreated = "invite.created"
        case inviteUsed = "invite.used"
        case inviteRevoked = "invite.revoked"
        case friendRequested = "friend.requested"
        case friendRequestEnded = "friend.request_ended"
        case friendCreated = "friend.created"
        case friendEnded = "friend.ended"
        case friendUpdated = "friend.updated"
        case installClaimed = "install.claimed"
        case offerDealt = "offer.dealt"
        case offerLow = "offer.low"
        case offerExpiring = "offer.expiring"
        case purchaseStarted = "purchase.started"
        case purchaseRenewed = "purchase.renewed"
        case purchaseChanged = "purchase.changed"
        case purchaseBillingFailed = "purchase.billing_failed"
        case purchaseRecovered = "purchase.recovered"
        case purchaseCancelled = "purchase.cancelled"
        case purchaseResumed = "purchase.resumed"
        case purchaseEnded = "purchase.ended"
        case purchaseRefunded = "purchase.refunded"
        case purchaseRefundReversed = "purchase.refund_reversed"
        case rewardEarned = "reward.earned"
        case rewardFlagged = "reward.flagged"
        case rewardApproved = "reward.approved"
        case rewardSettled = "reward.settled"
        case rewardEnded = "reward.ended"
        case rewardClawedBack = "reward.clawed_back"
    }

    /// A user as an event shows them now.
    enum Party: Sendable {
        case profile(User.Profile)
        /// A user of whom no more is shown, as in `GET /v1/me/changes`.
        case uid(User.UID)
        /// The account was deleted. For another user it may also be suspended, so that nobody can tell which.
        case nobody
    }
}

extension Event.Kind {
    /// Whether the app may show it to the user. If not, it is for the backend alone.
    var isForUser: Bool {
        switch self {
        case .userSuspended, .userReturned, .userDeleted, .installClaimed, .offerLow, .offerExpiring,
            .rewardFlagged:
            false
        default: true
        }
    }

    /// Whether a webhook that names no types gets it. Friends' new profiles may be very many, and only phones
    /// need them.
    package var isUsual: Bool { self != .friendUpdated }

    /// Whether it happened to no user.
    var isOfNobody: Bool { self == .offerLow || self == .offerExpiring }

    /// The name of the member that holds the other user.
    var nameOfOther: String? {
        switch self {
        case .userSignedUp: "inviter"
        case .inviteUsed: "invitee"
        case .friendRequested, .friendRequestEnded, .friendCreated, .friendEnded, .friendUpdated: "friend"
        case .rewardEarned, .rewardFlagged, .rewardApproved, .rewardSettled, .rewardEnded, .rewardClawedBack:
            "other"
        default: nil
        }
    }

    /// Whether the event removes the other user from what the user sees.
    var isEnd: Bool { self == .friendEnded || self == .friendRequestEnded }
}
