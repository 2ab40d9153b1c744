package import Kernel

/// The applied values and experiments, in memory.
package struct RemoteValueCaches: Sendable {
    package let values: AppliedCache<AppliedValues>
    package let experiments: AppliedCache<AppliedExperiments>

    init(_ store: AppliedStore) {
        (values, experiments) = (AppliedCache(store: store), AppliedCache(store: store))
    }

    package struct All: Sendable {
        package var values: AppliedCache<AppliedValues>.Applied
        package var experiments: AppliedCache<AppliedExperiments>.Applied

        /// A number that rises with each change.
        var revision: Int64 { values.version + experiments.version }

        /// Whether Kith's own pages may differ from one visitor to another.
        var changesPages: Bool { values.rules.ofPages || experiments.rules.ofPages }
    }

    /// What was read last. Nil if nothing was read yet.
    var latest: All? {
        guard let values = values.latest, let experiments = experiments.latest else { return nil }
        return All(values: values, experiments: experiments)
    }

    /// Returns what was read last. Reads it first if nothing was read yet.
    func current() async throws -> All {
        try await All(values: values.current(), experiments: experiments.current())
    }
}
