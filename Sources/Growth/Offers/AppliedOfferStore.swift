import Foundation
import Kernel
import Postgres

/// The section `offers` of the file of `kith apply`.
struct AppliedOfferStore: SectionStore {
    let db: Database

    func applied() async throws -> AppliedOffers { AppliedOffers(try await campaigns()) }

    func plan(
        for file: AppliedSections, beside app: AppConfig, in zone: TimeZone
    ) async throws -> SectionPlan {
        guard let wanted = file[AppliedOffers.self] else { return SectionPlan() }
        let campaigns = try await campaigns()
        var plan = SectionPlan(from: AppliedOffers(campaigns), to: wanted) {
            change(from: campaigns, to: wanted)
        }
        plan.mistakes += try await mistakes(in: wanted, over: campaigns)
        return plan
    }

    func campaigns() async throws -> [OfferCampaign] {
        try await db.bulk.ofPrimary.query(
            "SELECT \(OfferStore.columns) FROM offer_campaigns c ORDER BY c.key", OfferCampaign.init(row:))
    }

    /// What a file wants of campaigns with codes that cannot be, in its words.
    private func mistakes(in wanted: AppliedOffers, over campaigns: [OfferCampaign]) async throws -> [String]
    {
        let others = Dictionary(uniqueKeysWithValues: wanted.read().rules.map { ($0.key, $0) })
        let mistakes = campaigns.compactMap { campaign -> (key: String, why: String)? in
            let key = campaign.key.text
            guard let other = others[campaign.key] else {
                return (
                    key,
                    "offers.\(key): has codes, so it cannot go: leave it in, with quarterBudget: 0 to deal no more of them"
                )
            }
            let isSame =
                (campaign.appStoreID, campaign.offer, campaign.environment)
                == (other.appStoreID, other.offer, other.environment)
            return isSame
                ? nil
                : (key, "offers.\(key): has codes of another app, offer or environment: use another key")
        }
        guard !mistakes.isEmpty else { return [] }
        let haveCodes = try await db.bulk.batch(
            mistakes.map { "SELECT EXISTS (SELECT FROM offer_codes WHERE campaign = \($0.key))" })
        return try zip(mistakes, haveCodes).compactMap { mistake, hasCodes in
            try hasCodes.first { try $0.next(as: Bool.self) } == true ? mistake.why : nil
        }
    }

    /// Returns a change that writes nothing unless each campaign is still as it was found, or already as
    /// wanted.
    func change(from campaigns: [OfferCampaign], to wanted: AppliedOffers) -> AppliedStore.Change {
        let before = Dictionary(uniqueKeysWithValues: campaigns.map { ($0.key, $0) })
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
