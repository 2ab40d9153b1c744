import Foundation

/// How Apple's news change a purchase. The order of arrival never matters: for each fact, what was signed
/// last counts.
extension Purchase {
    /// News that arrived at once.
    struct News: Sendable {
        var transaction: AppStoreTransaction?
        var renewal: AppStoreRenewal?
        /// The notification. Nil if the app brought the news.
        var notice: Notice?
    }

    /// A notification as it is stored.
    struct Notice: Sendable, Equatable {
        var id: String
        var type: String
        var subtype: String?
        var signedAt: Date
    }

    /// A change that users and backends are told.
    struct Change: Sendable, Equatable {
        var kind: Kind
        /// The period that it is about. Nil for the current one.
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

    /// Takes news and returns what has changed. Empty for news that are already known, or older than what is
    /// known.
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

    /// Whether the user has had something since it last ended. Apple may report one end twice.
    private var hasGoneOn: Bool {
        guard let endedAt else { return true }
        return periods.contains { ($0.expiresAt ?? .distantFuture) > endedAt }
    }

    /// Notifications with which Apple says that the purchase has ended.
    private static let ends: Set = ["EXPIRED", "GRACE_PERIOD_EXPIRED"]

    /// The seconds within which Apple signs the parts of one notification.
    private static let atOnce = 5.0

    private mutating func take(_ transaction: AppStoreTransaction, _ notice: Notice?) -> [Change] {
        let place = periods.firstIndex { $0.id == transaction.transactionId }
        let before = place.map { periods[$0] }
        var period = before ?? Period(transaction)
        // If Apple signed two at once, the one that takes the purchase back counts, whichever comes first.
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
        // A period that came late is not news.
        if before == nil, periods.count > 1, periods.last?.id == period.id {
            changes.append(Change(kind: .renewed, period: period))
        }
        // What Apple said about the renewal before is now carried out. Apple renews up to a day ahead.
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
        // It counts as recovered only if a period is active, since Apple also stops trying.
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
    /// - Parameter notice: the notification in which it came.
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
