import Crypto
import Foundation
import Kernel
import Web

/// An operator's simulation, in the sandbox only. It makes the same news that Apple would send, under an id
/// that Apple never gives.
struct PurchaseSimulation: Sendable {
    var act: Act
    var campaign: OfferCampaign
    var user: User.ID
    /// The length of the period that the act begins.
    var days: Int

    enum Act: String, CaseIterable, Sendable {
        case redeem, renew
        case failBilling = "fail_billing"
        case recoverBilling = "recover_billing"
        case changeProduct = "change_product"
        case cancel, resume, expire, refund
        case reverseRefund = "reverse_refund"
    }

    /// The key of the simulated purchase. There is one for each user and campaign.
    var key: Purchase.Key {
        let hash = SHA256.hash(data: user.uuid.bytes + Array(campaign.key.text.utf8))
        let digits = hash.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return Purchase.Key(id: Purchase.Key.simulated + digits.joined(), environment: .sandbox)
    }

    /// Returns the news. Nil if there is nothing to act on: no redemption, or for `reverse_refund` no refund.
    /// - Parameters:
    ///   - purchase: what was simulated before. Nil if nothing was.
    ///   - bundleID: the bundle id of the app.
    func news(for purchase: Purchase?, bundleID: String, at time: Date) -> [Purchase.News]? {
        let store = Store(
            simulation: self, purchase: purchase, bundleID: bundleID, time: time,
            signed: max(time, purchase?.lastSigned.map { $0 + 0.001 } ?? .distantPast))
        guard let purchase, let period = purchase.current(at: time) else {
            return act == .redeem ? [store.begin()] : nil
        }
        switch act {
        case .redeem: return []
        case .renew: return [store.go(on: purchase, nil)]
        case .recoverBilling: return [store.go(on: purchase, "BILLING_RECOVERY")]
        case .failBilling: return [store.fail(period)]
        case .changeProduct:
            let other = "\(period.productID).other"
            return [store.news(period, "DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", renews: true, as: other)]
        case .cancel:
            return [store.news(period, "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", renews: false)]
        case .resume:
            return [store.news(period, "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", renews: true)]
        case .expire:
            return purchase.periods.filter { $0.isActive(at: time) }.map(store.end)
        case .refund: return [store.refund(period, at: store.signed)]
        case .reverseRefund:
            return purchase.periods.last(where: \.isRevoked).map { [store.refund($0, at: nil)] }
        }
    }

    /// What the App Store would say at one time.
    private struct Store {
        let simulation: PurchaseSimulation
        let purchase: Purchase?
        let bundleID: String
        let time: Date
        let signed: Date

        private static let graceDays = 16.0

        func begin() -> Purchase.News {
            news(period(1, byCode: true), "SUBSCRIBED", "INITIAL_BUY", renews: true)
        }

        func go(on purchase: Purchase, _ subtype: String?) -> Purchase.News {
            var next = period(purchase.periods.count + 1, byCode: false)
            next.productID = purchase.planned ?? next.productID
            return news(next, "DID_RENEW", subtype, renews: true)
        }

        func fail(_ period: Purchase.Period) -> Purchase.News {
            let end = (period.expiresAt ?? time) + Self.graceDays * 86_400
            return news(period, "DID_FAIL_TO_RENEW", "GRACE_PERIOD", renews: true, graceUntil: end)
        }

        func end(_ period: Purchase.Period) -> Purchase.News {
            var period = period
            period.expiresAt = time
            return news(period, "EXPIRED", "VOLUNTARY", renews: false)
        }

        /// - Parameter time: when the refund happened. Nil if the refund is taken back.
        func refund(_ period: Purchase.Period, at time: Date?) -> Purchase.News {
            var period = period
            (period.revokedAt, period.revocationReason) = (time, time == nil ? nil : 0)
            return news(period, time == nil ? "REFUND_REVERSED" : "REFUND")
        }

        func news(
            _ period: Purchase.Period, _ type: String, _ subtype: String? = nil, renews: Bool? = nil,
            as product: String? = nil, graceUntil: Date? = nil
        ) -> Purchase.News {
            let key = simulation.key
            let renewal = renews.map { renews in
                AppStoreRenewal(
                    originalTransactionId: key.id, environment: key.environment.appStoreName,
                    autoRenewStatus: renews ? 1 : 0, gracePeriodExpiresDate: graceUntil,
                    autoRenewProductId: product ?? purchase?.planned ?? period.productID,
                    isInBillingRetryPeriod: graceUntil != nil, signedDate: signed)
            }
            return Purchase.News(
                transaction: AppStoreTransaction(
                    period, of: key, bundleID: bundleID, startedAt: purchase?.startedAt ?? time, signed),
                renewal: renewal,
                notice: .init(
                    id: "\(Purchase.Key.simulated)\(UUID.random())", type: type, subtype: subtype,
                    signedAt: signed))
        }

        private func period(_ number: Int, byCode: Bool) -> Purchase.Period {
            let campaign = simulation.campaign
            return Purchase.Period(
                id: "\(simulation.key.id)-\(number)", productID: campaign.productID ?? "simulated",
                purchasedAt: time, expiresAt: time + Double(simulation.days) * 86_400, isUpgraded: false,
                offer: byCode ? .init(type: Purchase.Offer.code, identifier: campaign.offer) : nil,
                signedAt: signed)
        }
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
