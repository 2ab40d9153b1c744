import Counts
import Foundation
import Kernel
import Postgres

/// A section that says what a change of it would have done for the apps of a day.
protocol ForecastSection: KeyedSection {
    /// Returns what would become different if it replaced what is applied, in sentences.
    func forecast(over former: Self, for day: CountedDay) -> [String]

    /// Returns what the calls of the day would be answered. Nil if that is not counted.
    func answers(over former: Self, for day: CountedDay) -> AnsweredCalls?
}

extension ForecastSection {
    func answers(over former: Self, for day: CountedDay) -> AnsweredCalls? { nil }
}

/// A section of the file of `kith apply`, with what a change of it would do for the apps of yesterday.
struct ForecastStore<Section: ForecastSection>: SectionStore {
    private let db: Database
    private let file: AppliedFileStore<Section>

    init(db: Database) {
        (self.db, file) = (db, AppliedFileStore(db: db))
    }

    func applied() async throws -> Section { try await file.applied() }

    /// Returns what is applied, with its version.
    func read() async throws -> AppliedStore.Applied<Section> { try await file.read() }

    func plan(
        for file: AppliedSections, beside app: AppConfig, in zone: TimeZone
    ) async throws -> SectionPlan {
        try await plan(for: file, over: read(), in: zone)
    }

    /// Returns what makes the file true in place of what was read.
    func plan(
        for file: AppliedSections, over found: AppliedStore.Applied<Section>, in zone: TimeZone
    ) async throws -> SectionPlan {
        var plan = try AppliedFileStore.plan(for: file, over: found)
        guard let wanted = file[Section.self], !plan.lines.isEmpty else { return plan }
        var numbers = CountPolicy()
        numbers.zone = zone
        let yesterday = try await VersionCountStore(db: db, numbers: numbers).yesterday()
        plan.effects = wanted.forecast(over: found.content, for: yesterday)
        plan.answers = wanted.answers(over: found.content, for: yesterday)
        return plan
    }
}
