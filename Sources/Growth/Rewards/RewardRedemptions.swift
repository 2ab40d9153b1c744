import Foundation
import Kernel

/// Which codes users redeemed, as far as the App Store reports it for their purchases.
struct RewardRedemptions: Sendable {
    let offers: OfferStore
    let purchases: PurchaseStore
    let now: @Sendable () -> Date

    /// Returns the keys of the campaigns whose code the user was dealt and redeemed.
    func campaigns(of user: User.ID, in environment: OfferCampaign.Environment) async throws -> [String] {
        let bought = try await purchases.list(of: user, in: environment)
        let names = Set(bought.flatMap(\.redemptions).compactMap { $0.offer?.identifier })
        guard !names.isEmpty else { return [] }
        let campaigns = try await offers.campaigns(of: names, in: environment)
        let dealt = try await offers.dealt(to: [user], in: environment)
        return Redemption.all(of: bought, at: now(), campaigns, dealt).compactMap { $0.dealt?.campaign.text }
    }
}
