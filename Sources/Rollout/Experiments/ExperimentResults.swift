/// The present results of an experiment: a pure function of counts.
struct ExperimentResults: Hashable, Sendable {
    /// The results of the variations, the control first.
    let variations: [VariationResult]
    let sampleRatio: SampleRatio
    let verdict: ExperimentVerdict

    struct VariationResult: Hashable, Sendable {
        var name: String
        var weight: Int
        var units: Int
        /// The results by goal. The experiment's own goal is always among them.
        var goals: [String: GoalResult]
    }

    struct GoalResult: Hashable, Sendable {
        /// How many units reached it.
        var reached: Proportion
        /// The number by which the goal is measured.
        var estimate: Estimate
        /// The comparison with the control. Nil for the control itself.
        var against: Comparison?
        /// Whether the guardrail holds. Nil for the control, and if the goal has none.
        var guardrail: Guardrail.State?
    }

    struct Comparison: Hashable, Sendable {
        /// The chance that the variation's true number is above the control's. Nil if too little is known.
        var chanceToBeat: Double?
        /// The expected loss of choosing the variation.
        var expectedLoss: Double?
        /// The interval. Nil without a variance.
        var sequence: ConfidenceSequence?
    }

    /// - Parameter counts: what was counted, by variation.
    init(_ experiment: Experiment, _ counts: [String: ExperimentCounts.Day]) {
        let known = [experiment.goal.name] + experiment.measures.keys + experiment.guardrails.keys
        let goals = Set(counts.values.flatMap(\.goals.keys) + known)
        let control = counts[experiment.control] ?? .init()
        let ratio = SampleRatio(
            units: experiment.variations.map { counts[$0.name]?.units ?? 0 },
            weights: experiment.variations.map(\.weight))
        sampleRatio = ratio
        variations = experiment.variations.map { variation in
            let mine = counts[variation.name] ?? .init()
            let results = goals.map { goal in
                let against = variation.name == experiment.control ? nil : control
                return (goal, GoalResult(experiment, goal, mine, against: against, ratio))
            }
            return VariationResult(
                name: variation.name, weight: variation.weight, units: mine.units,
                goals: Dictionary(uniqueKeysWithValues: results))
        }
        verdict = ExperimentVerdict.decide(variations, sampleRatio, experiment.goal)
    }
}

extension ExperimentResults.GoalResult {
    /// - Parameter control: what was counted of the control. Nil for the control itself.
    fileprivate init(
        _ experiment: Experiment, _ goal: String, _ mine: ExperimentCounts.Day,
        against control: ExperimentCounts.Day?, _ ratio: SampleRatio
    ) {
        let measure = experiment.measure(of: goal)
        estimate = mine.estimate(of: goal, by: measure)
        reached = Proportion(units: mine.units, successes: mine.goals[goal]?.units ?? 0)
        guard let other = control?.estimate(of: goal, by: measure) else { return }
        let against = ExperimentResults.Comparison(estimate, other, alpha: experiment.allowedError)
        self.against = against
        guard let guardrail = experiment.guardrails[goal] else { return }
        // One that never reaches the goal is known well if the other does, as of crashes.
        let isKnown = !ratio.isMismatch && (estimate.isEnough || other.isEnough)
        self.guardrail =
            isKnown
            ? guardrail.state(estimate, against: other, alpha: experiment.allowedError) : .unknownYet
    }
}

extension Experiment {
    /// How often the interval of a variation may be wrong: each gets a part of the errors that are allowed.
    var allowedError: Double { 0.05 / Double(max(1, variations.count - 1)) }
}

extension ExperimentResults.Comparison {
    fileprivate init(_ mine: Estimate, _ control: Estimate, alpha: Double) {
        self.init(
            chanceToBeat: mine.chanceToBeat(control), expectedLoss: mine.expectedLoss(against: control),
            sequence: ConfidenceSequence(control, mine, alpha: alpha))
    }
}
