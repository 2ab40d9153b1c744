/// A section whose entries have keys. Each entry has fields, such as `when.version.lt`.
package protocol KeyedSection: RuledSection {
    /// The texts of the fields of each entry. The texts of a list are separated by commas.
    var entries: [String: [String: String]] { get set }

    /// Whether the field is a time. A file may give a day instead.
    static func isTime(_ field: String) -> Bool

    /// The field that a text in place of an entry's table sets. Nil if no text may stand there.
    static var shortField: String? { get }

    /// The names of the fields, in the form that `FieldNames` reads.
    static var fieldNames: Set<String> { get }

    /// How many parts the longest name of a field has.
    static var mostDepth: Int { get }
}

package extension KeyedSection {
    var items: [String: [String: String]] {
        get { entries }
        set { entries = newValue }
    }

    static var mostDepth: Int { 5 }
    static var shortField: String? { nil }

    static func isTime(_ field: String) -> Bool {
        ["from", "until"].contains { field == $0 || field == "when.\($0)" || field.hasSuffix(".when.\($0)") }
    }

    /// Reads the entries in the order of their keys. Returns what is wrong with them.
    /// - Parameters:
    ///   - most: how many there may be. None of more is read.
    ///   - read: reads an entry, and returns what is wrong with it.
    func readEntries(
        atMost most: Int, _ noun: String, _ read: (_ key: String, _ fields: [String: String]) -> [String]
    ) -> [String] {
        guard entries.count <= most else { return ["\(Self.name) has more than \(most) \(noun)"] }
        return entries.sorted { $0.key < $1.key }.flatMap(read)
    }

    var texts: [String: String] {
        var all: [String: String] = [:]
        for (key, fields) in completed.entries {
            for (name, text) in fields { all["\(Self.name).\(key).\(name)"] = text }
        }
        return all
    }
}
