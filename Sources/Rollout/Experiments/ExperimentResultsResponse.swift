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
        let chanceToBeat: Double?
        let expectedLoss: Double?
        let difference: Double?
        let lower: Double?
        let upper: Double?
        let p: Double?
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
            case .worse: (.worse, experiment.control)
            }
        sampleRatio = Ratio(
            chiSquare: results.sampleRatio.chiSquare, p: results.sampleRatio.p,
            isMismatch: results.sampleRatio.isMismatch)
        variations = results.variations.map(Variation.init)
        days = Self.course(of: experiment, counts)
        self.history = history.steps.map(Step.init)
    }

    fileprivate static let removed = "removed"

    private static func course(of experiment: Experiment, _ counts: ExperimentCounts) -> [Day] {
        let goal = experiment.goal.name
        var sums: [String: Proportion] = [:]
        return counts.days.sorted { $0.key < $1.key }.map { day, found in
            for (name, counts) in found {
                let sum = sums[name] ?? Proportion(units: 0, successes: 0)
                sums[name] = Proportion(
                    units: sum.units + counts.units, successes: sum.successes + (counts.reached[goal] ?? 0))
            }
            let control = sums[experiment.control] ?? Proportion(units: 0, successes: 0)
            return Day(
                day: day,
                variations: experiment.variations.map { variation in
                    let (name, ofDay) = (variation.name, found[variation.name] ?? .init())
                    let sum = sums[name] ?? Proportion(units: 0, successes: 0)
                    return OfDay(
                        variation: name, units: ofDay.units, reached: ofDay.reached[goal] ?? 0,
                        soFar: name == experiment.control
                            ? SoFar(of: sum) : SoFar(of: sum, beside: control, experiment.allowedError))
                })
        }
    }
}

extension ExperimentResultsResponse.SoFar {
    fileprivate init(of control: Proportion) {
        self.init(rate: control.rate, chanceToBeat: nil, difference: nil, lower: nil, upper: nil)
    }

    fileprivate init(of sum: Proportion, beside control: Proportion, _ alpha: Double) {
        let sequence = ConfidenceSequence(control, sum, alpha: alpha)
        // There may be hundreds of days, so the chance may take few terms.
        let chance = BetaPosterior(sum).chanceToBeat(BetaPosterior(control), mostTerms: 1000)
        self.init(
            rate: sum.rate, chanceToBeat: chance, difference: sequence?.difference, lower: sequence?.lower,
            upper: sequence?.upper)
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
    fileprivate init(_ goal: String, _ result: ExperimentResults.GoalResult) {
        let (proportion, against) = (result.proportion, result.against)
        self.init(
            goal: goal, units: proportion.successes, rate: proportion.rate,
            chanceToBeat: against?.chanceToBeat, expectedLoss: against?.expectedLoss,
            difference: against?.sequence?.difference, lower: against?.sequence?.lower,
            upper: against?.sequence?.upper, p: against?.sequence?.p)
    }
}

extension ExperimentResultsResponse.Variation {
    fileprivate init(_ result: ExperimentResults.VariationResult) {
        self.init(
            variation: result.name, weight: Double(result.weight) / 100, units: result.units,
            goals: result.goals.sorted { $0.key < $1.key }.map { .init($0, $1) })
    }
}
