import Foundation

// Offer codes of the App Store, and purchases.
extension KithClient {
    /// Deals the user an offer code; again, the same one. Open its `url`, or show `qr` to somebody at a
    /// computer. 409 `campaign_empty` and `campaign_budget_used` say that there is none now.
    public func offer(_ campaign: String) async throws -> OfferCode {
        try await send(Call(method: "POST", path: "/v1/me/offers/\(Call.part(campaign))"))
    }

    /// Shows a purchase, which is the user's from then on. Call it for each transaction that StoreKit
    /// verified.
    /// - Parameter transaction: the `jwsRepresentation` of StoreKit's `VerificationResult`.
    public func show(transaction: String) async throws -> Purchase {
        try await send(
            Call(method: "POST", path: "/v1/me/transactions", body: ["signedTransaction": transaction]))
    }

    /// What the user bought, what they redeemed by offer codes and until when, and the codes that they were
    /// dealt.
    public func purchases(in environment: StoreEnvironment = .production) async throws -> Purchases {
        try await send(Call(path: "/v1/me/purchases", query: [("environment", environment.rawValue)]))
    }
}

/// A code of an offer: for this user alone, or one that all share.
public struct OfferCode: Codable, Hashable, Sendable {
    public let campaign: String
    public let code: String
    /// Redeems it in the App Store.
    public let url: URL
    /// The same as a QR symbol: an SVG.
    public let qr: String
    /// Nil: of a code that all share, nobody knows.
    public let expiresAt: Date?
}

/// A purchase in the App Store, as Apple signed it.
public struct Purchase: Codable, Hashable, Sendable {
    public let originalTransactionId: String
    public let environment: StoreEnvironment
    /// An operator simulated it; there is no purchase.
    public let simulated: Bool
    public let productId: String
    public let type: String
    public let familyShared: Bool
    public let startedAt: Date
    public let active: Bool
    /// Of the period that counts: of those that they have, the one that ends last, or else the newest.
    public let transactionId: String
    /// Of a consumable there may be several.
    public let quantity: Int
    public let purchasedAt: Date
    /// Nil: never.
    public let expiresAt: Date?
    /// Nil: Apple did not take it back.
    public let revokedAt: Date?
    /// Nil: not known, or it cannot.
    public let autoRenews: Bool?
    /// The product at the next renewal.
    public let renewsAs: String?
    /// Whether the last payment failed, and Apple still tries.
    public let billingFailed: Bool
    /// `consumedAt`: when a backend gave what a consumable is.
    public let graceUntil, endedAt, consumedAt: Date?
    /// The period that Apple took back last.
    public let refunded: Refund?

    public struct Refund: Codable, Hashable, Sendable {
        public let transactionId: String
        public let productId: String
        public let quantity: Int
        public let purchasedAt: Date
        public let expiresAt: Date?
        public let revokedAt: Date
    }
}

public struct Purchases: Codable, Hashable, Sendable {
    /// Give it to StoreKit as `appAccountToken`, so that Kith knows whose a purchase is.
    public let appAccountToken: UUID
    public let purchases: [Purchase]
    public let redemptions: [Redemption]
    public let assigned: [Assigned]

    /// What came by an offer code.
    public struct Redemption: Codable, Hashable, Sendable {
        public let campaign: String?
        /// The reference name of the offer.
        public let offer: String?
        public let productId: String
        public let originalTransactionId: String
        public let redeemedAt: Date
        public let active: Bool
        /// Nil: for ever.
        public let until: Date?
        /// When the campaign dealt them the code; nil if it was no code of Kith's.
        public let assignedAt: Date?
    }

    /// A code that the user was dealt.
    public struct Assigned: Codable, Hashable, Sendable {
        public let campaign: String
        public let at: Date
        public let expiresAt: Date
    }
}

/// Where a purchase was made.
public struct StoreEnvironment: OpenValue {
    public static let production: Self = "production"
    public static let sandbox: Self = "sandbox"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
