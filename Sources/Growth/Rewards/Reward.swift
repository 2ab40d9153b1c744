import Events
import Foundation
import Kernel
import Web

/// What one side gets for an invite.
struct Reward: Sendable {
    var id: UUID
    var user: User.ID
    var program: String
    var invitee: User.ID
    var side: Side
    var other: User.ID
    var kind: Kind
    /// The unit of a credit, the key of an offer's campaign, or the program of an event.
    var unit: String
    var amount: Int
    var state: State
    /// What ended it, or `operator` if an operator gave it. Nil otherwise.
    var cause: Cause?
    var reasons: [FraudRules.Reason]
    var createdAt: Date
    var dueAt: Date
    /// When it was first given.
    var approvedAt: Date?
    /// When Kith learned that its code was redeemed. Nil if it was not.
    var settledAt: Date?
    /// When an operator gave it. Nil if none did, or not the last time.
    var decidedAt: Date?
    var changedAt: Date

    enum Side: String, Codable, CaseIterable, Sendable { case inviter, invitee }

    enum Kind: String, Codable, CaseIterable, Sendable { case credit, offer, event }

    enum State: String, Codable, CaseIterable, Sendable {
        case pending, flagged, approved, assigned, settled, rejected, voided
        case clawedBack = "clawed_back"
        case expired

        /// Whether it counts as given in the ledger.
        var isGiven: Bool { [.approved, .assigned, .settled].contains(self) }
    }

    enum Cause: String, Codable, CaseIterable, Sendable {
        case rule, cap, refund, `operator`, deleted, unused

        /// What its user may learn about the cause: not that a rule recognized them, nor what a friend did.
        var told: [String: EventFact] {
            switch self {
            case .rule, .refund, .deleted: [:]
            case .cap, .operator, .unused: ["cause": .text(rawValue)]
            }
        }
    }

    /// Returns the id, which is the same for the same program, invitee and side.
    static func id(_ program: String, _ invitee: User.ID, _ side: Side) -> UUID {
        UUID(hashing: [
            Array("reward".utf8), Array(program.utf8), invitee.uuid.bytes, Array(side.rawValue.utf8),
        ])
    }

    /// The unit in the ledger. Nil if it has no posting.
    var ledgerUnit: String? {
        switch kind {
        case .credit: unit
        case .offer: Self.offerPrefix + unit
        case .event: nil
        }
    }

    static let offerPrefix = "offer:"

    /// The unit in which a budget counts it. No unit of a credit has a colon.
    var budgetUnit: String { kind == .credit ? unit : "\(kind.rawValue):\(unit)" }

    /// The facts that events have about it.
    var facts: [String: EventFact] {
        Self.facts(id, program, side, .init(kind: kind, unit: unit, amount: amount))
    }

    static func facts(
        _ id: UUID, _ program: String, _ side: Side, _ gift: RewardProgram.Gift
    ) -> [String: EventFact] {
        [
            "reward": .text(id.uuidString.lowercased()), "program": .text(program),
            "side": .text(side.rawValue),
            "kind": .text(gift.kind.rawValue), "unit": .text(gift.unit), "amount": .number(gift.amount),
        ]
    }
}

/// A user who joined by an invite while a program ran.
struct Referral: Sendable {
    var invitee: User.ID
    var program: String
    var inviter: User.ID
    var signedUpAt: Date
    var qualifiedAt: Date?
    /// When Kith learned of the refund that is in force. Nil if there is none.
    var refundedAt: Date?
    /// When the invitee deleted their account. Nil if they did not.
    var leftAt: Date?

    func user(_ side: Reward.Side) -> User.ID { side == .inviter ? inviter : invitee }
    func other(_ side: Reward.Side) -> User.ID { side == .inviter ? invitee : inviter }
}
