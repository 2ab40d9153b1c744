/// What a feature brings to the product. `App.features` lists all of them: what concerns each is a loop over
/// that list.
package struct Feature: Sendable {
    /// The tables that it alone writes.
    package let tables: [Table]
    /// Where it keeps something of users: what a deletion removes, and an export shows.
    package let userData: [any UserDataStore.Type]
    /// Its sections of the file of `kith apply`.
    package let sections: [any SectionStore.Type]
    /// What is wrong in sections of others, in the words of the file.
    package let mistakes: @Sendable (AppliedSections) -> [String]
    /// What `kith verify` checks.
    package let checks: [TableCheck]

    package init(
        tables: [Table] = [], userData: [any UserDataStore.Type] = [], sections: [any SectionStore.Type] = [],
        mistakes: @escaping @Sendable (AppliedSections) -> [String] = { _ in [] }, checks: [TableCheck] = []
    ) {
        self.tables = tables
        self.userData = userData
        self.sections = sections
        self.mistakes = mistakes
        self.checks = checks
    }

    /// A table, and what a server does to its rows: `/readyz` asks whether the role may.
    package struct Table: Sendable {
        package let name: String
        package let rights: Set<Right>

        package init(_ name: String, _ rights: Right...) {
            self.name = name
            self.rights = Set(rights)
        }
    }

    /// A privilege that a statement needs beside SELECT. Locking a row counts as an update, and so does `ON
    /// CONFLICT DO UPDATE`.
    package enum Right: Sendable {
        case insert, update, delete
    }
}
