import Crypto
import Foundation

/// What an operator simulates, in the sandbox alone: the same news as if Apple had told them, under an id that Apple never gives.
struct PurchaseSimulation: Sendable {
    var act: Act
    var campaign: OfferCampaign
    var user: User.ID
    /// Of the period that the act begins.
    var days: Int

    enum Act: String, CaseIterable, Sendable {
        case redeem, renew, cancel, resume, expire, refund
        case reverseRefund = "reverse_refund"
    }

    /// One for each user and campaign.
    var key: Purchase.Key {
        let hash = SHA256.hash(data: user.uuid.bytes + Array(campaign.key.text.utf8))
        let digits = hash.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return Purchase.Key(id: Purchase.Key.simulated + digits.joined(), environment: .sandbox)
    }

    /// Nil if there is nothing to act on: no redemption, or for `reverse_refund` no refund.
    /// - Parameters:
    ///   - purchase: what was simulated before; nil: nothing.
    ///   - bundleID: of the app.
    func news(for purchase: Purchase?, bundleID: String, at time: Date) -> [Purchase.News]? {
        let signed = max(time, purchase?.lastSigned.map { $0 + 0.001 } ?? .distantPast)
        func transaction(_ period: Purchase.Period) -> AppStoreTransaction {
            AppStoreTransaction(
                period, of: key, bundleID: bundleID, startedAt: purchase?.startedAt ?? time, signed)
        }
        func news(_ period: Purchase.Period, _ type: String, _ subtype: String? = nil, renews: Bool? = nil)
            -> Purchase.News
        {
            Purchase.News(
                transaction: transaction(period), renewal: renews.map { renewal($0, signed) },
                notice: .init(
                    id: "\(Purchase.Key.simulated)\(UUID.random())", type: type, subtype: subtype,
                    signedAt: signed))
        }
        guard let purchase, var period = purchase.current else {
            return act == .redeem
                ? [news(begin(1, at: time, by: true, signed), "SUBSCRIBED", "INITIAL_BUY", renews: true)]
                : nil
        }
        switch act {
        case .redeem: return []
        case .renew:
            return [
                news(
                    begin(purchase.periods.count + 1, at: time, by: false, signed), "DID_RENEW", renews: true)
            ]
        case .cancel: return [news(period, "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", renews: false)]
        case .resume: return [news(period, "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", renews: true)]
        case .expire:
            return purchase.periods.filter { $0.isActive(at: time) }.map { active in
                var active = active
                active.expiresAt = time
                return news(active, "EXPIRED", "VOLUNTARY", renews: false)
            }
        case .refund:
            (period.revokedAt, period.revocationReason) = (signed, 0)
            return [news(period, "REFUND")]
        case .reverseRefund:
            guard var refunded = purchase.periods.last(where: \.isRevoked) else { return nil }
            (refunded.revokedAt, refunded.revocationReason) = (nil, nil)
            return [news(refunded, "REFUND_REVERSED")]
        }
    }

    private func begin(_ number: Int, at time: Date, by code: Bool, _ signed: Date) -> Purchase.Period {
        Purchase.Period(
            id: "\(key.id)-\(number)", productID: campaign.productID ?? "simulated", purchasedAt: time,
            expiresAt: time + Double(days) * 86_400, isUpgraded: false,
            offer: code ? .init(type: Purchase.Offer.code, identifier: campaign.offer) : nil, signedAt: signed
        )
    }

    private func renewal(_ renews: Bool, _ signed: Date) -> AppStoreRenewal {
        AppStoreRenewal(
            originalTransactionId: key.id, environment: key.environment.appStoreName,
            autoRenewStatus: renews ? 1 : 0, signedDate: signed)
    }
}

extension Purchase {
    fileprivate var lastSigned: Date? {
        (periods.map(\.signedAt) + [renewalSignedAt].compactMap(\.self)).max()
    }
}

extension AppStoreTransaction {
    fileprivate init(
        _ period: Purchase.Period, of key: Purchase.Key, bundleID: String, startedAt: Date, _ signed: Date
    ) {
        self.init(
            originalTransactionId: key.id, transactionId: period.id, bundleId: bundleID,
            productId: period.productID, type: "Auto-Renewable Subscription",
            environment: key.environment.appStoreName, purchaseDate: period.purchasedAt,
            originalPurchaseDate: startedAt, signedDate: signed, expiresDate: period.expiresAt,
            isUpgraded: period.isUpgraded, offerType: period.offer?.type,
            offerIdentifier: period.offer?.identifier, revocationDate: period.revokedAt,
            revocationReason: period.revocationReason)
    }
}
