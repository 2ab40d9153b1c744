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

    package func changes(_ section: (some AppliedSection).Type) -> Bool {
        changes.keys.contains { $0.section == section.name }
    }

    /// Returns a section as the device sees it. Nil if the draft does not fit any more.
    package func rules<Section: RuledSection>(over applied: Section) -> Section.Rules? {
        var section = applied
        for (item, fields) in changes where item.section == Section.name { section.items[item.key] = fields }
        let (rules, mistakes) = section.read()
        return mistakes.isEmpty ? rules : nil
    }
}
