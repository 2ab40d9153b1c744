import Events
import Foundation
package import Kernel
package import Postgres
import Web

/// What a feature adds to the batch that deals a code.
package protocol OfferDealingRule: SendableMetatype {
    /// Ends the batch with `OfferError.notEarned` if the user may not have a code of the campaign.
    static func requireEarned(_ campaign: String, _ user: User.ID) -> Statement

    /// Returns statements that note that the user has a code, perhaps from an earlier call.
    static func noteDealt(_ campaign: String, _ user: User.ID) -> [Statement]
}

/// Every statement on `offer_campaigns` and `offer_codes`, except those of imports.
package struct OfferStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// What was dealt to a user.
    struct Dealt: Sendable {
        var campaign: OfferCampaign
        var id: UUID
        var sealed: [UInt8]
        var expiresAt: Date
        var isNew: Bool
    }

    /// Deals the user a code, or returns the one that they were dealt before. If many users call at once,
    /// each gets another code: a call that finds a code locked takes the next. Throws an `OfferError`, or
    /// `AccountError.inactive`.
    /// - Parameters:
    ///   - rule: what else decides, and is notified.
    ///   - deal: a random number of this call.
    ///   - mark: the mark of the key that opens codes.
    ///   - act: what the audit is to say if an operator deals it.
    func deal(
        _ key: OfferCampaign.Key, to user: User.ID, by rule: any OfferDealingRule.Type,
        deal: UUID = .random(),
        mark: [UInt8], noting act: OperatorAct? = nil
    ) async throws -> Dealt {
        let campaign = key.text
        let isDealt: Statement = """
            EXISTS (SELECT FROM offer_codes o WHERE o.campaign = \(campaign) AND o.user_id = \(user) AND o.deal_id = \(deal))
            """
        let statements: [Statement] =
            [
                // The lock lets two calls of one user run one after another.
                UserStore.lockActive(user, else: AccountError.inactive),
                "SELECT require(EXISTS (SELECT FROM offer_campaigns WHERE key = \(campaign)), \(OfferError.unknown))",
                rule.requireEarned(campaign, user),
                """
                SELECT require(NOT EXISTS (SELECT FROM offer_campaigns WHERE key = \(campaign) AND key_mark <> \(mark)),
                               \(OfferError.unreadable))
                """,
                """
                WITH next AS MATERIALIZED (
                    SELECT id FROM offer_codes
                    WHERE campaign = \(campaign) AND dealt_at IS NULL
                      AND expires_at > now() + \(OfferCampaign.daysLeft) * interval '1 day'
                      AND NOT EXISTS (SELECT FROM offer_codes mine WHERE mine.campaign = \(campaign) AND mine.user_id = \(user))
                    ORDER BY expires_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
                UPDATE offer_codes o SET dealt_at = now(), deal_id = \(deal), user_id = \(user)
                FROM next WHERE o.campaign = \(campaign) AND o.id = next.id
                """,
                """
                SELECT require(EXISTS (SELECT FROM offer_codes WHERE campaign = \(campaign) AND user_id = \(user)), \(OfferError.empty))
                """,
                """
                -- No CASE: Citus allows no now() in it.
                UPDATE offer_campaigns c
                SET quarter = date_trunc('quarter', now() AT TIME ZONE 'UTC')::date,
                    quarter_dealt = c.quarter_dealt * (
                        c.quarter IS NOT DISTINCT FROM date_trunc('quarter', now() AT TIME ZONE 'UTC')::date)::int + 1
                WHERE c.key = \(campaign) AND c.quarter_budget IS NOT NULL AND \(isDealt)
                """,
                """
                SELECT require(NOT EXISTS (
                    SELECT FROM offer_campaigns c WHERE c.key = \(campaign) AND c.quarter_dealt > c.quarter_budget AND \(isDealt)),
                    \(OfferError.budgetUsed))
                """,
                EventStore.record(
                    of: """
                        WITH dealt AS MATERIALIZED (
                            SELECT user_id, campaign FROM offer_codes
                            WHERE campaign = \(campaign) AND user_id = \(user) AND deal_id = \(deal))
                        SELECT user_id, \(Event.Kind.offerDealt.rawValue), NULL::uuid,
                               json_build_object('campaign', campaign)::text FROM dealt
                        """),
            ] + rule.noteDealt(campaign, user) + AuditStore.note(act) + [
                """
                SELECT \(Self.columns), o.id, o.sealed, o.expires_at, o.deal_id = \(deal)
                FROM offer_codes o JOIN offer_campaigns c ON c.key = o.campaign
                WHERE o.campaign = \(campaign) AND o.user_id = \(user)
                """
            ]
        let results = try await db.write.with(key: user).batch(
            statements, throwing: AccountError.self, OfferError.self)
        let dealt = try results.last?.first { row in
            try Dealt(
                campaign: OfferCampaign(row: &row), id: row.next(), sealed: row.next(),
                expiresAt: row.next(), isNew: row.next())
        }
        guard let dealt else { throw OfferError.empty }
        return dealt
    }

    /// Returns the campaign. Nil if there is none.
    func find(_ key: OfferCampaign.Key) async throws -> OfferCampaign? {
        try await db.read.ofPrimary.first(
            "SELECT \(Self.columns) FROM offer_campaigns c WHERE c.key = \(key.text)"
        ) { try OfferCampaign(row: &$0) }
    }

    /// A campaign, and how many of its codes are in which state.
    struct Pool: Sendable {
        var campaign: OfferCampaign
        /// Codes that may be dealt.
        var free = 0
        /// Codes that are not dealt, and expire too soon for it.
        var stale = 0
        var dealt = 0
        /// Codes among `free` and `stale` that expire within `daysToTell`, and have not expired.
        var expiring = 0
        /// When the first of these expires that operators were not told about. Nil if there is none.
        var firstUntold: Date?
        var isLow = false
        /// How many were dealt in this quarter. They are counted only if there is a budget.
        var quarterDealt = 0

        /// Whether any codes were ever imported.
        var hasCodes: Bool { free + stale + dealt > 0 }
    }

    /// Returns all campaigns with their counts, by their keys.
    func pools(_ key: OfferCampaign.Key? = nil) async throws -> [Pool] {
        let (all, which): (Statement, Statement) =
            key.map { ("WHERE c.key = \($0.text)", "WHERE campaign = \($0.text)") } ?? ("", "")
        return try await db.bulk.query(
            """
            WITH counted AS MATERIALIZED (
                SELECT campaign,
                       count(*) FILTER (WHERE dealt_at IS NULL AND expires_at > now() + \(OfferCampaign.daysLeft) * interval '1 day') AS free,
                       count(*) FILTER (WHERE dealt_at IS NULL AND expires_at <= now() + \(OfferCampaign.daysLeft) * interval '1 day') AS stale,
                       count(*) FILTER (WHERE dealt_at IS NOT NULL) AS dealt,
                       count(*) FILTER (WHERE \(Self.isExpiring)) AS expiring,
                       min(expires_at) FILTER (WHERE \(Self.isExpiring) AND (expiring_until IS NULL OR expires_at > expiring_until))
                           AS first_untold
                FROM offer_codes JOIN offer_campaigns ON key = campaign \(which) GROUP BY campaign)
            SELECT \(Self.columns), coalesce(n.free, 0), coalesce(n.stale, 0), coalesce(n.dealt, 0),
                   coalesce(n.expiring, 0), n.first_untold, c.low_since IS NOT NULL,
                   CASE WHEN c.quarter = date_trunc('quarter', now() AT TIME ZONE 'UTC')::date THEN c.quarter_dealt ELSE 0 END
            FROM offer_campaigns c LEFT JOIN counted n ON n.campaign = c.key \(all) ORDER BY c.key
            """
        ) { row in
            try Pool(
                campaign: OfferCampaign(row: &row), free: Self.int(&row), stale: Self.int(&row),
                dealt: Self.int(&row), expiring: Self.int(&row), firstUntold: row.next(), isLow: row.next(),
                quarterDealt: Self.int(&row))
        }
    }

    private static let isExpiring: Statement = """
        dealt_at IS NULL AND expires_at > now() AND expires_at <= now() + \(OfferCampaign.daysToTell) * interval '1 day'
        """

    private static func int(_ row: inout Row) throws -> Int { Int(try row.next(as: Int64.self)) }

    static let columns: Statement =
        "c.key, c.app_store_id, c.offer, c.product_id, c.environment, c.low_water, c.quarter_budget, c.rewards_only, c.shared_code"
}

/// Tells operators. If several servers see something at once, one of them tells it.
extension OfferStore {
    /// Tells that few codes are left. False if that was told before.
    func tellLow(_ pool: Pool) async throws -> Bool {
        try await tell(
            .offerLow, ["campaign": .text(pool.campaign.key.text), "left": .number(pool.free)],
            """
            UPDATE offer_campaigns SET low_since = now() WHERE key = \(pool.campaign.key.text) AND low_since IS NULL RETURNING 1
            """)
    }

    /// Notes that enough codes are left again, so that operators are told the next time.
    func endLow(_ pool: Pool) async throws {
        try await db.write.run(
            "UPDATE offer_campaigns SET low_since = NULL WHERE key = \(pool.campaign.key.text) AND low_since IS NOT NULL"
        )
    }

    /// Tells that codes expire unused up to a time. False if that was told before.
    /// - Parameter first: when the first of them expires.
    func tellExpiring(_ pool: Pool, first: Date, until time: Date) async throws -> Bool {
        try await tell(
            .offerExpiring,
            [
                "campaign": .text(pool.campaign.key.text), "left": .number(pool.expiring),
                "expiresAt": .text(JSON.timestamp(first)),
            ],
            """
            UPDATE offer_campaigns SET expiring_until = \(time)
            WHERE key = \(pool.campaign.key.text) AND (expiring_until IS NULL OR expiring_until < \(first)) RETURNING 1
            """)
    }

    private func tell(
        _ kind: Event.Kind, _ facts: [String: EventFact], _ change: Statement
    ) async throws -> Bool {
        try await db.write.batch(
            [
                """
                WITH changed AS (\(change))
                SELECT require(EXISTS (SELECT FROM changed), \(Told.before))
                """,
                EventStore.record(kind, .nobody, facts: facts),
            ], unless: Told.before) != nil
    }

    private enum Told: String, GuardOutcome {
        case before = "told_before"
    }
}

extension OfferCampaign {
    init(row: inout Row) throws {
        try self.init(
            key: Key(stored: row.next()), appStoreID: row.next(), offer: row.next(), productID: row.next(),
            environment: Environment(rawValue: row.next()) ?? .sandbox,
            lowWater: Int(row.next(as: Int64.self)), quarterBudget: row.next(as: Int64?.self).map { Int($0) },
            rewardsOnly: row.next(), sharedCode: row.next(as: String?.self).flatMap { OfferCode($0) })
    }
}
