import Kernel
package import Web

/// The body that says which variation a unit used.
struct ExposureRequest: JSONBody, Sendable {
    var unit: String
    var experiment: String
    var phase: Int
    var variation: String
    /// The mark that `GET /v1/values` gave. A backend may leave it out.
    var assignment: String?

    enum CodingKeys: CodingKey, CaseIterable { case unit, experiment, phase, variation, assignment }
}

/// The body that says which goal a unit reached.
struct ConversionRequest: JSONBody, Sendable {
    var unit: String
    var goal: String

    enum CodingKeys: CodingKey, CaseIterable { case unit, goal }

    /// Returns the conversion. Throws a 400 that names the field.
    func conversion() throws(Problem) -> Conversion {
        let unit = try ExperimentUnit.required(unit)
        guard let goal = Goal(goal) else {
            throw .invalid("goal", "must be \(EntryKey.form)")
        }
        guard !Goal.builtIn.contains(goal) else {
            throw .invalid("goal", "is one that Kith counts itself")
        }
        return Conversion(unit: unit.id, goal: goal)
    }
}

extension ExperimentUnit {
    /// Returns the unit. Throws a 400 that names the field.
    package static func required(_ text: String) throws(Problem) -> ExperimentUnit {
        guard let unit = ExperimentUnit(text) else {
            throw .invalid("unit", "must have 1 to 128 characters, without control characters")
        }
        return unit
    }
}
