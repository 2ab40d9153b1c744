/// The present results of an experiment: a pure function of counts.
struct ExperimentResults: Hashable, Sendable {
    /// The results of the variations, the control first.
    let variations: [VariationResult]
    let sampleRatio: SampleRatio
    let verdict: Verdict

    struct VariationResult: Hashable, Sendable {
        var name: String
        var weight: Int
        var units: Int
        /// The results by goal. The experiment's own goal is always among them.
        var goals: [String: GoalResult]
    }

    struct GoalResult: Hashable, Sendable {
        var proportion: Proportion
        /// The comparison with the control. Nil for the control itself.
        var against: Comparison?
    }

    struct Comparison: Hashable, Sendable {
        /// The chance that the variation's true rate is above the control's.
        var chanceToBeat: Double
        /// The expected loss of choosing the variation.
        var expectedLoss: Double
        /// The interval. Nil without a variance.
        var sequence: ConfidenceSequence?
    }

    enum Verdict: Hashable, Sendable {
        /// Units are missing somewhere, so nothing is certain.
        case sampleRatioMismatch
        /// A variation has not more than five units that reached the goal, or five that did not.
        case tooEarly
        case undecided
        /// This variation is better than the control, and the best of those that are better.
        case better(String)
        /// All variations are worse than the control.
        case worse
    }

    /// - Parameters:
    ///   - units: how many units were exposed, by variation.
    ///   - reached: how many units reached a goal, by variation and goal.
    init(_ experiment: Experiment, units: [String: Int], reached: [String: [String: Int]]) {
        let names = experiment.variations.map(\.name)
        let goals = Set(reached.values.flatMap(\.keys) + [experiment.goal.name])
        func proportion(_ name: String, _ goal: String) -> Proportion {
            Proportion(units: units[name] ?? 0, successes: reached[name]?[goal] ?? 0)
        }
        let alpha = experiment.allowedError
        variations = experiment.variations.map { variation in
            let results = goals.map { goal in
                let mine = proportion(variation.name, goal)
                let isControl = variation.name == experiment.control
                return (
                    goal,
                    GoalResult(
                        proportion: mine,
                        against: isControl
                            ? nil : Comparison(mine, proportion(experiment.control, goal), alpha: alpha))
                )
            }
            return VariationResult(
                name: variation.name, weight: variation.weight, units: units[variation.name] ?? 0,
                goals: Dictionary(uniqueKeysWithValues: results))
        }
        sampleRatio = SampleRatio(
            units: names.map { units[$0] ?? 0 }, weights: experiment.variations.map(\.weight))
        verdict = Self.verdict(variations, sampleRatio, experiment.goal)
    }

    init(_ experiment: Experiment, _ counts: [String: ExperimentCounts.Day]) {
        self.init(
            experiment, units: counts.mapValues(\.units), reached: counts.mapValues(\.reached))
    }

    private static func verdict(
        _ variations: [VariationResult], _ ratio: SampleRatio, _ goal: Goal
    ) -> Verdict {
        if ratio.isMismatch { return .sampleRatioMismatch }
        let results = variations.compactMap { $0.goals[goal.name] }
        guard results.allSatisfy(\.proportion.isEnough) else { return .tooEarly }
        let others = variations.filter { $0.goals[goal.name]?.against != nil }
        func sequence(_ result: VariationResult) -> ConfidenceSequence? {
            result.goals[goal.name]?.against?.sequence
        }
        let better = others.filter { (sequence($0)?.lower ?? 0) > 0 }
        if let best = better.max(by: { rate(of: $0, goal) < rate(of: $1, goal) }) {
            return .better(best.name)
        }
        return others.allSatisfy { (sequence($0)?.upper ?? 0) < 0 } ? .worse : .undecided
    }

    private static func rate(of result: VariationResult, _ goal: Goal) -> Double {
        result.goals[goal.name]?.proportion.rate ?? 0
    }
}

extension Experiment {
    /// How often the interval of a variation may be wrong: each gets a part of the errors that are allowed.
    var allowedError: Double { 0.05 / Double(max(1, variations.count - 1)) }
}

extension ExperimentResults.Comparison {
    fileprivate init(_ mine: Proportion, _ control: Proportion, alpha: Double) {
        let (posterior, other) = (BetaPosterior(mine), BetaPosterior(control))
        self.init(
            chanceToBeat: posterior.chanceToBeat(other),
            expectedLoss: posterior.expectedLoss(against: other),
            sequence: ConfidenceSequence(control, mine, alpha: alpha))
    }
}
