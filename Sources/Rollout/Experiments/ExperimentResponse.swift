import Foundation
import Hummingbird

/// The values of a unit.
struct ValuesResponse: Encodable {
    /// A number that rises with each change of values and experiments.
    let revision: Int64
    let values: [String: String]
    let experiments: [Part]

    struct Part: Encodable {
        let experiment: String
        let phase: Int
        let variation: String
        /// The mark that proves the variation. The app returns it with the exposure.
        let assignment: String
    }

    init(_ values: RemoteValues, of unit: ExperimentUnit?, revision: Int64, _ mark: AssignmentMark) {
        self.revision = revision
        self.values = values.texts
        experiments = values.counted.compactMap { part in
            unit.map { unit in
                Part(
                    experiment: part.experiment, phase: part.phase, variation: part.variation,
                    assignment: mark.text(of: unit, in: part))
            }
        }
    }
}

/// What is applied.
package struct ExperimentsResponse: ResponseEncodable {
    let revision: Int64
    /// The texts of the fields of values, and of experiments.
    let values: [String: [String: String]]
    let experiments: [String: [String: String]]
}

/// The present results of an experiment.
package struct ExperimentResultsResponse: ResponseEncodable {
    let experiment: String
    let phase: Int
    let goal: String
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

    init(_ experiment: Experiment, _ counts: ExperimentStore.Counts) {
        let results = ExperimentResults(experiment, units: counts.units, reached: counts.reached)
        self.experiment = experiment.key
        (phase, goal, winner) = (experiment.phase, experiment.goal.name, experiment.winner)
        (crossed, leftOut) = (counts.crossed, counts.leftOut)
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
    }
}

extension ExperimentResultsResponse.Variation {
    fileprivate init(_ result: ExperimentResults.VariationResult) {
        self.init(
            variation: result.name, weight: Double(result.weight) / 100, units: result.units,
            goals: result.goals.sorted { $0.key < $1.key }.map { name, goal in
                ExperimentResultsResponse.Reached(
                    goal: name, units: goal.proportion.successes, rate: goal.proportion.rate,
                    chanceToBeat: goal.against?.chanceToBeat, expectedLoss: goal.against?.expectedLoss,
                    difference: goal.against?.sequence?.difference, lower: goal.against?.sequence?.lower,
                    upper: goal.against?.sequence?.upper, p: goal.against?.sequence?.p)
            })
    }
}
