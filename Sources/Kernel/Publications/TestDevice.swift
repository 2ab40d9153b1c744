package import Foundation

/// A unit that sees a draft, or variations that it is given, and counts nowhere.
package struct TestDevice: Sendable {
    package let name: String
    /// As experiments know the unit.
    package let unit: UUID
    /// The name of the draft that it sees. Nil if it sees what is published.
    package let draft: String?
    let draftVersion: Int64?
    /// The variations that it is given, by their experiments.
    package let variations: [String: String]
    package let actor: AuditActor
    package let changedAt: Date

    /// The most devices, but for some more if several are made at once.
    static let most = 100
}
