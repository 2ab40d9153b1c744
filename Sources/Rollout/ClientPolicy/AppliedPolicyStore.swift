package import Kernel
package import Postgres

/// The section `policies` of the file of `kith apply`, and what a change of it would do.
package struct AppliedPolicyStore: SectionStore {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    private var file: AppliedFileStore<AppliedPolicies> { AppliedFileStore(db: db) }

    package func applied() async throws -> AppliedPolicies { try await file.applied() }

    package func plan(for file: AppliedSections, beside app: AppConfig) async throws -> SectionPlan {
        guard let wanted = file[AppliedPolicies.self] else { return SectionPlan() }
        let former = try await self.file.read()
        var plan = try AppliedFileStore.plan(for: file, over: former)
        guard !plan.lines.isEmpty else { return plan }
        plan.effects =
            PolicyForecast(
                day: try await VersionCountStore(db: db).yesterday(), before: former.content.read().rules,
                after: wanted.read().rules
            ).sentences
        return plan
    }
}
