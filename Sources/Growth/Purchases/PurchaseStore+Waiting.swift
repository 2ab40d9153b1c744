import Foundation
import Kernel
import Postgres

/// What Apple says about a purchase before the purchase is known.
extension PurchaseStore {
    /// Keeps a notification until the purchase that it is about comes. A repeated notification changes
    /// nothing.
    ///
    /// Throws `AccountError.changedMeanwhile` if the purchase came meanwhile.
    func keep(
        _ notice: Purchase.Notice, _ renewal: AppStoreRenewal?, until key: Purchase.Key
    ) async throws {
        let isUnknown: Statement = """
            NOT EXISTS (SELECT FROM purchases WHERE original_transaction_id = \(key.id)
                        AND environment = \(key.environment.rawValue))
            """
        try await batch(
            [
                Self.lock(key), "SELECT require(\(isUnknown), \(AccountError.changedMeanwhile))",
                Self.insert(notice, renewal, key.id, key.environment),
            ], on: key)
    }

    /// Returns the news that were kept for a purchase that was not known.
    func waiting(for key: Purchase.Key) async throws -> [Purchase.News] {
        try await db.read.ofPrimary.query(
            """
            SELECT id, type, subtype, signed_at, auto_renews, grace_until, renews_as, billing_retry, renewal_signed_at
            FROM appstore_notifications
            WHERE subject = \(key.id) AND environment = \(key.environment.rawValue)
            ORDER BY signed_at, id
            """
        ) { row in
            let notice = try Purchase.Notice(
                id: row.next(), type: row.next(), subtype: row.next(), signedAt: row.next())
            let (renews, grace): (Bool?, Date?) = try (row.next(), row.next())
            let (product, retries, signedAt): (String?, Bool?, Date?) = try (
                row.next(), row.next(), row.next()
            )
            return Purchase.News(
                renewal: signedAt.map { signedAt in
                    AppStoreRenewal(
                        originalTransactionId: key.id, environment: key.environment.appStoreName,
                        autoRenewStatus: renews.map { $0 ? 1 : 0 }, gracePeriodExpiresDate: grace,
                        autoRenewProductId: product, isInBillingRetryPeriod: retries, signedDate: signedAt)
                }, notice: notice)
        }
    }

    /// Takes an advisory lock, because the purchase has no row yet to lock. So a purchase and the news that
    /// wait for it do not miss each other.
    static func lock(_ key: Purchase.Key) -> Statement {
        "SELECT pg_advisory_xact_lock(hashtextextended(\("purchases \(key.id)"), 0))"
    }

    static func requireNoMore(than waiting: [String], _ key: Purchase.Key) -> Statement {
        """
        SELECT require(NOT EXISTS (SELECT FROM appstore_notifications WHERE subject = \(key.id)
                       AND environment = \(key.environment.rawValue) AND id <> ALL(\(waiting))),
                       \(AccountError.changedMeanwhile))
        """
    }
}
