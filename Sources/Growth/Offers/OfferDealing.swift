import Foundation
package import Kernel
import Web

/// Deals codes, which only their users ever see.
package struct OfferDealing: Sendable {
    package let store: OfferStore
    package let rule: any OfferDealingRule.Type
    package let secretsKey: SecretsKey?
    /// The number of the host's app in the App Store, since no code of another app is dealt there. Nil if
    /// codes of any app are dealt, because it is the only one.
    package var appStoreID: String?

    package init(
        store: OfferStore, rule: any OfferDealingRule.Type, secretsKey: SecretsKey?, appStoreID: String? = nil
    ) {
        self.store = store
        self.rule = rule
        self.secretsKey = secretsKey
        self.appStoreID = appStoreID
    }

    /// Returns the name of the place for which a code is encrypted.
    static func place(_ campaign: OfferCampaign.Key, _ id: UUID) -> String {
        "offer_codes \(campaign.text) \(id.uuidString.lowercased())"
    }

    /// Returns a mark that tells whether two servers have the same key.
    package static func mark(of key: SecretsKey) -> [UInt8] { key.mark(of: [], for: "offer_campaigns") }

    /// Returns the id of a code. It is made of its hash, so that the same code has the same id.
    static func id(of code: OfferCode, _ key: SecretsKey) -> UUID {
        UUID(bytes: key.mark(of: Array(code.text.utf8), for: "offer_codes"))
    }

    /// What a user is given.
    struct Given: Sendable {
        var campaign: OfferCampaign
        var code: OfferCode
        /// When the code expires. Nil if it is for everybody, since its end is not known.
        var expiresAt: Date?
        var isNew: Bool
    }

    /// Deals a code. A second call gives the same code. Throws an `OfferError`.
    /// - Parameter actor: the operator who deals it and sees it. Nil if the user does.
    func deal(
        _ key: OfferCampaign.Key, to user: User.ID, by actor: AuditActor? = nil
    ) async throws -> Given {
        let campaign = try await store.find(key)
        if let appStoreID, let campaign, campaign.appStoreID != appStoreID { throw OfferError.unknown }
        if let campaign, let code = campaign.sharedCode {
            return Given(campaign: campaign, code: code, isNew: false)
        }
        guard let secretsKey else { throw OfferError.noSecretsKey }
        let act = actor.map {
            OperatorAct(by: $0, kind: .dealOffer, user: user, details: ["campaign": key.text])
        }
        let dealt = try await store.deal(
            key, to: user, by: rule, mark: Self.mark(of: secretsKey), noting: act)
        let text = secretsKey.open(dealt.sealed, for: Self.place(key, dealt.id))
        guard let code = text.flatMap({ OfferCode(String(decoding: $0, as: UTF8.self)) }) else {
            throw OfferError.unreadable
        }
        return Given(campaign: dealt.campaign, code: code, expiresAt: dealt.expiresAt, isNew: dealt.isNew)
    }
}
