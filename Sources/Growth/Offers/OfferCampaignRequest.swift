import Foundation
import Web

/// The body that creates or changes a campaign.
struct OfferCampaignRequest: JSONBody, Sendable {
    var appStoreId: String
    /// The reference name of the offer in App Store Connect.
    var offer: String
    /// The product of the offer. If it is absent, any product counts.
    var productId: String?
    /// The environment. If it is absent, it is `production`.
    var environment: String?
    var lowWater: Int?
    var quarterBudget: Int?
    /// Whether a code must be earned by a reward. If it is absent, it need not.
    var rewardsOnly: Bool?
    /// A code for everybody. If it is absent, there is none.
    var sharedCode: String?

    enum CodingKeys: CodingKey, CaseIterable {
        case appStoreId, offer, productId, environment, lowWater, quarterBudget, rewardsOnly, sharedCode
    }

    /// Returns the campaign. Throws a 400 that names the field.
    func campaign(_ key: String) throws(Problem) -> OfferCampaign {
        typealias Form = OfferCampaign.Form
        guard let key = OfferCampaign.Key(key) else { throw .invalid("campaign", "must be \(Form.key)") }
        guard let appStoreID = OfferCampaign.appStoreID(appStoreId) else {
            throw .invalid("appStoreId", "must be \(Form.appStoreID)")
        }
        guard let offer = OfferCampaign.offer(offer) else {
            throw .invalid("offer", "must be \(Form.offer)")
        }
        if let productId, OfferCampaign.productID(productId) == nil {
            throw .invalid("productId", "must be \(Form.productID)")
        }
        guard let environment = OfferCampaign.Environment(rawValue: environment ?? "production") else {
            throw .invalid("environment", "must be \(Form.environment)")
        }
        let shared = sharedCode.flatMap { OfferCode($0) }
        if sharedCode != nil, shared == nil { throw .invalid("sharedCode", "must be \(Form.sharedCode)") }
        if shared != nil, rewardsOnly == true { throw .invalid("sharedCode", Form.sharedReward) }
        return OfferCampaign(
            key: key, appStoreID: appStoreID, offer: offer, productID: productId, environment: environment,
            lowWater: try Self.count(lowWater, "lowWater") ?? OfferCampaign.usualLowWater,
            quarterBudget: try Self.count(quarterBudget, "quarterBudget"), rewardsOnly: rewardsOnly ?? false,
            sharedCode: shared)
    }

    private static func count(_ number: Int?, _ field: String) throws(Problem) -> Int? {
        guard let number else { return nil }
        guard OfferCampaign.counts.contains(number) else {
            throw .invalid(field, "must be from 0 to 1,000,000,000")
        }
        return number
    }
}
