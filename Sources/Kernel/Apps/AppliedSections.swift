/// The sections that a file of `kith apply` has, in its order. A section that it does not have stays as it
/// is.
package struct AppliedSections: Sendable {
    package private(set) var all: [any AppliedSection] = []

    package init() {}

    package subscript<Section: AppliedSection>(_: Section.Type) -> Section? {
        all.lazy.compactMap { $0 as? Section }.first
    }

    package mutating func add(_ section: some AppliedSection) { all.append(section) }
}
