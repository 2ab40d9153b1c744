import Counts
import Events
import Foundation
import Kernel

/// An event as it is counted, with what other tables say of it.
struct CountedEvent: Sendable {
    var kind: Event.Kind
    var user: UUID
    var other: UUID?
    var facts: [String: EventFact]
    var day: String
    var at: Date
    /// All domains of deep links.
    var domains: [LinkDomain] = []
    /// Whether another event tells the other user of the same end of a friendship, as always but of deleted
    /// accounts. Nobody looks at it of other kinds.
    var hasMirror = true
    /// How the user joined by the other's invite, or the other by the user's. Nil if neither did, or the two
    /// were friends before.
    var joining: Joining?

    /// How somebody joined by an invite.
    struct Joining: Sendable {
        /// `name`, `personal` or `custom`.
        var kind: String
        /// The deep link that brought them, as its sums name it.
        var link: String?
        /// When they went to the store, if they came through one.
        var tappedAt: Date?
        var inviter: Inviter
        /// Who joined, to remember their friendship. Nil of a sign-up, and of a deleted account.
        var invitee: UUID?
    }

    struct Inviter: Sendable {
        var id: UUID
        var joinedAt: Date?
        /// The day on which they signed up themselves.
        var joinedOn: String?
        /// Whether they have deleted their account since.
        var isGone = false
        /// Whether they joined by an invite themselves.
        var wasInvited = false
        /// Whether nobody joined by their invites before.
        var isNew = false
    }

    /// What it adds to.
    var tallies: [Tally] {
        switch kind {
        case .userSignedUp: signUp
        case .userDeleted: [of("people.deletions")]
        case .userSuspended: [of("people.suspensions")]
        case .userReturned: [of("people.returns")]
        case .userRenamed: [of("people.renames")]
        case .inviteCreated: [of("invites.made", [.kind: facts["kind"]?.text ?? ""])]
        case .friendRequested: [of("friendships.requested")]
        case .friendCreated: (isFirst ? friendship : []) + answer
        case .friendRequestEnded: answer
        case .friendEnded: isFirst || !hasMirror ? [of("friendships.ended")] : []
        case .offerDealt: [of("offers.dealt", [.item: facts["campaign"]?.text ?? ""])]
        case .purchaseStarted: purchase("purchases.started") + redemption
        case .purchaseRenewed: purchase("purchases.renewed") + redemption
        case .purchaseEnded: purchase("purchases.ended")
        case .purchaseRefunded: purchase("purchases.refunded")
        case .rewardEarned: [reward("rewards.earned")]
        case .rewardFlagged: [reward("rewards.flagged")]
        case .rewardApproved: [reward("rewards.approved")]
        case .rewardSettled: [reward("rewards.settled")]
        case .rewardEnded: [reward("rewards.ended")]
        case .rewardClawedBack: [reward("rewards.clawed_back")]
        case .inviteUsed, .inviteRevoked, .friendUpdated, .installClaimed, .offerLow,
            .offerExpiring, .purchaseChanged, .purchaseBillingFailed, .purchaseRecovered, .purchaseCancelled,
            .purchaseResumed, .purchaseRefundReversed:
            []
        }
    }

    private func of(_ measure: String, _ parts: [CountDimension: String] = [:]) -> Tally {
        Tally(.init("", measure, on: day), parts: parts)
    }

    /// Whether it is the first of the two events that tell both of one thing.
    var isFirst: Bool { other.map { user.uuidString < $0.uuidString } ?? true }

    /// What became of a request that waited for the user. It was withdrawn if they did nothing about it.
    private var answer: [Tally] {
        guard let cause = facts["cause"]?.text ?? (kind == .friendCreated ? nil : "withdrawn") else {
            return []
        }
        return [of("friendships.answered", [.cause: cause])]
    }

    private func purchase(_ measure: String) -> [Tally] {
        guard facts["environment"]?.text == "production", facts["simulated"] == nil else { return [] }
        return [of(measure, [.item: facts["productId"]?.text ?? ""])]
    }

    private var redemption: [Tally] {
        guard let offer = facts["offer"]?.text else { return [] }
        return purchase("offers.redeemed").map { Tally($0.key, parts: [.item: offer]) }
    }

    private func reward(_ measure: String) -> Tally {
        of(
            measure,
            [.item: facts["program"]?.text ?? "", .cause: (facts["cause"] ?? facts["verdict"])?.text ?? ""])
    }
}

/// How people come, and become friends.
extension CountedEvent {
    /// What the event says of where the user came from.
    private var origin: [CountDimension: String] {
        let names: [CountDimension: String] = [
            .platform: "platform", .country: "country", .language: "language", .app: "app",
            .campaign: "campaign",
        ]
        return names.compactMapValues { facts[$0]?.text }
    }

    private var signUp: [Tally] {
        let cause = other == nil ? "alone" : "invited"
        var tallies = [of("people.sign_ups", origin.merging([.cause: cause]) { $1 })]
        if let link = facts["link"]?.text { tallies += ofLink(link, "links.sign_ups", origin) }
        guard let joining else { return tallies }
        tallies.append(of("invites.sign_ups", origin.merging([.kind: joining.kind]) { $1 }))
        return tallies + ofInviter(joining.inviter)
    }

    /// A sign-up as one of its inviter.
    private func ofInviter(_ inviter: Inviter) -> [Tally] {
        var tallies: [Tally] = []
        if !inviter.isGone {
            let subject = inviter.id.uuidString.lowercased()
            // Of all days together, since who ever brought most is asked first for who did in some of them.
            tallies += [day, Tally.Key.ever].map { Tally(.init(subject, "invites.sign_ups", on: $0)) }
        }
        if inviter.isNew, inviter.wasInvited { tallies.append(of("invites.passed_on")) }
        if let joined = inviter.joinedAt, let day = inviter.joinedOn,
            let measure = Cohort.measure("joined", at.timeIntervalSince(joined))
        {
            tallies.append(Tally(.init("", measure, on: day)))
        }
        return tallies
    }

    private var friendship: [Tally] {
        let all = of("friendships.made", [.cause: joining == nil ? "other" : "invite"])
        guard let joining else { return [all] }
        var tallies = [all, of("invites.friendships", [.kind: joining.kind])]
        if let link = joining.link { tallies += ofLink(link, "links.friendships", [:]) }
        // By this one it is known from now on that the pair was counted.
        if let invitee = joining.invitee {
            let subject = invitee.uuidString.lowercased()
            tallies.append(Tally(.init(subject, "invites.friendships", on: day)))
        }
        if let tapped = joining.tappedAt {
            let seconds = CountDuration.value(at.timeIntervalSince(tapped))
            tallies.append(of("invites.time_to_friendship", [.seconds: seconds]))
        }
        return tallies
    }

    private func ofLink(_ link: String, _ measure: String, _ parts: [CountDimension: String]) -> [Tally] {
        CountSubject.ofDeepLink(link, in: domains).map { Tally(.init($0, measure, on: day), parts: parts) }
    }
}
