import Foundation
import Kernel
import Postgres

/// The data with which observed redemptions are compared.
extension OfferStore {
    /// A code that was dealt to a user, without the code itself.
    struct DealtCode: Sendable, Equatable {
        var user: User.ID
        var campaign: OfferCampaign.Key
        var dealtAt: Date
        var expiresAt: Date
    }

    /// Returns the campaigns of some offers, by their keys.
    func campaigns(
        of offers: Set<String>, in environment: OfferCampaign.Environment
    ) async throws -> [OfferCampaign] {
        if offers.isEmpty { return [] }
        return try await db.lists.query(
            """
            SELECT \(Self.columns) FROM offer_campaigns c
            WHERE c.offer = ANY(\(Array(offers))) AND c.environment = \(environment.rawValue) ORDER BY c.key LIMIT 1000
            """
        ) { try OfferCampaign(row: &$0) }
    }

    /// Returns the codes dealt to these users, oldest first.
    func dealt(
        to users: Set<User.ID>, in environment: OfferCampaign.Environment, ofApp appStoreID: String? = nil
    ) async throws -> [DealtCode] {
        if users.isEmpty { return [] }
        let isOfApp: Statement = appStoreID.map { "c.app_store_id = \($0)" } ?? "true"
        return try await db.lists.query(
            """
            SELECT o.user_id, o.campaign, o.dealt_at, o.expires_at
            FROM offer_codes o JOIN offer_campaigns c ON c.key = o.campaign
            WHERE o.user_id = ANY(\(users.map(\.uuid))) AND c.environment = \(environment.rawValue) AND \(isOfApp)
            ORDER BY o.dealt_at, o.campaign LIMIT 10000
            """
        ) { row in
            try DealtCode(
                user: User.ID(row.next()), campaign: .init(stored: row.next()), dealtAt: row.next(),
                expiresAt: row.next())
        }
    }
}
