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
    /// Of a credit its unit, of an offer the key of its campaign, of an event the program.
    var unit: String
    var amount: Int
    var state: State
    /// What ended it, or `operator` if one gave it; else nil.
    var cause: Cause?
    var reasons: [FraudRules.Reason]
    var createdAt: Date
    var dueAt: Date
    /// When it was given first.
    var approvedAt: Date?
    /// When Kith heard that its code was redeemed; nil: it was not.
    var settledAt: Date?
    /// When an operator gave it; nil: none did, or not the last time.
    var decidedAt: Date?
    var changedAt: Date

    enum Side: String, Codable, CaseIterable, Sendable { case inviter, invitee }

    enum Kind: String, Codable, CaseIterable, Sendable { case credit, offer, event }

    enum State: String, Codable, CaseIterable, Sendable {
        case pending, flagged, approved, assigned, settled, rejected, voided
        case clawedBack = "clawed_back"
        case expired

        /// Whether the ledger has it as given.
        var isGiven: Bool { [.approved, .assigned, .settled].contains(self) }
    }

    enum Cause: String, Codable, CaseIterable, Sendable {
        case rule, cap, refund, `operator`, deleted, unused

        /// What its user may hear of it: not that a rule knew them, nor what a friend did.
        var told: [String: EventFact] {
            switch self {
            case .rule, .refund, .deleted: [:]
            case .cap, .operator, .unused: ["cause": .text(rawValue)]
            }
        }
    }

    /// The same for the same program, invitee and side.
    static func id(_ program: String, _ invitee: User.ID, _ side: Side) -> UUID {
        UUID(hashing: [
            Array("reward".utf8), Array(program.utf8), invitee.uuid.bytes, Array(side.rawValue.utf8),
        ])
    }

    /// The unit in the ledger; nil: it has no posting.
    var ledgerUnit: String? {
        switch kind {
        case .credit: unit
        case .offer: Self.offerPrefix + unit
        case .event: nil
        }
    }

    static let offerPrefix = "offer:"

    /// What a budget counts it as: no unit of a credit has a colon.
    var budgetUnit: String { kind == .credit ? unit : "\(kind.rawValue):\(unit)" }

    /// What events tell of it.
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

/// Somebody who joined by an invite while a program ran.
struct Referral: Sendable {
    var invitee: User.ID
    var program: String
    var inviter: User.ID
    var signedUpAt: Date
    var qualifiedAt: Date?
    /// When Kith heard of the refund that holds; nil: of none.
    var refundedAt: Date?
    /// When the invitee deleted their account; nil: they did not.
    var leftAt: Date?

    func user(_ side: Reward.Side) -> User.ID { side == .inviter ? inviter : invitee }
    func other(_ side: Reward.Side) -> User.ID { side == .inviter ? invitee : inviter }
}
