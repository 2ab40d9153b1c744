import Foundation
package import Kernel
package import Postgres
import Web

/// What is stored about a user's purchases.
extension PurchaseStore: UserDataStore {
    /// Removes the user. What Apple signed stays, without an owner.
    package static func forget(_ user: User.ID) -> [Statement] {
        [
            "UPDATE purchases SET user_id = NULL, consumption_id = NULL, change_id = \(UUID.random()) WHERE user_id = \(user)"
        ]
    }

    /// Writes the purchases, oldest first, each with its transactions.
    package static func export(into document: inout ExportDocument) async throws {
        try await document.list("purchases") { reader, cursor in
            try await reader.part(
                """
                WITH mine AS MATERIALIZED (
                    SELECT original_transaction_id AS id, environment, bundle_id, type, started_at, tied_at, consumed_at FROM purchases
                    WHERE user_id = \(reader.user) AND started_at >= \(cursor?.at ?? .distantPast)
                      AND (started_at > \(cursor?.at ?? .distantPast)
                           OR original_transaction_id || ' ' || environment > \(cursor?.key ?? ""))
                    ORDER BY started_at, original_transaction_id || ' ' || environment LIMIT \(reader.rows)),
                paid AS MATERIALIZED (
                    SELECT d.original_transaction_id AS id, d.environment, json_agg(json_build_object(
                               'transactionId', d.transaction_id, 'productId', d.product_id,
                               'purchasedAt', \(time("d.purchased_at")), 'expiresAt', \(time("d.expires_at")),
                               'quantity', d.quantity, 'offer', d.offer_id, 'revokedAt', \(time("d.revoked_at")))
                               ORDER BY d.purchased_at, d.transaction_id)::text AS transactions
                    FROM mine JOIN purchase_periods d ON d.original_transaction_id = mine.id AND d.environment = mine.environment
                    GROUP BY d.original_transaction_id, d.environment)
                SELECT mine.started_at, mine.id || ' ' || mine.environment, mine.id, mine.environment, mine.bundle_id, mine.type,
                       mine.tied_at, mine.consumed_at, paid.transactions
                FROM mine JOIN paid ON paid.id = mine.id AND paid.environment = mine.environment
                ORDER BY mine.started_at, 2
                """
            ) { row, cursor in
                try Exported(
                    originalTransactionId: row.next(), environment: row.next(), bundleId: row.next(),
                    type: row.next(), at: cursor.at, tiedAt: row.next(), consumedAt: row.next(),
                    transactions: row.json())
            }
        }
    }

    /// Returns SQL for a time by RFC 3339 in UTC.
    private static func time(_ column: Statement) -> Statement {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    private struct Exported: Encodable, Sendable {
        var originalTransactionId: String
        var environment: String
        var bundleId: String
        var type: String
        var at: Date
        var tiedAt: Date?
        /// When a backend gave the consumable.
        var consumedAt: Date?
        var transactions: [Transaction]

        struct Transaction: Codable, Sendable {
            var transactionId: String
            var productId: String
            var purchasedAt: String
            var expiresAt: String?
            var quantity: Int
            var offer: String?
            var revokedAt: String?
        }
    }
}
