import Foundation
import Kernel
package import Postgres
import Web

/// Every statement on `purchases`, `purchase_periods` and `appstore_notifications`.
package struct PurchaseStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the purchase as the primary has it. Nil if it is not known.
    func find(_ key: Purchase.Key) async throws -> Purchase? {
        let rows = try await db.read.ofPrimary.query(
            """
            SELECT \(Self.columns) FROM purchases p JOIN purchase_periods d
              ON d.original_transaction_id = p.original_transaction_id AND d.environment = p.environment
            WHERE p.original_transaction_id = \(key.id) AND p.environment = \(key.environment.rawValue)
            ORDER BY d.purchased_at, d.transaction_id
            """, Self.read)
        return Self.purchases(rows).first
    }

    /// Returns those of some purchases of which Apple refunded any period, even if it took that back.
    func withRefunds(among keys: [Purchase.Key]) async throws -> Set<Purchase.Key> {
        var found: Set<Purchase.Key> = []
        for start in stride(from: 0, to: keys.count, by: 1000) {
            let some = keys[start..<min(start + 1000, keys.count)]
            let rows = try await db.bulk.query(
                """
                SELECT DISTINCT original_transaction_id, environment FROM purchase_periods
                WHERE original_transaction_id = ANY(\(some.map(\.id))) AND revoked_at IS NOT NULL
                """
            ) { try Purchase.Key(id: $0.next(), environment: .init(rawValue: $0.next()) ?? .production) }
            found.formUnion(rows)
        }
        return found
    }

    /// Returns the newest purchases of a user, newest first.
    /// - Parameter app: the bundle id of the only app. Nil for all.
    func list(
        of user: User.ID, in environment: OfferCampaign.Environment, ofApp app: String? = nil
    ) async throws -> [Purchase] {
        let isOfApp: Statement = app.map { "bundle_id = \($0)" } ?? "true"
        let rows = try await db.lists.with(key: user).query(
            """
            WITH mine AS MATERIALIZED (
                SELECT original_transaction_id AS id, started_at FROM purchases
                WHERE user_id = \(user) AND environment = \(environment.rawValue) AND \(isOfApp)
                ORDER BY started_at DESC, original_transaction_id LIMIT \(Self.listed))
            SELECT \(Self.columns)
            FROM mine JOIN purchases p ON p.original_transaction_id = mine.id
            JOIN purchase_periods d ON d.original_transaction_id = p.original_transaction_id AND d.environment = p.environment
            WHERE p.environment = \(environment.rawValue)
            ORDER BY p.started_at DESC, p.original_transaction_id, d.purchased_at, d.transaction_id
            """, Self.read)
        return Self.purchases(rows)
    }

    /// How many purchases of a user a list has.
    static let listed = 200

    /// Whether a notification was stored before.
    func knows(_ notice: Purchase.Notice, about subject: String) async throws -> Bool {
        try await db.read.ofPrimary.first(
            "SELECT 1 FROM appstore_notifications WHERE subject = \(subject) AND id = \(notice.id)"
        ) { try $0.next(as: Int.self) } != nil
    }

    /// Returns the notifications about a purchase, in the order in which Apple signed them.
    func notices(about key: Purchase.Key) async throws -> [(notice: Purchase.Notice, receivedAt: Date)] {
        try await db.bulk.query(
            """
            SELECT id, type, subtype, signed_at, received_at FROM appstore_notifications
            WHERE subject = \(key.id) AND environment = \(key.environment.rawValue)
            ORDER BY signed_at, id LIMIT 1000
            """
        ) { row in
            let notice = try Purchase.Notice(
                id: row.next(), type: row.next(), subtype: row.next(), signedAt: row.next())
            return (notice, try row.next())
        }
    }

    /// Stores a notification that is not about a purchase. A repeated notification changes nothing.
    func keep(
        _ notice: Purchase.Notice, about subject: String, in environment: OfferCampaign.Environment
    ) async throws {
        try await db.write.run(Self.insert(notice, nil, subject, environment))
    }

    /// Writes a purchase, the notifications behind it, and its events, all or nothing.
    ///
    /// Throws `AccountError.changedMeanwhile` if the purchase is not as it was before, if it is new and more
    /// news wait for it, or if its owner deleted their account.
    /// - Parameter waiting: the ids of the notifications that had waited for it.
    func write(
        _ purchase: Purchase, over before: Purchase?, waiting: [String], notices: [Purchase.Notice],
        telling events: [Statement], noting act: OperatorAct? = nil
    ) async throws {
        var statements: [Statement] = []
        if let owner = purchase.owner { statements.append(Self.lock(owner)) }
        if before == nil {
            statements += [Self.lock(purchase.key), Self.requireNoMore(than: waiting, purchase.key)]
        }
        let change = UUID.random()
        statements += Self.upsert(purchase, change, over: before)
        statements += purchase.periods.filter { !(before?.periods.contains($0) ?? false) }.map {
            Self.upsert($0, of: purchase.key)
        }
        statements += notices.map { Self.insert($0, nil, purchase.key.id, purchase.key.environment) }
        try await batch(statements + events + AuditStore.note(act), on: purchase.key)
    }

    func batch(_ statements: [Statement], on key: Purchase.Key) async throws {
        try await db.write.with(key: key.id).batch(statements, throwing: AccountError.self)
    }

    /// Locks the owner, so that nobody gets a purchase while their account is deleted.
    private static func lock(_ owner: User.ID) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT id FROM users WHERE id = \(owner) AND status <> 'deleted' FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT FROM locked), \(AccountError.changedMeanwhile))
        """
    }

    private static func upsert(_ purchase: Purchase, _ change: UUID, over before: Purchase?) -> [Statement] {
        let (id, environment) = (purchase.key.id, purchase.key.environment.rawValue)
        return [
            """
            INSERT INTO purchases AS p (original_transaction_id, environment, change_id, bundle_id, app_store_id, type,
                                        family_shared, started_at, user_id, tied_at, auto_renews, grace_until,
                                        renews_as, billing_failed, renewal_signed_at, ended_at, consumed_at, consumption_id)
            VALUES (\(id), \(environment), \(change), \(purchase.bundleID), \(purchase.appStoreID), \(purchase.type),
                    \(purchase.isFamilyShared), \(purchase.startedAt), \(purchase.owner), \(purchase.tiedAt),
                    \(purchase.autoRenews), \(purchase.graceUntil), \(purchase.renewsAs), \(purchase.isBillingFailed),
                    \(purchase.renewalSignedAt), \(purchase.endedAt), \(purchase.consumption?.at), \(purchase.consumption?.id))
            ON CONFLICT (original_transaction_id, environment) DO UPDATE
            SET change_id = excluded.change_id, user_id = excluded.user_id, tied_at = excluded.tied_at,
                auto_renews = excluded.auto_renews, grace_until = excluded.grace_until, renews_as = excluded.renews_as,
                billing_failed = excluded.billing_failed, renewal_signed_at = excluded.renewal_signed_at,
                ended_at = excluded.ended_at, consumed_at = excluded.consumed_at, consumption_id = excluded.consumption_id
            WHERE p.change_id = \(before?.changeID)
            """,
            """
            SELECT require(EXISTS (SELECT FROM purchases WHERE original_transaction_id = \(id)
                                   AND environment = \(environment) AND change_id = \(change)), \(AccountError.changedMeanwhile))
            """,
        ]
    }

    private static func upsert(_ period: Purchase.Period, of key: Purchase.Key) -> Statement {
        """
        INSERT INTO purchase_periods (original_transaction_id, environment, transaction_id, product_id, purchased_at,
                                      expires_at, upgraded, quantity, offer_type, offer_id, revoked_at,
                                      revocation_reason, reversed_at, signed_at)
        VALUES (\(key.id), \(key.environment.rawValue), \(period.id), \(period.productID), \(period.purchasedAt),
                \(period.expiresAt), \(period.isUpgraded), \(Int64(period.quantity)), \(period.offer?.type),
                \(period.offer?.identifier), \(period.revokedAt), \(period.revocationReason), \(period.reversedAt), \(period.signedAt))
        ON CONFLICT (original_transaction_id, environment, transaction_id) DO UPDATE
        SET product_id = excluded.product_id, purchased_at = excluded.purchased_at, expires_at = excluded.expires_at,
            upgraded = excluded.upgraded, quantity = excluded.quantity, offer_type = excluded.offer_type, offer_id = excluded.offer_id,
            revoked_at = excluded.revoked_at, revocation_reason = excluded.revocation_reason,
            reversed_at = excluded.reversed_at, signed_at = excluded.signed_at
        """
    }

    /// - Parameter renewal: the renewal that waits for the purchase.
    static func insert(
        _ notice: Purchase.Notice, _ renewal: AppStoreRenewal?, _ subject: String,
        _ environment: OfferCampaign.Environment
    ) -> Statement {
        """
        INSERT INTO appstore_notifications (subject, id, environment, type, subtype, signed_at, auto_renews, grace_until,
                                            renews_as, billing_retry, renewal_signed_at)
        VALUES (\(subject), \(notice.id), \(environment.rawValue), \(notice.type), \(notice.subtype), \(notice.signedAt),
                \(renewal?.renews), \(renewal?.gracePeriodExpiresDate), \(renewal?.autoRenewProductId),
                \(renewal?.isInBillingRetryPeriod), \(renewal?.signedDate))
        ON CONFLICT DO NOTHING
        """
    }
}

/// Reading rows.
extension PurchaseStore {
    private static let columns: Statement = """
        p.original_transaction_id, p.environment, p.change_id, p.bundle_id, p.app_store_id, p.type, p.family_shared,
        p.started_at, p.user_id, p.tied_at, p.auto_renews, p.grace_until, p.renews_as, p.billing_failed, p.renewal_signed_at,
        p.ended_at, p.consumed_at, p.consumption_id,
        \(period)
        """

    private static let period: Statement = """
        d.transaction_id, d.product_id, d.purchased_at, d.expires_at, d.upgraded, d.quantity, d.offer_type, d.offer_id, d.revoked_at,
        d.revocation_reason, d.reversed_at, d.signed_at
        """

    private static func read(_ row: inout Row) throws -> Purchase {
        var purchase = try Purchase(row: &row)
        purchase.periods = [try Purchase.Period(row: &row)]
        return purchase
    }

    /// Puts rows together into purchases. Rows of one purchase follow each other.
    private static func purchases(_ rows: [Purchase]) -> [Purchase] {
        rows.reduce(into: []) { all, row in
            if let last = all.indices.last, all[last].key == row.key {
                all[last].periods += row.periods
            } else {
                all.append(row)
            }
        }
    }

    /// Returns the periods that offer codes gave, newest first, each with its purchase.
    func redemptions(
        in environment: OfferCampaign.Environment, after cursor: Cursor?, limit: Int
    ) async throws -> [(cursor: Cursor, purchase: Purchase)] {
        let page = try await db.bulk.query(
            """
            SELECT purchased_at, transaction_id, original_transaction_id FROM purchase_periods
            WHERE environment = \(environment.rawValue) AND offer_type = 3
              AND \(Cursor.page(behind: cursor, "purchased_at", text: "transaction_id", limit: limit))
            """
        ) { row in
            let cursor = try Cursor(at: row.next(), id: row.next(as: String.self))
            return (cursor, try row.next(as: String.self))
        }
        let rows = try await db.bulk.query(
            """
            SELECT \(Self.columns) FROM purchases p JOIN purchase_periods d
              ON d.original_transaction_id = p.original_transaction_id AND d.environment = p.environment
            WHERE p.original_transaction_id = ANY(\(Array(Set(page.map(\.1))))) AND p.environment = \(environment.rawValue)
            ORDER BY p.original_transaction_id, d.purchased_at, d.transaction_id
            """, Self.read)
        let purchases = Dictionary(uniqueKeysWithValues: Self.purchases(rows).map { ($0.key.id, $0) })
        return page.compactMap { cursor, id in purchases[id].map { (cursor, $0) } }
    }

    /// Returns the purchases with which users redeemed an offer code.
    func redeemed(by users: Set<User.ID>, in environment: OfferCampaign.Environment) async throws
        -> [Purchase]
    {
        if users.isEmpty { return [] }
        let rows = try await db.bulk.query(
            """
            WITH redeemed AS MATERIALIZED (
                SELECT DISTINCT p.original_transaction_id AS id FROM purchases p JOIN purchase_periods d
                  ON d.original_transaction_id = p.original_transaction_id AND d.environment = p.environment
                WHERE p.user_id = ANY(\(users.map(\.uuid))) AND p.environment = \(environment.rawValue) AND d.offer_type = 3
                LIMIT 10000)
            SELECT \(Self.columns)
            FROM redeemed JOIN purchases p ON p.original_transaction_id = redeemed.id
            JOIN purchase_periods d ON d.original_transaction_id = p.original_transaction_id AND d.environment = p.environment
            WHERE p.environment = \(environment.rawValue)
            ORDER BY p.original_transaction_id, d.purchased_at, d.transaction_id
            """, Self.read)
        return Self.purchases(rows)
    }

    /// Returns the uids of users.
    func uids(of users: Set<User.ID>) async throws -> [User.ID: User.UID] {
        try await UserStore(db: db).uids(of: users)
    }
}

extension Purchase {
    fileprivate init(row: inout Row) throws {
        key = try Key(
            id: row.next(), environment: OfferCampaign.Environment(rawValue: row.next()) ?? .sandbox)
        (changeID, bundleID, appStoreID) = try (row.next(), row.next(), row.next())
        (type, isFamilyShared, startedAt) = try (row.next(), row.next(), row.next())
        owner = try row.next(as: UUID?.self).map(User.ID.init)
        (tiedAt, autoRenews, graceUntil) = try (row.next(), row.next(), row.next())
        (renewsAs, isBillingFailed) = try (row.next(), row.next())
        (renewalSignedAt, endedAt) = try (row.next(), row.next())
        let (consumedAt, consumptionID): (Date?, String?) = try (row.next(), row.next())
        consumption = consumedAt.map { Purchase.Consumption(at: $0, id: consumptionID) }
    }
}

extension Purchase.Period {
    fileprivate init(row: inout Row) throws {
        (id, productID) = try (row.next(), row.next())
        (purchasedAt, expiresAt, isUpgraded) = try (row.next(), row.next(), row.next())
        quantity = Int(try row.next(as: Int64.self))
        let (type, identifier): (Int64?, String?) = try (row.next(), row.next())
        offer = type.map { Purchase.Offer(type: $0, identifier: identifier) }
        (revokedAt, revocationReason) = try (row.next(), row.next())
        (reversedAt, signedAt) = try (row.next(), row.next())
    }
}
