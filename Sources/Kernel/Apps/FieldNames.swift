import Web

/// The names of the fields of an entry, such as `when.version.lt`. A part `*` stands for any key. As the last
/// part it stands for all further parts.
package struct FieldNames {
    private let patterns: [[Substring]]

    package init(_ names: Set<String>) {
        patterns = names.sorted().map { $0.split(separator: ".") }
    }

    private static func parts(_ name: String) -> [Substring] {
        name.split(separator: ".", omittingEmptySubsequences: false)
    }

    /// Whether the parts fit the beginning of the pattern.
    private static func begins(_ pattern: [Substring], _ parts: [Substring]) -> Bool {
        pattern.count >= parts.count
            && zip(pattern, parts).allSatisfy { $0 == $1 || $0 == "*" && !$1.isEmpty }
    }

    package func contains(_ name: String) -> Bool {
        let parts = Self.parts(name)
        return patterns.contains { pattern in
            let isOpen = pattern.last == "*" && parts.count >= pattern.count
            let read = isOpen ? Array(parts.prefix(pattern.count)) : parts
            return read.count == pattern.count && Self.begins(pattern, read)
        }
    }

    /// Says what the field must be if other fields begin with its name: a table, and with which fields. Nil
    /// if none does.
    package func table(_ name: String) -> String? {
        let parts = Self.parts(name)
        let inside = patterns.filter { $0.count > parts.count && Self.begins($0, parts) }
            .map { $0.dropFirst(parts.count) }
        guard !inside.isEmpty else { return nil }
        func listed(_ parts: [Substring]) -> String {
            let names = Set(parts).sorted()
            let all = names.dropLast().joined(separator: ", ")
            return all.isEmpty ? "\(names.last ?? "")" : "\(all) and \(names.last ?? "")"
        }
        let fields = inside.compactMap(\.first).filter { $0 != "*" }
        if !fields.isEmpty { return "must be a table with \(listed(fields))" }
        let below = inside.compactMap { $0.dropFirst().first }
        return below.isEmpty ? "must be a table" : "must be a table of tables, each with \(listed(below))"
    }

    /// Returns the name that was probably meant. Nil if none is near.
    package func near(_ name: String) -> String? {
        let parts = Self.parts(name)
        return name.near(
            among: patterns.filter { $0.last != "*" }.map { pattern in
                pattern.enumerated().map { place, part in
                    part == "*" && parts.indices.contains(place) ? parts[place] : part
                }.joined(separator: ".")
            })
    }
}
