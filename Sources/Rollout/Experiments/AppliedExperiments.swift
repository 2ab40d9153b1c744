import Kernel

/// The experiments that `kith apply` has set up, by their keys.
package struct AppliedExperiments: KeyedSection {
    package static let name = "experiments"

    package var entries: [String: [String: String]] = [:]

    static let most = 100
    package static let mostDepth = 8

    package init() {}

    package static func isList(_ field: String) -> Bool {
        !field.hasPrefix("variations.") && FieldReader.isList(field)
    }

    package static func isTime(_ field: String) -> Bool { ["when.from", "when.until"].contains(field) }

    package static var fieldNames: Set<String> { ExperimentReader.names }

    package struct Rules: Sendable {
        /// The experiments, in the order of their keys.
        package var experiments: [Experiment] = []
        /// Whether any of them is about Kith's own pages.
        package var ofPages = false

        subscript(key: String) -> Experiment? { experiments.first { $0.key == key } }
    }

    package func read() -> (rules: Rules, mistakes: [String]) {
        var rules = Rules()
        let mistakes = readEntries(atMost: Self.most, "experiments") { key, fields in
            var reader = ExperimentReader(key, fields)
            rules.experiments += [reader.experiment()].compactMap(\.self)
            return reader.fields.mistakes
        }
        rules.ofPages = rules.experiments.contains(where: \.isOfPages)
        return (rules, mistakes.isEmpty ? Self.clashes(rules.experiments) : mistakes)
    }

    /// Returns mistakes. A change within a phase would judge units by what they did not see, or by a goal
    /// that was chosen afterwards.
    package func mistakes(over former: Self) -> [String] {
        let former = former.read().rules
        return read().rules.experiments.compactMap { new in
            // This applies even if it is stopped: if it runs again later, the phase would go on with what was
            // changed meanwhile.
            guard let old = former[new.key], old.phase == new.phase, old.state != .draft else { return nil }
            let changed = new.changes(since: old)
            guard !changed.isEmpty else { return nil }
            return
                "experiments.\(new.key): changes \(changed.joined(separator: ", ")) within phase \(new.phase): set phase: \(new.phase + 1), which counts anew"
        }
    }

    package func dangers(over former: Self) -> [String: String] {
        let (old, new) = (former.read().rules, read().rules)
        return old.experiments.reduce(into: [:]) { dangers, experiment in
            let other = new[experiment.key]
            if experiment.state == .draft { return }
            if !experiment.isRunning {
                if other?.isRunning == true, other?.phase == experiment.phase {
                    dangers[experiment.key] = "it is over, and its phase would go on"
                } else if experiment.isInEffect,
                    other?.isInEffect != true || other?.winner != experiment.winner
                {
                    dangers[experiment.key] = "nobody would get the values of its winner any more"
                }
            } else if other.map({ [.draft, .archived].contains($0.state) }) ?? true {
                dangers[experiment.key] = "it is running, and would end"
            } else if other?.phase != experiment.phase {
                dangers[experiment.key] = "it is running, and a new phase would count anew"
            } else if other?.isForSame(as: experiment) == false {
                dangers[experiment.key] = "it is running, and would be for others than those who were counted"
            }
        }
    }

    /// Returns the experiments that are drafts no more, and were one before, did not exist, or had another
    /// phase.
    func begun(over former: Self) -> [Experiment] {
        let former = former.read().rules
        return read().rules.experiments.filter { new in
            guard new.state != .draft else { return false }
            let old = former[new.key]
            return old?.phase != new.phase || old?.state == .draft
        }
    }

    /// Returns the experiments that have a winner now, and had another or none before.
    func won(over former: Self) -> [Experiment] {
        let former = former.read().rules
        return read().rules.experiments.filter { new in
            !new.isRunning && new.isInEffect && former[new.key]?.winner != new.winner
        }
    }

    /// Returns clashes. Two experiments that change the same value for the same unit would measure each
    /// other.
    private static func clashes(_ all: [Experiment]) -> [String] {
        let experiments = all.filter(\.isInEffect)
        var found: [String] = []
        for (place, one) in experiments.enumerated() {
            for other in experiments[..<place] {
                let names = Set(one.variations.flatMap(\.values.keys))
                let shared = names.intersection(other.variations.flatMap(\.values.keys)).sorted()
                guard let name = shared.first else { continue }
                if let mine = one.namespace, let theirs = other.namespace, mine.excludes(theirs) { continue }
                found.append(
                    "experiments.\(one.key): changes \(name), as experiments.\(other.key) does: give both parts of one namespace that do not overlap"
                )
            }
        }
        return found
    }

    /// Returns the first of some variations that no experiment has. Nil if there is none.
    /// - Parameter variations: by their experiments.
    package func lacking(_ variations: [String: String]) -> (experiment: String, variation: String)? {
        let rules = read().rules
        return variations.sorted { $0.key < $1.key }.first { rules[$0.key]?.variation($0.value) == nil }
            .map { ($0.key, $0.value) }
    }

    /// The texts of values of Kith's own pages, with their places in the file.
    package var pageTexts: [(place: String, name: String, text: String)] {
        entries.flatMap { key, fields in
            fields.compactMap { field, text in
                guard let (_, part) = ExperimentReader.variation(of: field), part.hasPrefix("values."),
                    part.dropFirst("values.".count).hasPrefix(Experiment.pagePrefix)
                else { return nil }
                return ("experiments.\(key).\(field)", String(part.dropFirst("values.".count)), text)
            }
        }
    }
}

extension Experiment {
    /// Returns what is another than in a former definition of the same phase, of what must not change within
    /// one, by its name in the file.
    func changes(since old: Experiment) -> [String] {
        let isSame = old.variations.map(\.name) == variations.map(\.name)
        return [
            ("goal", old.goal != goal),
            ("measures", old.measures != measures),
            ("guardrails", old.guardrails != guardrails),
            ("control", old.control != control),
            ("seed", (old.seed ?? old.key) != (seed ?? key)),
            ("namespace", old.namespace != namespace),
            ("variations", !isSame),
            ("weights", isSame && old.variations.map(\.weight) != variations.map(\.weight)),
            ("values", isSame && old.variations.map(\.values) != variations.map(\.values)),
        ].filter(\.1).map(\.0)
    }

    /// Whether it is for exactly those for whom another definition was.
    func isForSame(as old: Experiment) -> Bool {
        old.when == when && old.coverage == coverage
    }

    /// Whether everybody gets the values of its winner without it, too.
    func isReplaced(by values: AppliedValues) -> Bool {
        guard !isRunning, let winner = winner.flatMap(variation) else { return false }
        let rules = values.read().rules.values
        return winner.values.allSatisfy { name, text in
            rules[name].map { $0.standard == text && $0.rules.isEmpty } ?? false
        }
    }
}
