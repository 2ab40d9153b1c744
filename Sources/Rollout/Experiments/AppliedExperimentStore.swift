import Kernel
import Postgres

/// The section `experiments` of the file of `kith apply`, beside what was counted.
struct AppliedExperimentStore: SectionStore {
    private let db: Database
    private let forecast: ForecastStore<AppliedExperiments>

    init(db: Database) {
        (self.db, forecast) = (db, ForecastStore(db: db))
    }

    func applied() async throws -> AppliedExperiments { try await forecast.applied() }

    func plan(for file: AppliedSections, beside app: AppConfig) async throws -> SectionPlan {
        guard let wanted = file[AppliedExperiments.self] else { return SectionPlan() }
        let former = try await forecast.read()
        var plan = try await forecast.plan(for: file, over: former)
        plan.mistakes += try await mistakes(in: wanted, over: former.content)
        plan.changes.append(guarding(wanted, over: former.content))
        return plan
    }

    /// Which experiments begin a phase that was counted, or one before it, in the words of the file. What is
    /// applied does not say by which definition it was: units of both would count together.
    /// - Parameter former: what is applied.
    func mistakes(
        in wanted: AppliedExperiments, over former: AppliedExperiments
    ) async throws -> [String] {
        let begun = wanted.begun(over: former)
        guard !begun.isEmpty else { return [] }
        let found = try await db.bulk.ofPrimary.batch(ExperimentStore.lastPhases(begun)).flatMap { rows in
            try rows.map { row in (try row.next(as: String.self), Int(try row.next(as: Int64.self))) }
        }
        let last = Dictionary(found) { max($0, $1) }
        return begun.compactMap { experiment in
            last[experiment.key].map { phase in
                "experiments.\(experiment.key).phase: phase \(phase) has exposures of an earlier definition: set phase: \(phase + 1)"
            }
        }
    }

    /// Changes nothing, and keeps the others from being written if a phase that begins was counted meanwhile.
    func guarding(
        _ wanted: AppliedExperiments, over former: AppliedExperiments
    ) -> AppliedStore.Change {
        AppliedStore.Change(wanted.begun(over: former).flatMap(ExperimentStore.requireUncounted))
    }
}
