import Kernel
import Rollout

/// The campaigns of offers that `kith apply` has set up, by their keys. They are stored only in the table of
/// campaigns, so those that an operator created with the API are among them.
package struct AppliedOffers: KeyedSection {
    package static let name = "offers"

    package var entries: [String: [String: String]] = [:]

    static let most = 1000

    package init() {}

    init(_ campaigns: [OfferCampaign]) {
        for campaign in campaigns { entries[campaign.key.text] = campaign.fields }
    }

    package static func isList(_ field: String) -> Bool { false }

    /// The campaigns as the table has them.
    package var completed: Self { AppliedOffers(read().rules) }

    /// Returns the campaigns in the order of their keys.
    package func read() -> (rules: [OfferCampaign], mistakes: [String]) {
        var campaigns: [OfferCampaign] = []
        let mistakes = readEntries(atMost: Self.most, "campaigns") { key, fields in
            var reader = FieldReader(fields, place: "offers.\(key)")
            if let campaign = Self.campaign(key, &reader), reader.mistakes.isEmpty {
                campaigns.append(campaign)
            }
            return reader.mistakes
        }
        return (campaigns, mistakes)
    }

    package static let fieldNames: Set = [
        "appStoreId", "offer", "productId", "environment", "lowWater", "quarterBudget", "rewardsOnly",
        "sharedCode",
    ]

    private static func campaign(_ key: String, _ reader: inout FieldReader) -> OfferCampaign? {
        let known = OfferCampaign.Key(key)
        if known == nil { reader.refuse(nil, "the key must be \(OfferCampaign.Form.key)") }
        reader.refuseUnknown(fieldNames)
        reader.require("appStoreId", "offer")
        let app = reader.read("appStoreId", OfferCampaign.Form.appStoreID, OfferCampaign.appStoreID)
        let offer = reader.read("offer", OfferCampaign.Form.offer, OfferCampaign.offer)
        let product = reader.read("productId", OfferCampaign.Form.productID, OfferCampaign.productID)
        let environment = reader.read("environment", OfferCampaign.Form.environment) {
            OfferCampaign.Environment(rawValue: $0)
        }
        let lowWater = reader.number("lowWater", OfferCampaign.counts)
        let budget = reader.number("quarterBudget", OfferCampaign.counts)
        let rewardsOnly = reader.read("rewardsOnly", "true or false") { ["true": true, "false": false][$0] }
        let shared = reader.read("sharedCode", OfferCampaign.Form.sharedCode) { OfferCode($0) }
        if shared != nil, rewardsOnly == true { reader.refuse("sharedCode", OfferCampaign.Form.sharedReward) }
        guard let known, let app, let offer else { return nil }
        return OfferCampaign(
            key: known, appStoreID: app, offer: offer, productID: product,
            environment: environment ?? .production, lowWater: lowWater ?? OfferCampaign.usualLowWater,
            quarterBudget: budget, rewardsOnly: rewardsOnly ?? false, sharedCode: shared)
    }
}

extension OfferCampaign {
    /// The fields as the file has them.
    var fields: [String: String] {
        var fields = ["appStoreId": appStoreID, "offer": offer, "environment": environment.rawValue]
        fields["productId"] = productID
        fields["lowWater"] = String(lowWater)
        if rewardsOnly { fields["rewardsOnly"] = "true" }
        fields["sharedCode"] = sharedCode?.text
        fields["quarterBudget"] = quarterBudget.map(String.init)
        return fields
    }
}
