import Foundation

/// That a unit saw its variation, or used it.
struct Exposure: Hashable, Sendable {
    /// `ExperimentUnit.id`.
    var unit: UUID
    var experiment: String
    var phase: Int
    var variation: String
}
