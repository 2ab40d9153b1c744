/// All values for one caller or visitor, and the variations that made them.
package struct RemoteValues: Sendable {
    package private(set) var texts: [String: String] = [:]
    /// The exposures to count, in the order of the experiments' keys.
    package private(set) var counted: [Exposure] = []

    /// - Parameters:
    ///   - exposed: the variations to which the unit was exposed, by experiment.
    ///   - given: the variations that a test device is given, by experiment, whatever else is so.
    ///   - ofPages: whether to choose from the values of Kith's own pages, or all others.
    package init(
        _ values: [String: RemoteValue], _ experiments: [Experiment], for asking: AskingApp,
        _ unit: ExperimentUnit?, exposed: [String: String] = [:],
        given: [String: String] = [:], ofPages: Bool
    ) {
        for (name, value) in values where name.hasPrefix(Experiment.pagePrefix) == ofPages {
            texts[name] = value.text(for: asking)
        }
        for experiment in experiments where experiment.isOfPages == ofPages {
            let given = given[experiment.key].flatMap(experiment.variation)
            let found =
                given.map { Experiment.Assignment(variation: $0) }
                ?? experiment.assignment(of: unit, asking, exposed: exposed[experiment.key])
            guard let found else { continue }
            texts.merge(found.variation.values) { $1 }
            if found.isCounted, let unit {
                counted.append(
                    Exposure(
                        unit: unit.id, experiment: experiment.key, phase: experiment.phase,
                        variation: found.variation.name))
            }
        }
    }
}
