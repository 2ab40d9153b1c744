/// What the results of an experiment say.
enum ExperimentVerdict: Hashable, Sendable {
    /// Units are missing somewhere, so nothing is certain.
    case sampleRatioMismatch
    /// A variation has not more than five units that reached the goal, or five that did not.
    case tooEarly
    case undecided
    /// This variation is better than the control, and the best of those that are better and break no
    /// guardrail.
    case better(String)
    /// All that are better than the control break a guardrail.
    case guardrailBroken
    /// All variations are worse than the control.
    case worse

    static func decide(
        _ variations: [ExperimentResults.VariationResult], _ ratio: SampleRatio, _ goal: Goal
    ) -> Self {
        if ratio.isMismatch { return .sampleRatioMismatch }
        let results = variations.compactMap { $0.goals[goal.name] }
        guard results.allSatisfy(\.estimate.isEnough) else { return .tooEarly }
        let others = variations.filter { $0.goals[goal.name]?.against != nil }
        func sequence(_ result: ExperimentResults.VariationResult) -> ConfidenceSequence? {
            result.goals[goal.name]?.against?.sequence
        }
        let better = others.filter { (sequence($0)?.lower ?? 0) > 0 }
        let sound = better.filter { !$0.goals.values.contains { $0.guardrail == .broken } }
        if let best = sound.max(by: { number(of: $0, goal) < number(of: $1, goal) }) {
            return .better(best.name)
        }
        if !better.isEmpty { return .guardrailBroken }
        return others.allSatisfy { (sequence($0)?.upper ?? 0) < 0 } ? .worse : .undecided
    }

    private static func number(of result: ExperimentResults.VariationResult, _ goal: Goal) -> Double {
        result.goals[goal.name]?.estimate.value ?? 0
    }
}
