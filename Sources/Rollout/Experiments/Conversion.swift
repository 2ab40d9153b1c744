package import Foundation

/// That a unit reached a goal.
package struct Conversion: Hashable, Sendable {
    /// `ExperimentUnit.id`.
    package var unit: UUID
    package var goal: Goal

    package init(unit: UUID, goal: Goal) {
        self.unit = unit
        self.goal = goal
    }
}
