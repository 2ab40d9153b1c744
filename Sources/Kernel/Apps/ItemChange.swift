package import Web

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

    /// Its name behind what becomes of it: `+` is new, `-` goes, `~` changes.
    package var marked: String { (before == nil ? "+" : after == nil ? "-" : "~") + name.text }
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

extension [ItemChange] {
    /// The items that are neither as they were before, nor as they were made.
    package func overtaken(by sections: AppliedSections) -> Set<ItemName> {
        Set(filter { ![$0.before, $0.after].contains(sections[item: $0.name]) }.map(\.name))
    }
}

extension Query {
    /// Reads the name of an item. Nil if it is not given. Throws a 400.
    package func item(_ parameter: String) throws(Problem) -> ItemName? {
        try value(parameter).map { text throws(Problem) in
            guard let item = ItemName(text) else { throw .invalid(parameter, "must be as policies.minimum") }
            return item
        }
    }
}
