import Foundation
import Hummingbird

/// A code for the user to whom it was dealt, or for everybody.
package struct OfferResponse: ResponseEncodable {
    let campaign: String
    let code: String
    /// The URL that redeems it in the App Store.
    let url: String
    /// The URL as a QR symbol in SVG.
    let qr: String
    /// When the code expires. Nil if it is for everybody, since its end is not known.
    let expiresAt: Date?
}

/// A campaign, and how many of its codes are in which state.
package struct OfferPoolResponse: ResponseEncodable {
    let key: String
    let appStoreId: String
    let offer: String
    let productId: String?
    let environment: OfferCampaign.Environment
    let lowWater: Int
    let quarterBudget: Int?
    /// Whether a code is only for users who earned it by a reward.
    let rewardsOnly: Bool
    let sharedCode: String?
    let codes: Codes
    /// How many were dealt in this quarter. They are counted only if there is a budget.
    let quarterDealt: Int

    struct Codes: Encodable {
        /// Codes that may be dealt.
        let free: Int
        let dealt: Int
        /// Codes that expire too soon to be dealt.
        let stale: Int
        /// Codes that expire within 30 days, and that nobody has.
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
