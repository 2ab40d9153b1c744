import Foundation
import Hummingbird

/// A code for whom it was dealt to, or for everybody.
package struct OfferResponse: ResponseEncodable {
    let campaign: String
    let code: String
    /// Redeems it in the App Store.
    let url: String
    /// The same as a QR symbol: an SVG.
    let qr: String
    /// Nil: everybody has it, and nobody knows its end.
    let expiresAt: Date?
}

/// A campaign, and how many of its codes are where.
package struct OfferPoolResponse: ResponseEncodable {
    let key: String
    let appStoreId: String
    let offer: String
    let productId: String?
    let environment: OfferCampaign.Environment
    let lowWater: Int
    let quarterBudget: Int?
    /// Whether only those get a code who earned it by a reward.
    let rewardsOnly: Bool
    let sharedCode: String?
    let codes: Codes
    /// In this quarter; counted only under a budget.
    let quarterDealt: Int

    struct Codes: Encodable {
        /// May be dealt.
        let free: Int
        let dealt: Int
        /// Expire too soon to be dealt.
        let stale: Int
        /// Expire within 30 days, and nobody has them.
        let expiring: Int
    }

    init(_ pool: OfferStore.Pool) {
        let campaign = pool.campaign
        (key, appStoreId, offer) = (campaign.key.text, campaign.appStoreID, campaign.offer)
        productId = campaign.productID
        (environment, lowWater, quarterBudget) = (
            campaign.environment, campaign.lowWater, campaign.quarterBudget
        )
        (rewardsOnly, sharedCode) = (campaign.rewardsOnly, campaign.sharedCode?.text)
        codes = Codes(free: pool.free, dealt: pool.dealt, stale: pool.stale, expiring: pool.expiring)
        quarterDealt = pool.quarterDealt
    }
}

package struct OfferPoolsResponse: ResponseEncodable {
    let campaigns: [OfferPoolResponse]
}
