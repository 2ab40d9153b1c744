package import Kernel
package import Postgres

/// The section `offers` of the file of `kith apply`.
package struct AppliedOfferStore: SectionStore {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    package func applied() async throws -> AppliedOffers { try await read().offers }

    package func plan(for file: AppliedSections, beside app: AppConfig) async throws -> SectionPlan {
        guard let wanted = file[AppliedOffers.self] else { return SectionPlan() }
        let found = try await read()
        var plan = SectionPlan(from: found.offers, to: wanted) { change(from: found, to: wanted) }
        plan.mistakes += found.mistakes(in: wanted)
        return plan
    }

    /// What is applied.
    struct Found: Sendable {
        let offers: AppliedOffers
        let campaigns: [OfferCampaign]
        /// The keys of the campaigns with codes.
        let withCodes: Set<String>

        /// What a file wants that cannot be, in its words.
        func mistakes(in wanted: AppliedOffers) -> [String] {
            let others = Dictionary(uniqueKeysWithValues: wanted.read().rules.map { ($0.key, $0) })
            return campaigns.filter { withCodes.contains($0.key.text) }.compactMap { campaign in
                let place = "offers.\(campaign.key.text)"
                guard let other = others[campaign.key] else {
                    return
                        "\(place): has codes, so it cannot go: leave it in, with quarterBudget: 0 to deal no more of them"
                }
                let isSame =
                    (campaign.appStoreID, campaign.offer, campaign.environment)
                    == (other.appStoreID, other.offer, other.environment)
                return isSame
                    ? nil : "\(place): has codes of another app, offer or environment: use another key"
            }
        }
    }

    func read() async throws -> Found {
        let rows = try await db.bulk.ofPrimary.query(
            """
            WITH used AS MATERIALIZED (SELECT DISTINCT campaign FROM offer_codes)
            SELECT \(OfferStore.columns), used.campaign IS NOT NULL
            FROM offer_campaigns c LEFT JOIN used ON used.campaign = c.key ORDER BY c.key
            """
        ) { row in try (OfferCampaign(row: &row), row.next(as: Bool.self)) }
        let campaigns = rows.map(\.0)
        return Found(
            offers: AppliedOffers(campaigns), campaigns: campaigns,
            withCodes: Set(rows.filter(\.1).map(\.0.key.text)))
    }

    /// Returns a change that writes nothing unless each campaign is still as it was found, or already as
    /// wanted.
    func change(from found: Found, to wanted: AppliedOffers) -> AppliedStore.Change {
        let before = Dictionary(uniqueKeysWithValues: found.campaigns.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: wanted.read().rules.map { ($0.key, $0) })
        // Campaigns are changed in one order, so that two calls of `kith apply` never wait for each other.
        let keys = Set(before.keys).union(after.keys).sorted { $0.text < $1.text }
        return AppliedStore.Change(
            keys.filter { before[$0] != after[$0] }.flatMap { key in
                after[key].map { Self.write($0, over: before[key]) } ?? Self.delete(before[key])
            })
    }

    /// Returns a change that writes nothing. It keeps the other changes from being written unless these
    /// campaigns exist, each for the app that `offers` says.
    func guarding(_ campaigns: Set<String>, of offers: AppliedOffers) -> AppliedStore.Change {
        let apps = Dictionary(uniqueKeysWithValues: offers.read().rules.map { ($0.key.text, $0.appStoreID) })
        return AppliedStore.Change(
            campaigns.sorted().flatMap { key -> [Statement] in
                [
                    OfferStore.lock(.init(stored: key)),
                    """
                    SELECT require(EXISTS (SELECT FROM offer_campaigns WHERE key = \(key) AND app_store_id = \(apps[key] ?? "")),
                                   \(AppliedStore.Outcome.changedMeanwhile))
                    """,
                ]
            })
    }

    private static func write(_ campaign: OfferCampaign, over before: OfferCampaign?) -> [Statement] {
        OfferStore.write(campaign, if: OfferStore.isExactly(before ?? campaign)) + [
            """
            SELECT require(EXISTS (SELECT FROM offer_campaigns WHERE key = \(campaign.key.text)
                                   AND \(OfferStore.isExactly(campaign))), \(AppliedStore.Outcome.changedMeanwhile))
            """
        ]
    }

    private static func delete(_ campaign: OfferCampaign?) -> [Statement] {
        guard let campaign else { return [] }
        let key = campaign.key.text
        return [
            OfferStore.lock(campaign.key),
            """
            DELETE FROM offer_campaigns WHERE key = \(key) AND \(OfferStore.isExactly(campaign))
            AND NOT EXISTS (SELECT FROM offer_codes WHERE campaign = \(key))
            """,
            """
            SELECT require(NOT EXISTS (SELECT FROM offer_campaigns WHERE key = \(key)), \(AppliedStore.Outcome.changedMeanwhile))
            """,
        ]
    }
}
