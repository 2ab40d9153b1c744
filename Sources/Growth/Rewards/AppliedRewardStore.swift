import Foundation
import Kernel
import Postgres

/// The section `rewards` of the file of `kith apply`, whose programs deal codes of the section `offers`.
struct AppliedRewardStore: SectionStore {
    let db: Database

    private var file: AppliedFileStore<AppliedRewards> { AppliedFileStore(db: db) }

    func applied() async throws -> AppliedRewards { try await file.applied() }

    /// Refuses programs whose campaigns of offers are not there, or of no app here.
    func plan(
        for file: AppliedSections, beside app: AppConfig, in zone: TimeZone
    ) async throws -> SectionPlan {
        guard file[AppliedOffers.self] != nil || file[AppliedRewards.self] != nil else {
            return SectionPlan()
        }
        let former = try await self.file.read()
        var plan = try AppliedFileStore.plan(for: file, over: former)
        let offerStore = AppliedOfferStore(db: db)
        let offers =
            if let offers = file[AppliedOffers.self] { offers } else { try await offerStore.applied() }
        let apps =
            if let apps = file[AppliedApps.self] { apps } else {
                try await AppliedFileStore<AppliedApps>(db: db).applied()
            }
        let rewards = file[AppliedRewards.self] ?? former.content
        plan.mistakes += rewards.mistakes(among: offers, of: apps.appStoreIDs(and: app.appStoreID))
        // The campaigns that the file adds are there by then, and the programs' version is not yet another.
        plan.changes.insert(
            contentsOf: [
                offerStore.guarding(rewards.campaigns, of: offers), AppliedStore.Change(unless: former),
            ], at: 0)
        return plan
    }
}
