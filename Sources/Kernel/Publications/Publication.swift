package import Foundation

/// A numbered change of what operators set: apps, policies, values, experiments, offers and rewards.
package struct Publication: Sendable {
    /// Its place in the history, from 1. The newest is the revision of the state.
    package let number: Int64
    package let at: Date
    package let content: Content

    /// A publication without its number and time.
    package struct Content: Sendable {
        package var actor: AuditActor
        package var source: Source
        /// Nil if a command gave none.
        package var reason: OperatorReason?
        package var items: [ItemChange]
        /// What it does, in sentences, as it was seen before.
        package var effects: [String]

        package init(
            actor: AuditActor, source: Source, reason: OperatorReason?, items: [ItemChange],
            effects: [String] = []
        ) {
            self.actor = actor
            self.source = source
            self.reason = reason
            self.items = items
            self.effects = effects
        }
    }

    /// By what it was made.
    package enum Source: String, Sendable {
        case call
        /// A call by a person who is signed in at the console.
        case console
        /// `kith apply`.
        case file
        /// It undoes one publication.
        case revert
        /// It goes back to a revision.
        case restore
    }
}

/// What a publication changed of one item.
package struct PublishedChange: Sendable {
    package let number: Int64
    package let at: Date
    package let actor: AuditActor
    package let reason: OperatorReason?
    package let change: ItemChange
}

/// A publication without what its items were and are, which may be large.
package struct PublicationSummary: Sendable {
    package let number: Int64
    package let at: Date
    package let actor: AuditActor
    package let source: Publication.Source
    package let reason: OperatorReason?
    /// The items, as `ItemChange.marked`.
    package let markedItems: [String]

    package var names: [ItemName] { markedItems.compactMap { ItemName(String($0.dropFirst())) } }
}
