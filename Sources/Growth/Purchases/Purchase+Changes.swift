import Foundation

/// How what Apple says changes a purchase. The order of arrival never matters: of each thing, what was signed last counts.
extension Purchase {
    /// What arrived at once.
    struct News: Sendable {
        var transaction: AppStoreTransaction?
        var renewal: AppStoreRenewal?
        /// Nil: the app brought it.
        var notice: Notice?
    }

    /// A notification, as it is kept.
    struct Notice: Sendable, Equatable {
        var id: String
        var type: String
        var subtype: String?
        var signedAt: Date
    }

    /// What users and backends hear of.
    struct Change: Sendable, Equatable {
        var kind: Kind
        /// The period that it is about; nil: the one that counts.
        var period: Period?

        enum Kind: Sendable {
            case renewed, changed, billingFailed, recovered, cancelled, resumed, ended, refunded,
                refundReversed
        }
    }

    init(_ transaction: AppStoreTransaction, _ environment: OfferCampaign.Environment, appStoreID: String?) {
        key = Key(id: transaction.originalTransactionId, environment: environment)
        (bundleID, self.appStoreID) = (transaction.bundleId, appStoreID)
        (type, startedAt) = (transaction.type, transaction.originalPurchaseDate)
        isFamilyShared = transaction.inAppOwnershipType == "FAMILY_SHARED"
    }

    /// Returns what has changed; nothing for what was known already, or is older than what is known.
    mutating func take(_ news: News) -> [Change] {
        var changes: [Change] = []
        let planned = planned
        if let transaction = news.transaction { changes += take(transaction, news.notice) }
        if let renewal = news.renewal { changes += take(renewal, news.notice) }
        if planned != nil, self.planned != planned { changes.append(Change(kind: .changed)) }
        if let notice = news.notice, Self.ends.contains(notice.type),
            notice.signedAt > endedAt ?? .distantPast, hasGoneOn,
            !wasActive(at: notice.signedAt)
        {
            endedAt = notice.signedAt
            changes.append(Change(kind: .ended))
        }
        return changes
    }

    /// Whether they had something since it ended last: of one end Apple may say twice that it is over.
    private var hasGoneOn: Bool {
        guard let endedAt else { return true }
        return periods.contains { ($0.expiresAt ?? .distantFuture) > endedAt }
    }

    /// Notifications by which Apple says that it is over.
    private static let ends: Set = ["EXPIRED", "GRACE_PERIOD_EXPIRED"]

    /// Within these seconds Apple signs what one notification holds.
    private static let atOnce = 5.0

    private mutating func take(_ transaction: AppStoreTransaction, _ notice: Notice?) -> [Change] {
        let place = periods.firstIndex { $0.id == transaction.transactionId }
        let before = place.map { periods[$0] }
        var period = before ?? Period(transaction)
        // Of two that Apple signed at once, the one that takes it back counts, whichever comes first.
        let takesBack = transaction.revocationDate != nil && !period.isRevoked
        // Apple counts milliseconds, and the database rounds.
        let later = transaction.signedAt.timeIntervalSince(period.signedAt)
        if abs(later) < 0.0005 ? takesBack : later > 0 {
            period = Period(transaction)
            period.reversedAt = before?.reversedAt
        }
        if let notice, notice.type == "REFUND_REVERSED" {
            period.reversedAt = max(period.reversedAt ?? .distantPast, notice.signedAt)
        }
        if let place { periods[place] = period } else { periods.append(period) }
        periods.sort { ($0.purchasedAt, $0.id) < ($1.purchasedAt, $1.id) }
        var changes: [Change] = []
        // One that came late is no news.
        if before == nil, periods.count > 1, periods.last?.id == period.id {
            changes.append(Change(kind: .renewed, period: period))
        }
        // What Apple said of the renewal before is carried out. Apple renews up to a day ahead.
        if before == nil, newest?.id == period.id, let said = renewalSignedAt,
            said < min(period.purchasedAt, period.signedAt.addingTimeInterval(-Self.atOnce))
        {
            renewsAs = nil
        }
        switch (before?.isRevoked ?? false, period.isRevoked) {
        case (false, true): changes.append(Change(kind: .refunded, period: period))
        case (true, false): changes.append(Change(kind: .refundReversed, period: period))
        default: break
        }
        return changes
    }

    private mutating func take(_ renewal: AppStoreRenewal, _ notice: Notice?) -> [Change] {
        guard renewal.signedDate > renewalSignedAt ?? .distantPast else { return [] }
        let (before, hadFailed) = (autoRenews, isBillingFailed)
        (autoRenews, renewsAs) = (renewal.renews, renewal.autoRenewProductId)
        isBillingFailed = renewal.isBillingFailed(by: notice)
        (graceUntil, renewalSignedAt) = (renewal.gracePeriodExpiresDate, renewal.signedDate)
        var changes: [Change] = []
        switch (hadFailed, isBillingFailed) {
        case (false, true): changes.append(Change(kind: .billingFailed))
        // Apple also stops to try.
        case (true, false) where periods.contains { $0.isActive(at: renewal.signedDate) }:
            changes.append(Change(kind: .recovered))
        default: break
        }
        switch (before, autoRenews) {
        case (true, false), (nil, false): changes.append(Change(kind: .cancelled))
        case (false, true): changes.append(Change(kind: .resumed))
        default: break
        }
        return changes
    }
}

extension AppStoreRenewal {
    /// - Parameter notice: that it came with.
    fileprivate func isBillingFailed(by notice: Purchase.Notice?) -> Bool {
        isInBillingRetryPeriod ?? (gracePeriodExpiresDate != nil || notice?.type == "DID_FAIL_TO_RENEW")
    }
}

extension Purchase.Period {
    fileprivate init(_ transaction: AppStoreTransaction) {
        (id, productID) = (transaction.transactionId, transaction.productId)
        (purchasedAt, expiresAt) = (transaction.purchaseDate, transaction.expiresDate)
        isUpgraded = transaction.isUpgraded ?? false
        quantity = Int(transaction.quantity ?? 1)
        offer = transaction.offerType.map { .init(type: $0, identifier: transaction.offerIdentifier) }
        revokedAt = transaction.revocationDate
        revocationReason = transaction.revocationDate == nil ? nil : transaction.revocationReason
        signedAt = transaction.signedAt
    }
}
