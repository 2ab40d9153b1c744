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
        return changed.prefix(Self.most).map { name in
            "values.\(name): of \(day.calls.grouped) calls on \(day.day) \(text(after[name])) (before: \(text(before[name])))."
        }
    }

    private func text(_ value: RemoteValue?) -> String {
        guard let value else { return "none" }
        let rules = value.rules.map { ($0.key, $0.when.counted) }
        let shares = day.shares { asking in rules.first { $1.miss(asking, key: $0) == nil }?.0 }
        return shares.sorted { ($0.key ?? "~") < ($1.key ?? "~") }.map { rule, share in
            "\(rule.map { "rule \($0)" } ?? "no rule") \(CountedDay.about(share))"
        }.joined(separator: ", ")
    }
}

/// How many of the apps of a day would have been in experiments.
struct ExperimentForecast {
    let day: CountedDay
    let before: [Experiment]
    let after: [Experiment]

    var sentences: [String] {
        let (old, new) = (Self.byKey(before), Self.byKey(after))
        let changed = Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }
        guard !changed.isEmpty else { return [] }
        guard !day.isEmpty else { return [day.nobody] }
        return changed.map { key in
            "experiments.\(key): of \(day.calls.grouped) calls on \(day.day) \(text(new[key])) (before: \(text(old[key])))."
        }
    }

    /// The experiments of apps that change something. A draft changes nothing.
    private static func byKey(_ experiments: [Experiment]) -> [String: Experiment] {
        let shown = experiments.filter { $0.isInEffect && !$0.isOfPages }
        return Dictionary(uniqueKeysWithValues: shown.map { ($0.key, $0) })
    }

    private func text(_ experiment: Experiment?) -> String {
        guard var experiment else { return "none" }
        experiment.when = experiment.when.counted
        let shares = day.shares { [experiment] asking in
            experiment.assignment(of: asking.id.flatMap { ExperimentUnit($0) }, asking)?.variation.name
        }
        let all = shares.compactMap { name, share in name.map { "\($0) \(CountedDay.about(share))" } }
            .sorted()
        return all.isEmpty ? "none" : all.joined(separator: ", ")
    }
}
