package import Kernel

extension Feature {
    package static let offers = Feature(
        tables: [
            Table("offer_campaigns", .insert, .update, .delete), Table("offer_codes", .insert, .update),
        ],
        userData: [OfferStore.self], sections: [AppliedOfferStore.self],
        checks: [.offerCampaigns, .offerCodes])
}
