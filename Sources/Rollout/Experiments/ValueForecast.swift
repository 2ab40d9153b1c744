import Kernel
import Web

/// Which rules of values the apps of a day would have met.
struct ValueForecast {
    let day: CountedDay
    let before: [String: RemoteValue]
    let after: [String: RemoteValue]

    /// Lists at most so many values.
    private static let most = 20

    var sentences: [String] {
        // Everybody gets a value without rules.
        let changed = Set(before.keys).union(after.keys).sorted().filter { name in
            before[name] != after[name] && !name.hasPrefix(Experiment.pagePrefix)
                && [before[name], after[name]].contains { $0?.rules.isEmpty == false }
        }
        guard !changed.isEmpty else { return [] }
        guard !day.isEmpty else { return [day.nobody] }
        let sentences = changed.prefix(Self.most).map { name in
            "values.\(name): of \(day.calls.grouped) calls on \(day.day) \(text(after[name])) (before: \(text(before[name])))."
        }
        let rules = changed.flatMap { (before[$0]?.rules ?? []) + (after[$0]?.rules ?? []) }
        return sentences + (rules.allSatisfy(\.when.isCounted) ? [] : [CountedDay.uncounted])
    }

    private func text(_ value: RemoteValue?) -> String {
        guard let value else { return "none" }
        let rules = value.rules.map { rule in CountedDay.Rule<String?>(rule.when, answer: { _ in rule.key }) }
        let shares = day.shares(rules, otherwise: nil)
        return shares.sorted { ($0.key ?? "~") < ($1.key ?? "~") }.map { rule, share in
            "\(rule.map { "rule \($0)" } ?? "no rule") \(CountedDay.perCent(share))"
        }.joined(separator: ", ")
    }
}

extension AppliedValues: ForecastSection {
    func forecast(over former: Self, for day: CountedDay) -> [String] {
        ValueForecast(day: day, before: former.read().rules.values, after: read().rules.values).sentences
    }
}

/// How many of the apps of a day would have been in experiments.
struct ExperimentForecast {
    let day: CountedDay
    let before: [Experiment]
    let after: [Experiment]

    /// Lists at most so many experiments.
    private static let most = 20

    var sentences: [String] {
        let (old, new) = (Self.byKey(before), Self.byKey(after))
        let changed = Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }
        guard !changed.isEmpty else { return [] }
        guard !day.isEmpty else { return [day.nobody] }
        let sentences = changed.prefix(Self.most).map { key in
            "experiments.\(key): of \(day.calls.grouped) calls on \(day.day) \(text(new[key])) (before: \(text(old[key])))."
        }
        let isCounted = changed.flatMap { [old[$0], new[$0]].compactMap(\.self) }.allSatisfy(\.when.isCounted)
        return sentences + (isCounted ? [] : [CountedDay.uncounted])
    }

    /// The experiments of apps that change something. A draft changes nothing.
    private static func byKey(_ experiments: [Experiment]) -> [String: Experiment] {
        let shown = experiments.filter { $0.isInEffect && !$0.isOfPages }
        return Dictionary(uniqueKeysWithValues: shown.map { ($0.key, $0) })
    }

    private func text(_ experiment: Experiment?) -> String {
        guard let experiment else { return "none" }
        // Whoever gets the winner need not take part.
        let winner = experiment.isRunning ? nil : experiment.winner
        let part = winner == nil ? experiment.part : 1
        let rule = CountedDay.Rule(experiment.when, part: part, answer: { _ in true })
        let share = day.shares([rule], otherwise: false)[true] ?? 0
        let variations = experiment.variations.compactMap { variation -> String? in
            guard let winner else {
                let weight = Double(variation.weight) / Double(Bucket.count)
                return "\(variation.name) \(CountedDay.perCent(share * weight))"
            }
            return variation.name == winner ? "\(winner) \(CountedDay.perCent(share))" : nil
        }
        return variations.joined(separator: ", ")
    }
}

extension AppliedExperiments: ForecastSection {
    func forecast(over former: Self, for day: CountedDay) -> [String] {
        let (before, after) = (former.read().rules.experiments, read().rules.experiments)
        return ExperimentForecast(day: day, before: before, after: after).sentences
    }
}

extension Experiment {
    /// Which part of all units takes part, whatever the conditions say.
    fileprivate var part: Double {
        let ofNamespace = namespace.map { $0.until - $0.from } ?? Bucket.count
        return Double(coverage) / Double(Bucket.count) * Double(ofNamespace) / Double(Bucket.count)
    }
}
