import Kernel
import Postgres
import Web

/// Creating campaigns, and changing them.
extension OfferStore {
    /// Creates the campaign, or changes what may change, and publishes the change. True if it is new.
    ///
    /// Throws `otherApp` if it has codes and is for another app, offer or environment. Throws `rewarded` if a
    /// program of rewards gives its codes, and it would be for another app, or have one code for all. Throws
    /// `changedMeanwhile` after losing to other publications a hundred times in a row.
    func put(_ campaign: OfferCampaign, by actor: AuditActor) async throws -> Bool {
        for _ in 1...100 {
            // The revision is read first: whoever changes the campaign after that makes another.
            let revision = try await PublicationStore(db: db).revision()
            let change = ItemChange(
                ItemName(AppliedOffers.name, campaign.key.text),
                before: try await AppliedOfferStore(db: db).applied().entries[campaign.key.text],
                after: campaign.fields)
            let content = Publication.Content(actor: actor, source: .call, reason: nil, items: [change])
            let publication =
                change.before == change.after ? [] : try PublicationStore.write(content, over: revision)
            do {
                let results = try await db.write.batch(
                    publication + Self.replace(campaign), throwing: OfferError.self)
                return results[publication.count].affected > 0
            } catch let error as PostgresError where error.outcome(AppliedStore.Outcome.self) != nil {
                continue
            }
        }
        throw Problem.changedMeanwhile
    }

    private static func replace(_ campaign: OfferCampaign) -> [Statement] {
        write(campaign, if: "NOT (\(isRewarded(campaign)))") + [
            "SELECT require(NOT EXISTS (SELECT FROM offer_campaigns WHERE \(isRewarded(campaign))), \(OfferError.rewarded))",
            """
            SELECT require(EXISTS (SELECT FROM offer_campaigns WHERE key = \(campaign.key.text) AND \(isOfSame(campaign))),
                           \(OfferError.otherApp))
            """,
        ]
    }

    /// Returns a condition: an applied program gives the campaign's codes, and its row is for another app, or
    /// it would get a code for everybody.
    private static func isRewarded(_ campaign: OfferCampaign) -> Statement {
        """
        key = \(campaign.key.text) AND (app_store_id <> \(campaign.appStoreID) OR \(campaign.sharedCode != nil))
        AND EXISTS (SELECT FROM applied_files f CROSS JOIN LATERAL jsonb_each(f.content->'entries') e
                    WHERE f.section = 'rewards'
                      AND \(campaign.key.text) IN (e.value->>'inviter.offer', e.value->>'invitee.offer'))
        """
    }

    /// Creates the campaign, or changes it if the condition holds for its row, and it has no codes for
    /// another app, offer or environment.
    static func write(_ campaign: OfferCampaign, if condition: Statement) -> [Statement] {
        let (key, budget) = (campaign.key.text, campaign.quarterBudget.map(Int64.init))
        return [
            """
            INSERT INTO offer_campaigns (key, app_store_id, offer, product_id, environment, low_water, quarter_budget,
                                         rewards_only, shared_code)
            VALUES (\(key), \(campaign.appStoreID), \(campaign.offer), \(campaign.productID), \(campaign.environment.rawValue),
                    \(campaign.lowWater), \(budget), \(campaign.rewardsOnly), \(campaign.sharedCode?.text))
            ON CONFLICT DO NOTHING
            """,
            lock(campaign.key),
            """
            UPDATE offer_campaigns
            SET app_store_id = \(campaign.appStoreID), offer = \(campaign.offer), product_id = \(campaign.productID),
                environment = \(campaign.environment.rawValue), low_water = \(campaign.lowWater), quarter_budget = \(budget),
                rewards_only = \(campaign.rewardsOnly), shared_code = \(campaign.sharedCode?.text)
            WHERE key = \(key) AND \(condition)
              AND (\(isOfSame(campaign)) OR NOT EXISTS (SELECT FROM offer_codes WHERE campaign = \(key)))
            """,
        ]
    }

    /// Locks the campaign. It waits for an import that is about to end, so that the next statement sees its
    /// codes.
    static func lock(_ key: OfferCampaign.Key) -> Statement {
        "SELECT key FROM offer_campaigns WHERE key = \(key.text) FOR UPDATE"
    }

    /// Returns a condition: a row is for the same app, offer and environment.
    private static func isOfSame(_ campaign: OfferCampaign) -> Statement {
        """
        (app_store_id = \(campaign.appStoreID) AND offer = \(campaign.offer) AND environment = \(campaign.environment.rawValue))
        """
    }

    /// Returns a condition: a row has all values of the campaign.
    static func isExactly(_ campaign: OfferCampaign) -> Statement {
        """
        (\(isOfSame(campaign)) AND product_id IS NOT DISTINCT FROM \(campaign.productID) AND low_water = \(campaign.lowWater)
         AND quarter_budget IS NOT DISTINCT FROM \(campaign.quarterBudget.map(Int64.init))
         AND rewards_only = \(campaign.rewardsOnly) AND shared_code IS NOT DISTINCT FROM \(campaign.sharedCode?.text))
        """
    }

    /// Returns the campaigns whose codes were encrypted with another `KITH_SECRETS_KEY`.
    /// - Parameter mark: the mark of our key. Nil if we have none.
    package func keys(otherThan mark: [UInt8]?) async throws -> [OfferCampaign.Key] {
        try await db.bulk.query(Self.keys(otherThan: mark)) { try OfferCampaign.Key(stored: $0.next()) }
    }

    static func keys(otherThan mark: [UInt8]?) -> Statement {
        "SELECT key FROM offer_campaigns WHERE key_mark IS NOT NULL AND key_mark IS DISTINCT FROM \(mark) ORDER BY key"
    }
}
