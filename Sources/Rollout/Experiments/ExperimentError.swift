import HTTPTypes
import Web

/// Why an exposure is not counted, or there are no results.
enum ExperimentError: ProblemError {
    /// There was never an experiment with this key or phase, or it is not for apps.
    case unknown
    /// Another phase began, or the experiment does not run.
    case changed
    /// The unit is not in the variation.
    case otherVariation

    var problem: Problem {
        switch self {
        case .unknown: Problem(.notFound, "experiment_not_found", "There is no such experiment.")
        case .changed:
            Problem(
                .conflict, "experiment_changed",
                "This phase of the experiment is over. Ask `GET /v1/values` again.")
        case .otherVariation:
            Problem(
                .conflict, "experiment_changed",
                "The unit is not in this variation, or no longer. Ask `GET /v1/values` again.")
        }
    }
}
