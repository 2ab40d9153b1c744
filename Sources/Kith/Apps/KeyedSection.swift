/// A section with entries by their keys, each of which has fields, as `when.version.lt`.
protocol KeyedSection: RuledSection {
    /// The texts of the fields of each; those of a list are separated by commas.
    var entries: [String: [String: String]] { get set }

    /// Whether the field is a list.
    static func isList(_ field: String) -> Bool

    /// The names of the fields, as `FieldNames` has them. Empty: messages about lists do not say which fields are tables.
    static var fieldNames: Set<String> { get }

    /// How many parts the longest name of a field has.
    static var mostDepth: Int { get }
}

extension KeyedSection {
    static var mostDepth: Int { 5 }
    static var fieldNames: Set<String> { [] }

    /// What `texts` is.
    var entryTexts: [String: String] {
        var all: [String: String] = [:]
        for (key, fields) in entries {
            for (name, text) in fields { all["\(Self.name).\(key).\(name)"] = text }
        }
        return all
    }
}
