/// The sections that a file of `kith apply` has, in its order. A section that it does not have stays as it
/// is.
package struct AppliedSections: Sendable {
    package private(set) var all: [any AppliedSection]

    package init(_ sections: [any AppliedSection] = []) { all = sections }

    package subscript<Section: AppliedSection>(_: Section.Type) -> Section? {
        all.lazy.compactMap { $0 as? Section }.first
    }

    package mutating func add(_ section: some AppliedSection) { all.append(section) }

    /// Returns the section with this name.
    package func section(_ name: String) -> (any AppliedSection)? { all.first { type(of: $0).name == name } }

    /// The fields of an item. Nil if there is none of that name.
    package subscript(item item: ItemName) -> [String: String]? { section(item.section)?.items[item.key] }

    /// Replaces items, and removes those without fields. Items of sections that are not here stay out.
    package mutating func replace(_ changes: [ItemName: [String: String]?]) {
        for (name, changes) in Dictionary(grouping: changes, by: \.key.section) {
            guard let place = all.firstIndex(where: { type(of: $0).name == name }) else { continue }
            var items = all[place].items
            for (item, fields) in changes { items[item.key] = fields }
            all[place].items = items
        }
    }

    /// The fields of all items, by their names.
    package var items: [ItemName: [String: String]] {
        var items: [ItemName: [String: String]] = [:]
        for section in all {
            for (key, fields) in section.items { items[ItemName(type(of: section).name, key)] = fields }
        }
        return items
    }

    /// Returns the differences, as `AppliedSection.changes(to:)`.
    package func lines(to other: AppliedSections) -> [String] {
        func lines<Section: AppliedSection>(_ section: Section) -> [String] {
            section.changes(to: other[Section.self] ?? Section())
        }
        return all.flatMap { lines($0) }
    }

    /// Returns the items that differ, by their names.
    package func changes(to other: AppliedSections) -> [ItemChange] {
        let (before, after) = (items, other.items)
        return Set(before.keys).union(after.keys).sorted().compactMap { name in
            before[name] == after[name]
                ? nil : ItemChange(name, before: before[name], after: after[name])
        }
    }
}
