import Foundation

// Rewards for invites.
extension KithClient {
    /// What the user earned by invites, newest first, and what they have of each credit.
    /// - Parameters:
    ///   - after: the `next` of the page before.
    ///   - limit: 1 to 200.
    public func rewards(after: String? = nil, limit: Int = 100) async throws -> Rewards {
        try await send(Call(path: "/v1/me/rewards", query: [("limit", String(limit)), ("after", after)]))
    }
}

/// A page of rewards.
public struct Rewards: Codable, Hashable, Sendable {
    public let balances: [Balance]
    public let rewards: [Reward]
    /// Where the next page begins; nil: this is the last one.
    public let next: String?

    /// What the user has of a credit.
    public struct Balance: Codable, Hashable, Sendable {
        public let unit: String
        public let amount: Int
    }

    /// What somebody earned by an invite.
    public struct Reward: Codable, Hashable, Sendable {
        public let id: UUID
        public let program: String
        public let side: Side
        public let kind: Kind
        /// Of a credit its unit, of an offer the key of its campaign: ask for its code with `offer(_:)`.
        public let unit: String
        public let amount: Int
        public let state: State
        public let createdAt: Date
        /// Nil: it is not given yet.
        public let approvedAt: Date?
    }

    public struct Side: OpenValue {
        public static let inviter: Self = "inviter"
        public static let invitee: Self = "invitee"

        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct Kind: OpenValue {
        public static let credit: Self = "credit"
        public static let offer: Self = "offer"
        /// The backend gives it.
        public static let event: Self = "event"

        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct State: OpenValue {
        /// It waits.
        public static let pending: Self = "pending"
        /// Given.
        public static let approved: Self = "approved"
        /// The user took the code of the offer.
        public static let assigned: Self = "assigned"
        /// The user redeemed it.
        public static let settled: Self = "settled"
        public static let rejected: Self = "rejected"
        public static let voided: Self = "voided"
        public static let clawedBack: Self = "clawed_back"
        public static let expired: Self = "expired"

        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
