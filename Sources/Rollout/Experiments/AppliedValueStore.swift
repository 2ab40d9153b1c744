package import Kernel
package import Postgres

/// The section `values` of the file of `kith apply`, and what a change of it would do.
package struct AppliedValueStore: SectionStore {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    private var file: AppliedFileStore<AppliedValues> { AppliedFileStore(db: db) }

    package func applied() async throws -> AppliedValues { try await file.applied() }

    package func plan(for file: AppliedSections, beside app: AppConfig) async throws -> SectionPlan {
        guard let wanted = file[AppliedValues.self] else { return SectionPlan() }
        let former = try await self.file.read()
        var plan = try AppliedFileStore.plan(for: file, over: former)
        guard !plan.lines.isEmpty else { return plan }
        plan.effects =
            ValueForecast(
                day: try await VersionCountStore(db: db).yesterday(),
                before: former.content.read().rules.values, after: wanted.read().rules.values
            ).sentences
        return plan
    }
}
