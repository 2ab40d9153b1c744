import Foundation
import Kernel

/// What a user got with an offer code, as the App Store reports it, with the campaign that may have dealt the
/// code. Apple tells nobody which code it was, so these are separate facts.
struct Redemption: Sendable {
    var key: Purchase.Key
    var period: Purchase.Period
    var isActive: Bool
    /// When the benefit ends. Nil if never.
    var until: Date?
    var owner: User.ID?
    /// The campaign that has the offer.
    var campaign: OfferCampaign.Key?
    /// The code that the campaign had dealt the owner, unless an older redemption used it.
    var dealt: OfferStore.DealtCode?
    /// Whether the campaign has a code for everybody.
    var isShared: Bool

    enum State: String, Codable, CaseIterable, Sendable {
        case matched, shared, unassigned
        case noCampaign = "no_campaign"
        case noUser = "no_user"
    }

    /// How the redemption fits our codes. Everything except `matched` and `shared` is an orphan: it used no
    /// code of ours, as far as is known.
    var state: State {
        if owner == nil { return .noUser }
        if campaign == nil { return .noCampaign }
        if dealt != nil { return .matched }
        return isShared ? .shared : .unassigned
    }

    var isOrphan: Bool { ![.matched, .shared].contains(state) }

    private init(
        _ period: Purchase.Period, of purchase: Purchase, at time: Date, by code: OfferStore.DealtCode?,
        _ possible: [OfferCampaign]
    ) {
        (key, owner, self.period) = (purchase.key, purchase.owner, period)
        until = purchase.end(of: period)
        isActive = purchase.periods.contains { $0.offer == period.offer && $0.isActive(at: time) }
        dealt = code
        let shared = possible.filter { $0.sharedCode != nil }
        isShared = !shared.isEmpty
        let others = shared.isEmpty ? possible : shared
        campaign = code?.campaign ?? (others.first { $0.productID != nil } ?? others.first)?.key
    }

    /// Returns the redemptions of some purchases, in their order. A code is redeemed once: if several
    /// redemptions may have used it, the oldest did.
    /// - Parameters:
    ///   - purchases: for each owner all purchases with which they redeemed something.
    ///   - campaigns: all campaigns, by their keys.
    ///   - dealt: the codes of the owners, oldest first.
    static func all(
        of purchases: [Purchase], at time: Date, _ campaigns: [OfferCampaign],
        _ dealt: [OfferStore.DealtCode]
    ) -> [Redemption] {
        let redeemed = purchases.flatMap { purchase in purchase.redemptions.map { (purchase, $0) } }
        var left = Dictionary(grouping: dealt, by: \.user)
        var found = [Redemption?](repeating: nil, count: redeemed.count)
        let oldestFirst = redeemed.indices.sorted {
            (redeemed[$0].1.purchasedAt, redeemed[$0].1.id) < (redeemed[$1].1.purchasedAt, redeemed[$1].1.id)
        }
        for place in oldestFirst {
            let (purchase, period) = redeemed[place]
            let possible = campaigns.filter { $0.isOf(period, of: purchase) }
            let code = purchase.owner.flatMap { owner in
                left[owner]?.firstIndex { code in
                    code.dealtAt <= period.purchasedAt && possible.contains { $0.key == code.campaign }
                }.flatMap { left[owner]?.remove(at: $0) }
            }
            found[place] = Redemption(period, of: purchase, at: time, by: code, possible)
        }
        return found.compactMap(\.self)
    }
}

extension OfferCampaign {
    /// Whether the App Store names the campaign's offer.
    fileprivate func isOf(_ period: Purchase.Period, of purchase: Purchase) -> Bool {
        offer == period.offer?.identifier && environment == purchase.key.environment
            && (productID ?? period.productID) == period.productID
            && (purchase.appStoreID ?? appStoreID) == appStoreID
    }
}
