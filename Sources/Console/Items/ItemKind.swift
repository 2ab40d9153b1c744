import Web

/// A section of what is published (`policies`, `values` …), as people edit its items: one form serves all.
struct ItemKind: Sendable {
    /// The name of the section, and of its texts: `items.policies.…`.
    let section: String
    let area: Area
    /// The page of its list.
    let path: String
    /// The fields of the form. Those of an item that the form does not show stay as they are.
    let fields: @Sendable (Words) -> [Field]
    /// What an item has several of, by a name, as rules or messages.
    var groups: [ItemGroup] = []
    /// Parts of an item's page above its form: what it does, and how it goes.
    var more: (@Sendable (PageRequest, String, Fields) async throws -> [any Part])?
    /// Fields of its form that are no part of it. Of a new item there is no name.
    var aside: (@Sendable (PageRequest, String?) async throws -> [Field])?

    /// The fields of an item, by their dotted names.
    typealias Fields = [String: String]

    var call: String { "POST /v1/admin/config" }
}

/// Parts of an item that have names of their own: `rules.japan.value`.
struct ItemGroup: Sendable {
    /// The first part of their fields' names.
    let name: String
    let fields: @Sendable (Words) -> [Field]
    /// Whether it can have a part more, which the form has room for.
    var grows = true

    /// Returns the names of an item's parts, in order.
    func keys(_ item: ItemKind.Fields) -> [String] {
        let names = item.keys.filter { $0.hasPrefix("\(name).") }.compactMap {
            $0.split(separator: ".").dropFirst().first
        }
        return Set(names.map(String.init)).sorted()
    }

    /// The name that stands for the new part, and the field in which it gets its own.
    static let new = "+"
    var newKey: String { "\(name).\(Self.new)" }
}

extension ItemKind {
    static let all: [ItemKind] = [.policies, .values, .experiments, .campaigns, .programs, .apps]

    /// When something is for an app that asks: its system, version, language and so on.
    /// - Parameter ofApp: whether the system and the app are among the conditions.
    static func conditions(_ words: Words, at prefix: String, ofApp: Bool = true) -> [Field] {
        func field(_ name: String, _ kind: Field.Kind = .text, example: String? = nil) -> Field {
            Field("\(prefix)\(name)", words["when.\(name)"], kind, example: example)
        }
        let systems: [Field.Choice] = [
            .init(value: "", title: words["when.any"]), .init(value: "ios", title: "iOS"),
            .init(value: "android", title: "Android"),
        ]
        let app = [field("platform", .choice(systems)), field("app", example: "com.example.app")]
        return (ofApp ? app : []) + [
            field("version.gte", example: "5.0"), field("version.lt", example: "5.2"),
            field("language", .several(words.languages)), field("country", .several(words.countries)),
            field("rollout.percent", example: "10"), field("from", example: "2026-12-01"),
            field("until", example: "2027-03-01"),
        ]
    }
}
