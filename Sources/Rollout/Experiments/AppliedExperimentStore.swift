import Foundation
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

    func plan(
        for file: AppliedSections, beside app: AppConfig, in zone: TimeZone
    ) async throws -> SectionPlan {
        guard let wanted = file[AppliedExperiments.self] else { return SectionPlan() }
        let former = try await forecast.read()
        var plan = try await forecast.plan(for: file, over: former, in: zone)
        let begun = try await begun(wanted, over: former.content)
        plan.mistakes += begun.mistakes
        plan.changes.append(AppliedStore.Change(begun.uncounted.flatMap(ExperimentStore.requireUncounted)))
        let values =
            if let values = file[AppliedValues.self] { values } else {
                try await AppliedFileStore<AppliedValues>(db: db).applied()
            }
        let rules = wanted.read().rules
        for experiment in former.content.read().rules.experiments
        where rules[experiment.key]?.isInEffect != true && experiment.isReplaced(by: values) {
            plan.dangers[ItemName(AppliedExperiments.name, experiment.key)] = nil
        }
        for experiment in wanted.won(over: former.content) {
            let broken = try await brokenGuardrails(of: experiment)
            if broken.isEmpty { continue }
            plan.dangers[ItemName(AppliedExperiments.name, experiment.key)] =
                "its winner breaks its guardrail \(broken.joined(separator: ", "))"
        }
        return plan
    }

    /// Returns the guardrails that the winner of an experiment breaks, by their goals.
    private func brokenGuardrails(of experiment: Experiment) async throws -> [String] {
        if experiment.guardrails.isEmpty { return [] }
        let counts = try await ExperimentStore(db: db).counts(of: experiment.key, phase: experiment.phase)
        let winner = ExperimentResults(experiment, counts.total).variations.first {
            $0.name == experiment.winner
        }
        return winner?.goals.filter { $0.value.guardrail == .broken }.keys.sorted() ?? []
    }

    /// Returns the experiments that begin a phase, with the phases that must not be counted, and which of
    /// them cannot, in the words of the file: one of another definition than the phase has counts of, whose
    /// units would count together.
    /// - Parameter former: what is applied.
    func begun(
        _ wanted: AppliedExperiments, over former: AppliedExperiments
    ) async throws -> (uncounted: [Experiment], mistakes: [String]) {
        let begun = wanted.begun(over: former)
        guard !begun.isEmpty else { return ([], []) }
        let found = try await db.bulk.ofPrimary.batch(ExperimentStore.lastPhases(begun)).flatMap { rows in
            try rows.map { row in (try row.next(as: String.self), Int(try row.next(as: Int64.self))) }
        }
        let last = Dictionary(found) { max($0, $1) }
        var mistakes: [String] = []
        for experiment in begun {
            guard let phase = last[experiment.key] else { continue }
            if phase == experiment.phase, try await isResumed(experiment) { continue }
            mistakes.append(
                "experiments.\(experiment.key).phase: phase \(phase) has exposures of another definition: set phase: \(phase + 1)"
            )
        }
        // Of a phase that goes on, no later one may be counted meanwhile.
        let uncounted = begun.map { experiment in
            var experiment = experiment
            if last[experiment.key] != nil { experiment.phase += 1 }
            return experiment
        }
        return (uncounted, mistakes)
    }

    /// Whether an experiment goes on with a phase as it was, such as one that was removed by mistake.
    private func isResumed(_ experiment: Experiment) async throws -> Bool {
        let item = ItemName(AppliedExperiments.name, experiment.key)
        let changes = try await PublicationStore(db: db).changes(of: item, phase: experiment.phase, limit: 1)
        let past = ExperimentHistory(experiment.key, changes)
        return past.definition(of: experiment.phase, applied: nil).map { old in
            experiment.changes(since: old).isEmpty && experiment.isForSame(as: old)
        } ?? false
    }
}
