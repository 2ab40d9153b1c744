import Foundation

/// The parts of App Store Server Notifications, version 2, that Kith reads
/// (https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload).
struct AppStoreNotification: Decodable, Sendable {
    /// The type. It may be any text, since Apple adds types.
    var notificationType: String
    var subtype: String?
    var notificationUUID: String
    var signedDate: Date
    var data: Subject?
    var summary: Subject?
    var externalPurchaseToken: Subject?
    var appData: Subject?

    /// What the notification is about, in a form that has all members of the four kinds.
    struct Subject: Decodable, Sendable {
        var bundleId: String?
        var appAppleId: Int64?
        var environment: String?
        var externalPurchaseId: String?
        var signedTransactionInfo: String?
        var signedRenewalInfo: String?
    }

    var subject: Subject? { data ?? summary ?? externalPurchaseToken ?? appData }

    /// The environment as Apple writes it.
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
    /// The app's token for the user. Apple may send an empty one, and takes any text from an app.
    var appAccountToken: String?
    var inAppOwnershipType: String?
    var isUpgraded: Bool?
    var quantity: Int64?
    var offerType: Int64?
    var offerIdentifier: String?
    var revocationDate: Date?
    var revocationReason: Int64?

    /// The user to whom the purchase belongs, as the app says.
    var account: UUID? { appAccountToken.flatMap { UUID(uuidString: $0) } }

    /// When Apple signed it. Without a date it counts as old as the purchase, and changes nothing that has a
    /// date.
    var signedAt: Date { signedDate ?? purchaseDate }

    /// Whether the ids have Apple's form, and the texts can be stored.
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
    /// Whether it renews. 1 means that it renews, and 0 that the user cancelled.
    var autoRenewStatus: Int64?
    var gracePeriodExpiresDate: Date?
    /// The product as which it renews.
    var autoRenewProductId: String?
    /// Whether Apple still tries to get a payment that failed.
    var isInBillingRetryPeriod: Bool?
    var signedDate: Date

    var renews: Bool? { autoRenewStatus.map { $0 == 1 } }
}

extension Date {
    /// Whether the database can hold the date.
    fileprivate var isKept: Bool { (0..<253_402_300_800).contains(timeIntervalSince1970) }
}
