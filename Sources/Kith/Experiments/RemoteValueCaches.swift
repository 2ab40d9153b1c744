/// What is applied of values and experiments, in memory.
struct RemoteValueCaches: Sendable {
    let values: AppliedCache<AppliedValues>
    let experiments: AppliedCache<AppliedExperiments>

    init(_ store: AppliedStore) {
        (values, experiments) = (AppliedCache(store: store), AppliedCache(store: store))
    }

    struct All: Sendable {
        var values: AppliedCache<AppliedValues>.Applied
        var experiments: AppliedCache<AppliedExperiments>.Applied

        /// Rises with each change.
        var revision: Int64 { values.version + experiments.version }

        /// Whether Kith's own pages may differ from one visitor to another.
        var changesPages: Bool { values.rules.ofPages || experiments.rules.ofPages }
    }

    /// What was read last; nil if nothing was yet.
    var latest: All? {
        guard let values = values.latest, let experiments = experiments.latest else { return nil }
        return All(values: values, experiments: experiments)
    }

    /// The same; reads it first if nothing was yet.
    func current() async throws -> All {
        try await All(values: values.current(), experiments: experiments.current())
    }
}
