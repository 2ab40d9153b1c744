import Foundation
import Hummingbird
import Kernel
import Web

/// What is set, as of a revision.
struct ConfigStateResponse: Encodable {
    let revision: Int64
    /// The fields of the items of each section, by their keys.
    let sections: [String: [String: [String: String]]]

    init(_ state: Publisher.State) {
        revision = state.revision
        sections = Dictionary(
            uniqueKeysWithValues: state.sections.all.map { (type(of: $0).name, $0.items) })
    }
}

/// An item before a change and after it.
struct ItemChangeResponse: Encodable {
    /// Such as `policies.minimum`.
    let item: String
    /// Its fields. Nil if it is new.
    let before: [String: String]?
    /// Nil if it is removed.
    let after: [String: String]?

    init(_ change: ItemChange) {
        item = change.name.text
        before = change.before
        after = change.after
    }
}

struct PublicationResponse: ResponseEncodable {
    let number: Int64
    let at: Date
    let actor: String
    let source: String
    let reason: String?
    let changes: [ItemChangeResponse]
    let effects: [String]

    init(_ publication: Publication) {
        number = publication.number
        at = publication.at
        actor = publication.content.actor.text
        source = publication.content.source.rawValue
        reason = publication.content.reason?.text
        changes = publication.content.items.map(ItemChangeResponse.init)
        effects = publication.content.effects
    }
}

struct PublicationsResponse: ResponseEncodable {
    /// Newest first.
    let publications: [PublicationResponse]
    /// The number before which the next page begins. Nil on the last page.
    let next: Int64?
}

/// What a change does, or would do.
struct PlanResponse: Encodable {
    /// The revision of the state afterwards. In a dry run: the one that it would change.
    let revision: Int64
    let changes: [ItemChangeResponse]
    /// The changes in words, a line a field: `+` is new, `-` goes, `~` changes.
    let lines: [String]
    let effects: [String]
    /// The items that `force` must name, and why.
    let needsForce: [String: String]

    init(_ plan: Publisher.Plan, revision: Int64) {
        self.revision = revision
        changes = plan.section.items.map(ItemChangeResponse.init)
        lines = plan.section.lines
        effects = plan.section.effects
        needsForce = Dictionary(uniqueKeysWithValues: plan.section.dangers.map { ($0.key.text, $0.value) })
    }
}

/// The items that differ between two revisions.
struct ConfigDifferenceResponse: ResponseEncodable {
    let from: Int64
    let to: Int64
    let changes: [ItemChangeResponse]
}
