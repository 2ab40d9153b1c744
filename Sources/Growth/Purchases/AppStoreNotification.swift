import Foundation

/// App Store Server Notifications, version 2, as far as Kith reads them
/// (https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload).
struct AppStoreNotification: Decodable, Sendable {
    /// Any text: Apple adds types.
    var notificationType: String
    var subtype: String?
    var notificationUUID: String
    var signedDate: Date
    var data: Subject?
    var summary: Subject?
    var externalPurchaseToken: Subject?
    var appData: Subject?

    /// What it is about, in the form that has all members of the four.
    struct Subject: Decodable, Sendable {
        var bundleId: String?
        var appAppleId: Int64?
        var environment: String?
        var externalPurchaseId: String?
        var signedTransactionInfo: String?
        var signedRenewalInfo: String?
    }

    var subject: Subject? { data ?? summary ?? externalPurchaseToken ?? appData }

    /// As Apple writes it.
    var environment: String? {
        guard data == nil, summary == nil, let token = externalPurchaseToken else {
            return subject?.environment
        }
        return token.externalPurchaseId?.hasPrefix("SANDBOX") == true ? "Sandbox" : "Production"
    }
}

/// A transaction, as apps and notifications carry it
/// (https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload).
struct AppStoreTransaction: Decodable, Sendable, Equatable {
    var originalTransactionId: String
    var transactionId: String
    var bundleId: String
    var productId: String
    var type: String
    var environment: String
    var purchaseDate: Date
    var originalPurchaseDate: Date
    var signedDate: Date?
    var expiresDate: Date?
    /// Apple sends an empty one, too, and takes any text from an app.
    var appAccountToken: String?
    var inAppOwnershipType: String?
    var isUpgraded: Bool?
    var quantity: Int64?
    var offerType: Int64?
    var offerIdentifier: String?
    var revocationDate: Date?
    var revocationReason: Int64?

    /// Whose the app says that it is.
    var account: UUID? { appAccountToken.flatMap { UUID(uuidString: $0) } }

    /// What has no date is as old as the purchase, and changes nothing that has one.
    var signedAt: Date { signedDate ?? purchaseDate }

    /// Whether the ids are such as Apple gives, and the texts such as can be kept.
    var isSound: Bool {
        [originalTransactionId, transactionId].allSatisfy(Purchase.Key.isTransactionID)
            && [productId, bundleId, type, offerIdentifier ?? ""].allSatisfy { $0.utf8.count <= 500 }
            && [purchaseDate, originalPurchaseDate, signedAt].allSatisfy(\.isKept)
            && [expiresDate, revocationDate].compactMap(\.self).allSatisfy(\.isKept)
            && (1...Int64(Int32.max)).contains(quantity ?? 1)
    }
}

/// What comes at the end of a period
/// (https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload).
struct AppStoreRenewal: Decodable, Sendable, Equatable {
    var originalTransactionId: String
    var environment: String
    /// 1: it renews; 0: the user cancelled.
    var autoRenewStatus: Int64?
    var gracePeriodExpiresDate: Date?
    /// The product that it renews as.
    var autoRenewProductId: String?
    /// Whether Apple still tries to get a payment that failed.
    var isInBillingRetryPeriod: Bool?
    var signedDate: Date

    var renews: Bool? { autoRenewStatus.map { $0 == 1 } }
}

extension Date {
    /// Whether the database can hold it.
    fileprivate var isKept: Bool { (0..<253_402_300_800).contains(timeIntervalSince1970) }
}
