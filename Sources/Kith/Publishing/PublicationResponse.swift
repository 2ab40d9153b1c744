package import Foundation
import Hummingbird
package import Kernel
import Web

/// What is set, as of a revision.
package struct ConfigStateResponse: Codable {
    let revision: Int64
    /// The fields of the items of each section, by their keys.
    let sections: [String: [String: [String: String]]]

    init(_ state: Publisher.State) {
        revision = state.revision
        sections = Dictionary(
            uniqueKeysWithValues: state.sections.all.map { (type(of: $0).name, $0.items) })
    }

    /// The state that it shows. Sections of a newer Kith are left out.
    package var state: Publisher.State {
        var known = AppliedSections(AppliedSections.kinds.map { $0.init() })
        for (section, items) in sections {
            known.replace(Dictionary(uniqueKeysWithValues: items.map { (ItemName(section, $0), $1) }))
        }
        return Publisher.State(revision: revision, sections: known)
    }
}

/// An item before a change and after it.
struct ItemChangeResponse: Codable {
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

/// A publication in a list.
package struct PublicationSummaryResponse: Codable {
    package let number: Int64
    package let at: Date
    package let actor: String
    package let source: String
    package let reason: String?
    /// The names of the changed items behind `+` (new), `-` (removed) or `~` (changed).
    package let items: [String]

    package init(_ publication: PublicationSummary) {
        (number, at) = (publication.number, publication.at)
        (actor, source) = (publication.actor.text, publication.source.rawValue)
        (reason, items) = (publication.reason?.text, publication.markedItems)
    }
}

package struct PublicationsResponse: ResponseEncodable, Codable {
    /// Newest first.
    package let publications: [PublicationSummaryResponse]
    /// The number before which the next page begins. Nil on the last page.
    package let next: Int64?
}

/// What a change does, or would do.
package struct PlanResponse: Codable {
    /// The revision of the state afterwards. In a dry run: the one that it would change.
    package let revision: Int64
    let changes: [ItemChangeResponse]
    /// The changes in words, a line a field: `+` is new, `-` goes, `~` changes.
    package let lines: [String]
    package let effects: [String]
    /// What yesterday's calls would be answered. Nil if no policy changes, or nobody called.
    let answers: AnsweredCalls?
    /// The items that `force` must name, and why.
    package let needsForce: [String: String]

    package init(_ plan: Publisher.Plan, revision: Int64) {
        self.revision = revision
        changes = plan.section.items.map(ItemChangeResponse.init)
        lines = plan.section.lines
        effects = plan.section.effects
        answers = plan.section.answers
        needsForce = Dictionary(uniqueKeysWithValues: plan.section.dangers.map { ($0.key.text, $0.value) })
    }
}

/// The items that differ between two revisions.
struct ConfigDifferenceResponse: ResponseEncodable {
    let from: Int64
    let to: Int64
    let changes: [ItemChangeResponse]
}
