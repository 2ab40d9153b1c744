import Foundation

/// That a unit saw its variation, or used it.
package struct Exposure: Hashable, Sendable {
    /// `ExperimentUnit.id`.
    var unit: UUID
    var experiment: String
    var phase: Int
    var variation: String
    /// Of a visitor whom nobody can tell from others: a visit that counts for no variation.
    package var isLeftOut = false

    /// Of each unit, experiment and phase the first, and beside it one of another variation, if there is any.
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

    /// What has one row.
    private struct Place: Hashable {
        var unit: UUID
        var experiment: String
        var phase: Int
    }
}
