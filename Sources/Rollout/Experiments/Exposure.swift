package import Foundation

/// The fact that a unit saw or used its variation.
package struct Exposure: Hashable, Sendable {
    /// The unit's `ExperimentUnit.id`.
    var unit: UUID
    var experiment: String
    var phase: Int
    var variation: String
    /// Whether the visit counts for no variation, because its visitor cannot be told from others.
    package var isLeftOut = false

    package init(unit: UUID, experiment: String, phase: Int, variation: String, isLeftOut: Bool = false) {
        (self.unit, self.experiment, self.phase) = (unit, experiment, phase)
        (self.variation, self.isLeftOut) = (variation, isLeftOut)
    }

    /// Returns the first exposure of each unit, experiment and phase, and separately one of another
    /// variation, if there is any.
    static func first(of exposures: [Exposure]) -> (first: [Exposure], others: [Exposure]) {
        var (first, others) = ([Place: Exposure](), [Place: Exposure]())
        for exposure in exposures {
            let place = Place(unit: exposure.unit, experiment: exposure.experiment, phase: exposure.phase)
            if let before = first[place] {
                if before.variation != exposure.variation { others[place] = exposure }
            } else {
                first[place] = exposure
            }
        }
        return (Array(first.values), Array(others.values))
    }

    /// The key of a row.
    private struct Place: Hashable {
        var unit: UUID
        var experiment: String
        var phase: Int
    }
}
