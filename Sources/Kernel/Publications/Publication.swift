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

extension Publication {
    /// The items that both changed.
    package func changes(of other: Publication) -> [ItemName] {
        let names = Set(other.content.items.map(\.name))
        return content.items.map(\.name).filter(names.contains)
    }
}

/// The name of an item: `policies.minimum`.
package struct ItemName: Hashable, Sendable, Comparable {
    package let section: String
    package let key: String

    package init(_ section: String, _ key: String) {
        (self.section, self.key) = (section, key)
    }

    /// Nil without a dot. A value's key has dots, too.
    package init?(_ text: String) {
        guard let dot = text.firstIndex(of: ".") else { return nil }
        self.init(String(text[..<dot]), String(text[text.index(after: dot)...]))
    }

    package var text: String { "\(section).\(key)" }

    package static func < (one: Self, other: Self) -> Bool {
        (one.section, one.key) < (other.section, other.key)
    }
}

/// An item before a publication and after it.
package struct ItemChange: Codable, Hashable, Sendable {
    package let section: String
    package let key: String
    /// The texts of its fields. Nil if it is new.
    package let before: [String: String]?
    /// Nil if it was removed.
    package let after: [String: String]?

    package init(_ name: ItemName, before: [String: String]?, after: [String: String]?) {
        (section, key) = (name.section, name.key)
        (self.before, self.after) = (before, after)
    }

    package var name: ItemName { ItemName(section, key) }
}
