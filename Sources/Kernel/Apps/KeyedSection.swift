/// A section with entries by their keys, each of which has fields, as `when.version.lt`.
package protocol KeyedSection: RuledSection {
    /// The texts of the fields of each; those of a list are separated by commas.
    var entries: [String: [String: String]] { get set }

    /// Whether the field is a list.
    static func isList(_ field: String) -> Bool

    /// Whether the field is a time, for which a file may say a day.
    static func isTime(_ field: String) -> Bool

    /// What a text is that stands in place of an entry's table; nil: no text may.
    static var shortField: String? { get }

    /// The names of the fields, as `FieldNames` has them.
    static var fieldNames: Set<String> { get }

    /// How many parts the longest name of a field has.
    static var mostDepth: Int { get }
}

package extension KeyedSection {
    static var mostDepth: Int { 5 }
    static var shortField: String? { nil }

    static func isTime(_ field: String) -> Bool {
        ["from", "until"].contains { field == $0 || field == "when.\($0)" || field.hasSuffix(".when.\($0)") }
    }

    /// What `texts` is.
    var entryTexts: [String: String] {
        var all: [String: String] = [:]
        for (key, fields) in entries {
            for (name, text) in fields { all["\(Self.name).\(key).\(name)"] = text }
        }
        return all
    }
}
