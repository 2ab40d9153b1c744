package import Foundation

/// The fact that a unit reached a goal.
package struct Conversion: Hashable, Sendable {
    /// The unit's `ExperimentUnit.id`.
    package var unit: UUID
    package var goal: Goal

    package init(unit: UUID, goal: Goal) {
        self.unit = unit
        self.goal = goal
    }
}
