package import Foundation

/// Changes of what operators set that are not published yet.
package struct ConfigDraft: Sendable {
    package let name: String
    /// It rises with each change, and no later draft of the name has it.
    package let version: Int64
    /// The newest publication when it was changed.
    package let revision: Int64
    /// Of each item what it was then, and what it is to be.
    package let items: [ItemChange]
    /// Who changed it last.
    package let actor: AuditActor
    package let changedAt: Date

    package var summary: ConfigDraftSummary {
        ConfigDraftSummary(
            name: name, version: version, revision: revision, names: items.map(\.name.text).sorted(),
            actor: actor, changedAt: changedAt)
    }

    /// The most drafts, but for some more if several are made at once.
    static let most = 100

    /// What each item is to be.
    package var wanted: [ItemName: [String: String]?] {
        Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.after) })
    }

    /// The items that are neither as they were when the draft was changed, nor as it wants them.
    package func overtaken(by sections: AppliedSections) -> Set<ItemName> {
        items.overtaken(by: sections)
    }
}

/// A draft without what its items were and are to be.
package struct ConfigDraftSummary: Sendable {
    package let name: String
    package let version: Int64
    package let revision: Int64
    /// The names of its items, sorted.
    package let names: [String]
    package let actor: AuditActor
    package let changedAt: Date
}
