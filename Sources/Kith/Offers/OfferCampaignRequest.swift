import Foundation

/// The body that creates or changes a campaign.
struct OfferCampaignRequest: RequestBody, Sendable {
    var appStoreId: String
    /// The reference name of the offer in App Store Connect.
    var offer: String
    /// The product of the offer; of any if absent.
    var productId: String?
    /// `production` if absent.
    var environment: String?
    var lowWater: Int?
    var quarterBudget: Int?
    /// False if absent.
    var rewardsOnly: Bool?

    enum CodingKeys: CodingKey, CaseIterable {
        case appStoreId, offer, productId, environment, lowWater, quarterBudget, rewardsOnly
    }

    /// Throws a 400 that names the field.
    func campaign(_ key: String) throws(Problem) -> OfferCampaign {
        guard let key = OfferCampaign.Key(key) else {
            throw .invalid("campaign", "must be 1 to 64 of a–z, 0–9 and hyphens")
        }
        guard (1...20).contains(appStoreId.utf8.count), appStoreId.first != "0",
            appStoreId.utf8.allSatisfy(\.isASCIIDigit)
        else { throw .invalid("appStoreId", "must be the number of an app in the App Store") }
        guard let offer = OneLine(offer, atMost: 64)?.text else {
            throw .invalid("offer", "must be one line of 1 to 64 characters: the offer's reference name")
        }
        if let productId, OneLine(productId, atMost: 255)?.text != productId {
            throw .invalid(
                "productId",
                "must be one line of 1 to 255 characters: the id of a product in App Store Connect")
        }
        guard let environment = OfferCampaign.Environment(rawValue: environment ?? "production") else {
            throw .invalid("environment", "must be production or sandbox")
        }
        return OfferCampaign(
            key: key, appStoreID: appStoreId, offer: offer, productID: productId, environment: environment,
            lowWater: try Self.count(lowWater, "lowWater") ?? OfferCampaign.usualLowWater,
            quarterBudget: try Self.count(quarterBudget, "quarterBudget"), rewardsOnly: rewardsOnly ?? false)
    }

    private static func count(_ number: Int?, _ field: String) throws(Problem) -> Int? {
        guard let number else { return nil }
        guard (0...1_000_000_000).contains(number) else {
            throw .invalid(field, "must be from 0 to 1,000,000,000")
        }
        return number
    }
}
