import Hummingbird
import Web

/// What an app would get of each value, and why.
package struct ValueTrialResponse: ResponseEncodable {
    let revision: Int64
    /// Whether Kith can read the version. A condition on one that it cannot read does not hold.
    let isVersionRead: Bool
    let values: [Value]
    let experiments: [Part]

    struct Value: Encodable {
        let value: String
        /// Nil if the app gets none.
        let text: String?
        let by: Source?
        let rule: String?
        let experiment: String?
        let variation: String?
        /// The rules in the order in which they are tried.
        let rules: [Rule]
    }

    /// What gives a value.
    enum Source: String, Encodable { case standard, rule, experiment }

    struct Rule: Encodable {
        let rule: String
        let outcome: PolicyTrialResponse.Outcome
        /// The first condition that does not hold.
        let condition: Targeting.Miss?
    }

    struct Part: Encodable {
        let experiment: String
        let outcome: Outcome
        let variation: String?
        /// The first condition that does not hold.
        let condition: Targeting.Miss?
    }

    enum Outcome: String, Encodable {
        case takesPart = "takes_part"
        /// Everybody for whom it is gets the winner.
        case winner
        case misses
        /// It is for the app, whose unit is in no bucket of it.
        case notChosen = "not_chosen"
        case noUnit = "no_unit"
        /// It changes nothing for anybody: it is a draft, archived, or stopped without a winner.
        case off
    }

    init(
        _ values: [String: RemoteValue], _ experiments: [Experiment], for asking: AskingApp,
        _ unit: ExperimentUnit?, revision: Int64
    ) {
        let experiments = experiments.filter { !$0.isOfPages }
        let texts = RemoteValues(values, experiments, for: asking, unit, ofPages: false).texts
        var given: [String: Part] = [:]
        self.experiments = experiments.map { experiment in
            let found = experiment.assignment(of: unit, asking)
            let part = Part(experiment, found, for: asking, unit)
            for name in found?.variation.values.keys ?? [:].keys { given[name] = part }
            return part
        }
        let names = values.keys.filter { !$0.hasPrefix(Experiment.pagePrefix) } + texts.keys
        self.values = Set(names).sorted().map { name in
            Value(name, values[name] ?? RemoteValue(), texts[name], given[name], for: asking)
        }
        self.revision = revision
        isVersionRead = asking.version != nil
    }
}

extension ValueTrialResponse.Part {
    fileprivate init(
        _ experiment: Experiment, _ found: Experiment.Assignment?, for asking: AskingApp,
        _ unit: ExperimentUnit?
    ) {
        self.experiment = experiment.key
        variation = found?.variation.name
        let miss = experiment.isInEffect ? experiment.when.miss(asking, key: experiment.key) : nil
        condition = miss
        outcome =
            switch found {
            case let found?: found.isCounted ? .takesPart : .winner
            case nil where !experiment.isInEffect: .off
            case nil where miss != nil: .misses
            case nil: unit == nil ? .noUnit : .notChosen
            }
    }
}

extension ValueTrialResponse.Value {
    fileprivate init(
        _ name: String, _ value: RemoteValue, _ text: String?, _ part: ValueTrialResponse.Part?,
        for asking: AskingApp
    ) {
        let holds = value.rules.first { $0.when.miss(asking, key: $0.key) == nil }
        (self.value, self.text) = (name, text)
        (experiment, variation) = (part?.experiment, part?.variation)
        rule = part == nil ? holds?.key : nil
        by = text == nil ? nil : part != nil ? .experiment : holds != nil ? .rule : .standard
        let decides = rule
        rules = value.rules.map { rule in
            let miss = rule.when.miss(asking, key: rule.key)
            return ValueTrialResponse.Rule(
                rule: rule.key, outcome: miss != nil ? .misses : rule.key == decides ? .decides : .stands,
                condition: miss)
        }
    }
}
