import Foundation
import Hummingbird

/// A purchase as its user sees it.
package struct PurchaseResponse: ResponseEncodable {
    let originalTransactionId: String
    let environment: OfferCampaign.Environment
    let bundleId: String
    /// Whether an operator simulated it, so that there is no purchase.
    let simulated: Bool
    let productId: String
    let type: String
    let familyShared: Bool
    let startedAt: Date
    let active: Bool
    /// The transaction of the current period, like the next four.
    let transactionId: String
    let quantity: Int
    let purchasedAt: Date
    let expiresAt: Date?
    let revokedAt: Date?
    let autoRenews: Bool?
    /// The product at the next renewal.
    let renewsAs: String?
    /// Whether the last payment failed, and Apple still tries.
    let billingFailed: Bool
    let graceUntil: Date?
    let endedAt: Date?
    let consumedAt: Date?
    /// The period that Apple took back last.
    let refunded: Refund?

    struct Refund: Encodable {
        let transactionId: String
        let productId: String
        let quantity: Int
        let purchasedAt: Date
        let expiresAt: Date?
        let revokedAt: Date

        init?(_ period: Purchase.Period?) {
            guard let period, let revoked = period.revokedAt else { return nil }
            (transactionId, productId, quantity) = (period.id, period.productID, period.quantity)
            (purchasedAt, expiresAt, revokedAt) = (period.purchasedAt, period.expiresAt, revoked)
        }
    }

    init(_ purchase: Purchase, at time: Date) {
        (originalTransactionId, environment) = (purchase.key.id, purchase.key.environment)
        bundleId = purchase.bundleID
        (simulated, type, familyShared) = (purchase.key.isSimulated, purchase.type, purchase.isFamilyShared)
        (startedAt, active) = (purchase.startedAt, purchase.isActive(at: time))
        let period = purchase.current(at: time)
        (productId, expiresAt) = (period?.productID ?? "", period?.expiresAt)
        (transactionId, quantity) = (period?.id ?? "", period?.quantity ?? 1)
        purchasedAt = period?.purchasedAt ?? purchase.startedAt
        (autoRenews, graceUntil, endedAt) = (purchase.autoRenews, purchase.graceUntil, purchase.endedAt)
        (renewsAs, billingFailed) = (purchase.renewsAs, purchase.isBillingFailed)
        revokedAt = period.flatMap { $0.isRevoked ? $0.revokedAt : nil }
        (consumedAt, refunded) = (purchase.consumption?.at, Refund(purchase.refunded))
    }
}

/// What a user bought and redeemed, with the codes that they were dealt.
package struct PurchasesResponse: ResponseEncodable {
    /// The token that the app gives StoreKit as `appAccountToken`, so that Kith knows to whom a purchase
    /// belongs.
    let appAccountToken: String
    let purchases: [PurchaseResponse]
    let redemptions: [RedemptionResponse]
    let assigned: [Assigned]

    struct RedemptionResponse: Encodable {
        let campaign: String?
        let offer: String?
        let productId: String
        let originalTransactionId: String
        let redeemedAt: Date
        let active: Bool
        let until: Date?
        /// When the campaign dealt them a code.
        let assignedAt: Date?

        init(_ redemption: Redemption) {
            (campaign, offer) = (redemption.campaign?.text, redemption.period.offer?.identifier)
            (productId, originalTransactionId) = (redemption.period.productID, redemption.key.id)
            (redeemedAt, active) = (redemption.period.purchasedAt, redemption.isActive)
            (until, assignedAt) = (redemption.until, redemption.dealt?.dealtAt)
        }
    }

    struct Assigned: Encodable {
        let campaign: String
        let at: Date
        let expiresAt: Date
    }
}

/// A purchase with its history, for operators.
package struct PurchaseRecordResponse: ResponseEncodable {
    let purchase: PurchaseResponse
    let bundleId: String
    let uid: String?
    let tiedAt: Date?
    let periods: [Period]
    let notifications: [Notification]

    struct Period: Encodable {
        let transactionId: String
        let productId: String
        let purchasedAt: Date
        let expiresAt: Date?
        let upgraded: Bool
        let quantity: Int
        let offerType: Int64?
        let offer: String?
        let revokedAt: Date?
        let revocationReason: Int64?
        let reversedAt: Date?
        let signedAt: Date

        init(_ period: Purchase.Period) {
            (transactionId, productId) = (period.id, period.productID)
            (purchasedAt, expiresAt, upgraded) = (period.purchasedAt, period.expiresAt, period.isUpgraded)
            quantity = period.quantity
            (offerType, offer) = (period.offer?.type, period.offer?.identifier)
            (revokedAt, revocationReason) = (period.revokedAt, period.revocationReason)
            (reversedAt, signedAt) = (period.reversedAt, period.signedAt)
        }
    }

    struct Notification: Encodable {
        let id: String
        let type: String
        let subtype: String?
        let signedAt: Date
        let receivedAt: Date
    }
}

/// The redemptions that the App Store reported, newest first.
package struct RedemptionsResponse: ResponseEncodable {
    let redemptions: [Item]
    let next: String?

    struct Item: Encodable {
        let state: Redemption.State
        let originalTransactionId: String
        let simulated: Bool
        let offer: String?
        let productId: String
        let redeemedAt: Date
        let uid: String?
        let campaign: String?
        let assignedAt: Date?

        init(_ redemption: Redemption, uid: String?) {
            (state, originalTransactionId) = (redemption.state, redemption.key.id)
            (simulated, offer) = (redemption.key.isSimulated, redemption.period.offer?.identifier)
            (productId, redeemedAt) = (redemption.period.productID, redemption.period.purchasedAt)
            (self.uid, campaign) = (uid, redemption.campaign?.text)
            assignedAt = redemption.dealt?.dealtAt
        }
    }
}
