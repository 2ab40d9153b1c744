import Counts
import Events
import Foundation

/// An event as it is counted, with what other tables say of it.
struct CountedEvent: Sendable {
    var kind: Event.Kind
    var user: UUID
    var other: UUID?
    var facts: [String: EventFact]
    var day: String
    var at: Date
    /// Whether another event tells the other user of the same, as always but of deleted accounts.
    var hasMirror = true
    /// Whether the user has deleted their account since.
    var isGone = false
    /// Whether one of the two signed up by the other's invite.
    var isByInvite = false
    /// `personal` or `custom`, of the code that the facts name.
    var kindOfCode: String?

    /// What it adds to.
    var tallies: [Tally] {
        switch kind {
        case .userSignedUp: [of("people.sign_ups", [.cause: other == nil ? "alone" : "invited"])]
        case .userDeleted: [of("people.deletions")]
        case .userSuspended: [of("people.suspensions")]
        case .userReturned: [of("people.returns")]
        case .userRenamed: [of("people.renames")]
        case .inviteCreated: [of("invites.made", [.kind: facts["kind"]?.text ?? ""])]
        case .inviteUsed:
            [of("invites.sign_ups", [.kind: kindOfCode ?? "name"])]
                + (isGone ? [] : [Tally(.init(user.uuidString.lowercased(), "invites.sign_ups", on: day))])
        case .friendRequested: [of("friendships.requested")]
        case .friendCreated: isFirst ? friendship : []
        case .friendEnded: isFirst || !hasMirror ? [of("friendships.ended")] : []
        case .offerDealt: [of("offers.dealt", [.item: facts["campaign"]?.text ?? ""])]
        case .purchaseStarted: purchase("purchases.started")
        case .purchaseRenewed: purchase("purchases.renewed")
        case .purchaseEnded: purchase("purchases.ended")
        case .purchaseRefunded: purchase("purchases.refunded")
        case .rewardEarned: [reward("rewards.earned")]
        case .rewardFlagged: [reward("rewards.flagged")]
        case .rewardApproved: [reward("rewards.approved")]
        case .rewardEnded: [reward("rewards.ended")]
        case .rewardClawedBack: [reward("rewards.clawed_back")]
        case .inviteRevoked, .friendRequestEnded, .friendUpdated, .installClaimed, .offerLow, .offerExpiring,
            .purchaseChanged, .purchaseBillingFailed, .purchaseRecovered, .purchaseCancelled,
            .purchaseResumed,
            .purchaseRefundReversed, .rewardSettled:
            []
        }
    }

    private func of(_ measure: String, _ parts: [CountDimension: String] = [:]) -> Tally {
        Tally(.init("", measure, on: day), parts: parts)
    }

    /// Whether it is the first of the two events that tell both of one thing.
    var isFirst: Bool { other.map { user.uuidString < $0.uuidString } ?? true }

    private var friendship: [Tally] {
        [of("friendships.made", [.cause: isByInvite ? "invite" : "other"])]
            + (isByInvite ? [of("invites.friendships")] : [])
    }

    private func purchase(_ measure: String) -> [Tally] {
        guard facts["environment"]?.text == "production", facts["simulated"] == nil else { return [] }
        return [of(measure, [.item: facts["productId"]?.text ?? ""])]
    }

    private func reward(_ measure: String) -> Tally {
        of(measure, [.item: facts["program"]?.text ?? "", .cause: facts["cause"]?.text ?? ""])
    }
}
