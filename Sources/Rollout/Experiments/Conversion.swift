package import Foundation

/// The fact that a unit reached a goal.
package struct Conversion: Hashable, Sendable {
    /// The unit's `ExperimentUnit.id`.
    package var unit: UUID
    package var goal: Goal
    /// What the backend calls this time by, so that a repeated call counts nothing. Empty if it named none.
    var id = ""
    /// What this time adds to the unit's value of the goal.
    var value = 1

    package init(unit: UUID, goal: Goal) {
        self.unit = unit
        self.goal = goal
    }

    /// How many ids of a goal count for a unit, experiment and phase. Further ones count nothing.
    static let mostIDs = 1000
    /// The values that one conversion may have. Several of a unit may sum to more.
    static let values = 0...1_000_000_000
}
