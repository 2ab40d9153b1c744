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

/// The body that says which goal a unit reached, and what it was worth.
struct ConversionRequest: JSONBody, Sendable {
    var unit: String
    var goal: String
    var value: Int?
    var id: String?

    enum CodingKeys: CodingKey, CaseIterable { case unit, goal, value, id }

    /// Returns the conversion. Throws a 400 that names the field.
    func conversion() throws(Problem) -> Conversion {
        let unit = try ExperimentUnit.required(unit)
        guard let goal = Goal(goal) else {
            throw .invalid("goal", "must be \(EntryKey.form)")
        }
        guard !Goal.builtIn.contains(goal) else {
            throw .invalid("goal", "is one that Kith counts itself")
        }
        var conversion = Conversion(unit: unit.id, goal: goal)
        if let id {
            guard id.isOneLine(ofAtMost: 128) else {
                throw .invalid("id", "must have 1 to 128 characters, without control characters")
            }
            conversion.id = id
        }
        if let value {
            guard Conversion.values.contains(value) else {
                throw .invalid("value", "must be a whole number from 0 to 1000000000")
            }
            // A repeated call would add it twice, and Kith could not tell.
            guard id != nil else {
                throw .invalid("id", "is required with `value`: each id adds its value once")
            }
            conversion.value = value
        }
        return conversion
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
