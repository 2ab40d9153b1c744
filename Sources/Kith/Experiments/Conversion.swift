import Foundation

/// That a unit reached a goal.
struct Conversion: Hashable, Sendable {
    /// `ExperimentUnit.id`.
    var unit: UUID
    var goal: Goal
}
