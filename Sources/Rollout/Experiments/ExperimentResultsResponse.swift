import Foundation
import Hummingbird
import Kernel

/// The present results of an experiment.
package struct ExperimentResultsResponse: ResponseEncodable {
    let experiment: String
    let phase: Int
    let goal: String
    /// As in the file, or `removed`. A phase that is over is `stopped`.
    let state: String
    let winner: String?
    let verdict: Verdict
    /// The variation that the verdict names.
    let best: String?
    let sampleRatio: Ratio
    /// How many units saw two variations, and count for neither.
    let crossed: Int
    /// How many visits of pages count for none, because their address is unknown, or above the limit
    /// `visitors`.
    let leftOut: Int
    let variations: [Variation]
    /// The days with exposures, the oldest first.
    let days: [Day]
    /// What was published of it, the newest first.
    let history: [Step]

    enum Verdict: String, Encodable {
        case sampleRatioMismatch = "sample_ratio_mismatch"
        case tooEarly = "too_early"
        case undecided, better, worse
        case guardrailBroken = "guardrail_broken"
    }

    struct Ratio: Encodable {
        let chiSquare: Double
        let p: Double
        let isMismatch: Bool
    }

    struct Variation: Encodable {
        let variation: String
        /// The weight in per cent.
        let weight: Double
        let units: Int
        let goals: [Reached]
    }

    struct Reached: Encodable {
        let goal: String
        let units: Int
        let rate: Double
        /// Of a goal that is measured by its mean. The rest then is of the mean.
        let mean: Double?
        let guardrail: OfGuardrail?
        let chanceToBeat: Double?
        let expectedLoss: Double?
        let difference: Double?
        let lower: Double?
        let upper: Double?
        let p: Double?
    }

    struct OfGuardrail: Encodable {
        let state: String
        let margin: Double
        let worse: String
    }

    struct Day: Encodable {
        let day: String
        let variations: [OfDay]
    }

    struct OfDay: Encodable {
        let variation: String
        /// How many units were exposed on the day.
        let units: Int
        /// How many of them reached the goal.
        let reached: Int
        let soFar: SoFar
    }

    /// The goal, of all units of a day and those before.
    struct SoFar: Encodable {
        let rate: Double
        let mean: Double?
        let chanceToBeat: Double?
        let difference: Double?
        let lower: Double?
        let upper: Double?
    }

    struct Step: Encodable {
        let publication: Int64
        let at: Date
        let actor: String
        let reason: String?
        let state: String
        let phase: Int?
        let winner: String?
    }

    /// - Parameters:
    ///   - experiment: as it was at last in the phase.
    ///   - applied: as it is now. Nil if it is in the history alone.
    init(
        _ experiment: Experiment, applied: Experiment?, _ counts: ExperimentCounts,
        _ history: ExperimentHistory
    ) {
        let total = counts.total
        let results = ExperimentResults(experiment, total)
        self.experiment = experiment.key
        (phase, goal, winner) = (experiment.phase, experiment.goal.name, experiment.winner)
        state =
            applied.map {
                $0.phase == experiment.phase ? $0.state.rawValue : Experiment.State.stopped.rawValue
            }
            ?? Self.removed
        (crossed, leftOut) = (total.values.reduce(0) { $0 + $1.crossed }, counts.leftOut)
        (verdict, best) =
            switch results.verdict {
            case .sampleRatioMismatch: (.sampleRatioMismatch, nil)
            case .tooEarly: (.tooEarly, nil)
            case .undecided: (.undecided, nil)
            case .better(let name): (.better, name)
            case .guardrailBroken: (.guardrailBroken, nil)
            case .worse: (.worse, experiment.control)
            }
        sampleRatio = Ratio(
            chiSquare: results.sampleRatio.chiSquare, p: results.sampleRatio.p,
            isMismatch: results.sampleRatio.isMismatch)
        variations = results.variations.map { Variation($0, experiment) }
        days = Self.course(of: experiment, counts)
        self.history = history.steps.map(Step.init)
    }

    fileprivate static let removed = "removed"

    private static func course(of experiment: Experiment, _ counts: ExperimentCounts) -> [Day] {
        let goal = experiment.goal.name
        var sums: [String: ExperimentCounts.Day] = [:]
        return counts.days.sorted { $0.key < $1.key }.map { day, found in
            for (name, counts) in found { sums[name, default: .init()] += counts }
            let control = sums[experiment.control] ?? .init()
            return Day(
                day: day,
                variations: experiment.variations.map { variation in
                    let (name, ofDay) = (variation.name, found[variation.name] ?? .init())
                    return OfDay(
                        variation: name, units: ofDay.units, reached: ofDay.goals[goal]?.units ?? 0,
                        soFar: SoFar(
                            experiment, sums[name] ?? .init(),
                            beside: name == experiment.control ? nil : control))
                })
        }
    }
}

extension ExperimentResultsResponse.SoFar {
    /// - Parameter control: nil for the control itself.
    fileprivate init(
        _ experiment: Experiment, _ sum: ExperimentCounts.Day, beside control: ExperimentCounts.Day?
    ) {
        let (goal, measure) = (experiment.goal.name, experiment.measure(of: experiment.goal.name))
        let mine = sum.estimate(of: goal, by: measure)
        let other = control?.estimate(of: goal, by: measure)
        let sequence = other.flatMap { ConfidenceSequence($0, mine, alpha: experiment.allowedError) }
        self.init(
            rate: sum.estimate(of: goal, by: .rate).value, mean: mine.mean,
            // There may be hundreds of days, so the chance may take few terms.
            chanceToBeat: other.flatMap { mine.chanceToBeat($0, mostTerms: 1000) },
            difference: sequence?.difference, lower: sequence?.lower, upper: sequence?.upper)
    }
}

extension Estimate {
    /// The number if it is a mean.
    fileprivate var mean: Double? {
        if case .mean(let sample) = self { sample.mean } else { nil }
    }
}

extension ExperimentResultsResponse.Step {
    fileprivate init(_ step: ExperimentHistory.Step) {
        let published = step.published
        self.init(
            publication: published.number, at: published.at, actor: published.actor.text,
            reason: published.reason?.text,
            state: step.after?.state.rawValue ?? ExperimentResultsResponse.removed,
            phase: step.after?.phase, winner: step.after?.winner)
    }
}

extension ExperimentResultsResponse.Reached {
    fileprivate init(
        _ goal: String, _ result: ExperimentResults.GoalResult, _ guardrail: Guardrail?
    ) {
        let against = result.against
        self.init(
            goal: goal, units: result.reached.successes, rate: result.reached.rate,
            mean: result.estimate.mean,
            guardrail: guardrail.flatMap { guardrail in
                result.guardrail.map {
                    .init(
                        state: $0.rawValue, margin: guardrail.margin, worse: guardrail.worse.rawValue)
                }
            },
            chanceToBeat: against?.chanceToBeat, expectedLoss: against?.expectedLoss,
            difference: against?.sequence?.difference, lower: against?.sequence?.lower,
            upper: against?.sequence?.upper, p: against?.sequence?.p)
    }
}

extension ExperimentResultsResponse.Variation {
    fileprivate init(_ result: ExperimentResults.VariationResult, _ experiment: Experiment) {
        self.init(
            variation: result.name, weight: Double(result.weight) / 100, units: result.units,
            goals: result.goals.sorted { $0.key < $1.key }.map {
                .init($0, $1, experiment.guardrails[$0])
            })
    }
}
