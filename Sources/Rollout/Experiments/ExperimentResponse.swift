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

    /// - Parameter mark: nil for a test device, which is counted nowhere, also not later by what it keeps.
    init(_ values: RemoteValues, of unit: ExperimentUnit?, revision: Int64, _ mark: AssignmentMark?) {
        self.revision = revision
        self.values = values.texts
        experiments = values.counted.compactMap { part in
            unit.map { unit in
                Part(
                    experiment: part.experiment, phase: part.phase, variation: part.variation,
                    assignment: mark?.text(of: unit, in: part) ?? "test-device")
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
