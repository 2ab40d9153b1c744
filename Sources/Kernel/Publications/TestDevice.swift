package import Foundation

/// A unit that sees a draft, or variations that it is given, and counts nowhere.
package struct TestDevice: Sendable {
    package let name: String
    /// As experiments know the unit.
    package let unit: UUID
    /// The name of the draft that it sees. Nil if it sees what is published.
    package let draft: String?
    /// The variations that it is given, by their experiments.
    package let variations: [String: String]
    package let actor: AuditActor
    package let changedAt: Date
    /// What the draft's items are to be.
    package let changes: [ItemName: [String: String]?]

    /// The most devices.
    static let most = 100

    func changes(_ section: any AppliedSection.Type) -> Bool {
        changes.keys.contains { $0.section == section.name }
    }
}
