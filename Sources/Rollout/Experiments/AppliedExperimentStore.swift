package import Kernel
package import Postgres

/// The section `experiments` of the file of `kith apply`, and what was counted.
package struct AppliedExperimentStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns which experiments begin a phase that was already counted, or one before it, in the words of
    /// the file. Nothing says by which definition the units were counted, so units of both would count
    /// together.
    /// - Parameter former: what is applied now.
    package func mistakes(
        in wanted: AppliedExperiments, over former: AppliedExperiments
    ) async throws -> [String] {
        let begun = wanted.begun(over: former)
        guard !begun.isEmpty else { return [] }
        let last = Dictionary(
            uniqueKeysWithValues: try await db.bulk.ofPrimary.query(ExperimentStore.lastPhases(begun)) {
                row in
                (try row.next(as: String.self), Int(try row.next(as: Int64.self)))
            })
        return begun.compactMap { experiment in
            last[experiment.key].map { phase in
                "experiments.\(experiment.key).phase: phase \(phase) has exposures of an earlier definition: set phase: \(phase + 1)"
            }
        }
    }

    /// Returns a change that writes nothing. It keeps the other changes from being written if a phase that
    /// begins was counted meanwhile.
    package func guarding(
        _ wanted: AppliedExperiments, over former: AppliedExperiments
    ) -> AppliedStore.Change {
        AppliedStore.Change(wanted.begun(over: former).map(ExperimentStore.requireUncounted))
    }
}
