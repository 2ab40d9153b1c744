import Kernel

/// The remote values that `kith apply` has set up, by their names.
package struct AppliedValues: KeyedSection {
    package static let name = "values"

    package var entries: [String: [String: String]] = [:]

    static let most = 1000

    package init() {}

    package static func isList(_ field: String) -> Bool { FieldReader.isList(field) }

    package static let shortField: String? = "value"

    package static var fieldNames: Set<String> { ValueReader.names }

    package struct Rules: Sendable {
        package var values: [String: RemoteValue] = [:]
        /// Whether any of them is about Kith's own pages.
        var ofPages = false
    }

    package func read() -> (rules: Rules, mistakes: [String]) {
        var rules = Rules()
        let mistakes = readEntries(atMost: Self.most, "values") { name, fields in
            var reader = ValueReader(fields, place: "values.\(name)")
            if !RemoteValue.isName(name) {
                reader.fields.refuse(
                    nil, "the name must be of letters, digits, - and _, with dots between its parts")
            }
            rules.values[name] = reader.value()
            if name.hasPrefix(Experiment.pagePrefix) { rules.ofPages = true }
            return reader.fields.mistakes
        }
        return (rules, mistakes)
    }

    /// The texts of values of Kith's own pages, with their places in the file.
    package var pageTexts: [(place: String, name: String, text: String)] {
        entries.filter { $0.key.hasPrefix(Experiment.pagePrefix) }.flatMap { name, fields in
            fields.filter { $0.key == "value" || $0.key.hasSuffix(".value") }.map {
                ("values.\(name).\($0.key)", name, $0.value)
            }
        }
    }
}

/// Reads a value from the texts of its fields.
struct ValueReader {
    var fields: FieldReader

    static let names = Set(
        ["value"]
            + (["value", "priority", "when.platform", "when.app"]
            + FieldReader.targetingNames.map { "when.\($0)" }).map { "rules.*.\($0)" })
    private static let mostRules = 50

    init(_ fields: [String: String], place: String) {
        self.fields = FieldReader(fields, place: place)
    }

    mutating func value() -> RemoteValue {
        let keys = Set(fields.fields.keys.compactMap(Self.ruleKey))
        fields.refuseUnknown(Self.names)
        if keys.count > Self.mostRules { fields.refuse("rules", "has more than \(Self.mostRules) rules") }
        var value = RemoteValue(standard: text("value"))
        if value.standard == nil, keys.isEmpty { fields.require("value") }
        value.rules = keys.map { rule($0) }
            .sorted { ($1.priority, $0.key) < ($0.priority, $1.key) }
        return value
    }

    private static func ruleKey(of field: String) -> String? {
        let parts = field.split(separator: ".", maxSplits: 2)
        return parts.count == 3 && parts[0] == "rules" ? String(parts[1]) : nil
    }

    private mutating func rule(_ key: String) -> RemoteValue.Rule {
        let place = "rules.\(key)"
        if !EntryKey.isOne(key) { fields.refuse(place, "must be \(EntryKey.form)") }
        fields.require("\(place).value")
        var when = fields.targeting("\(place).when")
        when.platform = fields.platform("\(place).when.platform")
        when.app = fields.app("\(place).when.app")
        return RemoteValue.Rule(
            key: key, when: when, priority: fields.number("\(place).priority", -1000...1000) ?? 0,
            text: text("\(place).value") ?? "")
    }

    private mutating func text(_ name: String) -> String? {
        fields.read(name, "at most \(RemoteValue.mostBytes) bytes") {
            $0.utf8.count <= RemoteValue.mostBytes ? $0 : nil
        }
    }
}
