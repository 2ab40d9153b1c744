import Foundation
import Kernel

/// Verifies what arrives from the App Store, and passes it on to the purchases.
package struct AppStoreIntake: Sendable {
    package let taking: PurchaseTaking
    /// The verifier. Nil if the operator has not set it up.
    package let verifier: AppStoreVerifier?

    package init(taking: PurchaseTaking, verifier: AppStoreVerifier?) {
        self.taking = taking
        self.verifier = verifier
    }

    /// Returns the verifier. Throws a `PurchaseError` if there is none.
    @discardableResult func requireVerifier() throws -> AppStoreVerifier {
        guard let verifier else { throw PurchaseError.notSetUp }
        return verifier
    }

    /// Takes a notification from Apple. Everything that Apple signed is kept, even if its type is unknown,
    /// and a repeated notification changes nothing. Throws a `PurchaseError`.
    func notify(_ signedPayload: String) async throws {
        let verifier = try requireVerifier()
        let (notice, environment, news): (Purchase.Notice, OfferCampaign.Environment, Purchase.News)
        do throws(AppStoreVerifier.Refusal) {
            let read = try await verifier.notification(signedPayload)
            guard let found = OfferCampaign.Environment(appStoreName: read.environment),
                let known = read.notice
            else { throw .signature }
            (notice, environment) = (known, found)
            news = try await Self.news(of: read, notice, environment, verifier)
        } catch {
            throw PurchaseError.refused(error, field: "signedPayload")
        }
        guard let id = news.transaction?.originalTransactionId ?? news.renewal?.originalTransactionId else {
            return try await taking.store.keep(notice, about: notice.id, in: environment)
        }
        if try await taking.store.knows(notice, about: id) { return }
        try await taking.take(news, of: Purchase.Key(id: id, environment: environment))
    }

    private static func news(
        of notification: AppStoreNotification, _ notice: Purchase.Notice,
        _ environment: OfferCampaign.Environment, _ verifier: AppStoreVerifier
    ) async throws(AppStoreVerifier.Refusal) -> Purchase.News {
        var news = Purchase.News(notice: notice)
        if let signed = notification.data?.signedTransactionInfo {
            news.transaction = try await sound(verifier.transaction(signed, in: environment))
        }
        if let signed = notification.data?.signedRenewalInfo {
            let renewal = try await verifier.renewal(signed, in: environment)
            let id = renewal.originalTransactionId
            guard Purchase.Key.isTransactionID(id), (renewal.autoRenewProductId?.utf8.count ?? 0) <= 500,
                id == news.transaction?.originalTransactionId ?? id
            else {
                throw .signature
            }
            news.renewal = renewal
        }
        return news
    }

    private static func sound(
        _ transaction: AppStoreTransaction
    ) throws(AppStoreVerifier.Refusal) -> AppStoreTransaction {
        guard transaction.isSound else { throw .signature }
        return transaction
    }

    /// Takes a transaction that an app shows for its user, and ties the purchase to them if it has no owner
    /// yet.
    func show(_ signedTransaction: String, by user: User.ID) async throws -> PurchaseTaking.Taken {
        let verifier = try requireVerifier()
        let transaction: AppStoreTransaction
        do throws(AppStoreVerifier.Refusal) {
            transaction = try await Self.sound(verifier.transaction(signedTransaction))
        } catch {
            throw PurchaseError.refused(error, field: "signedTransaction")
        }
        guard let environment = OfferCampaign.Environment(appStoreName: transaction.environment),
            let taken = try await taking.take(
                of: Purchase.Key(id: transaction.originalTransactionId, environment: environment), from: user,
                { _ in [.init(transaction: transaction)] })
        else { throw PurchaseError.unknown }
        return taken
    }
}

extension AppStoreNotification {
    /// The notification as it is stored. Nil if it cannot be stored.
    fileprivate var notice: Purchase.Notice? {
        guard [notificationUUID, notificationType].allSatisfy({ (1...100).contains($0.utf8.count) }),
            (subtype?.utf8.count ?? 0) <= 100,
            (0..<253_402_300_800).contains(signedDate.timeIntervalSince1970)
        else { return nil }
        return Purchase.Notice(
            id: notificationUUID, type: notificationType, subtype: subtype, signedAt: signedDate)
    }
}
