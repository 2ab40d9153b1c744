import Foundation

/// What somebody got by an offer code, as the App Store tells it, beside the campaign that may have dealt the code. Apple tells
/// nobody which code it was, so both are facts of their own.
struct Redemption: Sendable {
    var key: Purchase.Key
    var period: Purchase.Period
    var isActive: Bool
    /// Nil: for ever.
    var until: Date?
    var owner: User.ID?
    /// Whose offer it was.
    var campaign: OfferCampaign.Key?
    /// The code that the campaign dealt the owner before.
    var dealt: OfferStore.DealtCode?

    enum State: String, Codable, CaseIterable, Sendable {
        case matched, unassigned
        case noCampaign = "no_campaign"
        case noUser = "no_user"
    }

    /// Anything but `matched` is an orphan: nobody was dealt a code of ours for it, as far as is known.
    var state: State {
        if owner == nil { return .noUser }
        if campaign == nil { return .noCampaign }
        return dealt == nil ? .unassigned : .matched
    }

    /// - Parameters:
    ///   - campaigns: all, by their keys.
    ///   - dealt: the codes of the owner, the oldest first.
    init(
        _ period: Purchase.Period, of purchase: Purchase, at time: Date, _ campaigns: [OfferCampaign],
        _ dealt: [OfferStore.DealtCode]
    ) {
        (key, owner, self.period) = (purchase.key, purchase.owner, period)
        until = purchase.end(of: period)
        isActive = purchase.periods.contains { $0.offer == period.offer && $0.isActive(at: time) }
        let possible = campaigns.filter { $0.isOf(period, of: purchase) }
        let codes = dealt.filter { code in
            code.dealtAt <= period.purchasedAt && possible.contains { $0.key == code.campaign }
        }
        self.dealt = codes.first
        campaign = codes.first?.campaign ?? (possible.first { $0.productID != nil } ?? possible.first)?.key
    }
}

extension OfferCampaign {
    /// Whether the App Store names its offer.
    fileprivate func isOf(_ period: Purchase.Period, of purchase: Purchase) -> Bool {
        offer == period.offer?.identifier && environment == purchase.key.environment
            && (productID ?? period.productID) == period.productID
            && (purchase.appStoreID ?? appStoreID) == appStoreID
    }
}
