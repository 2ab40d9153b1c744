import Foundation
import Kernel

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
    /// The code that the campaign dealt the owner before, unless an older redemption was by it.
    var dealt: OfferStore.DealtCode?
    /// Whether the campaign has a code for everybody.
    var isShared: Bool

    enum State: String, Codable, CaseIterable, Sendable {
        case matched, shared, unassigned
        case noCampaign = "no_campaign"
        case noUser = "no_user"
    }

    /// Anything but `matched` and `shared` is an orphan: it was by no code of ours, as far as is known.
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

    /// Those of some purchases, in their order. A code is redeemed once: of what may have been by it, the oldest was.
    /// - Parameters:
    ///   - purchases: of each owner all by which they redeemed something.
    ///   - campaigns: all, by their keys.
    ///   - dealt: the codes of the owners, the oldest first.
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
    /// Whether the App Store names its offer.
    fileprivate func isOf(_ period: Purchase.Period, of purchase: Purchase) -> Bool {
        offer == period.offer?.identifier && environment == purchase.key.environment
            && (productID ?? period.productID) == period.productID
            && (purchase.appStoreID ?? appStoreID) == appStoreID
    }
}
