import Web

/// A section of what is published (`policies`, `values` …), as people edit its items: one form serves all.
struct ItemKind: Sendable {
    /// The name of the section, and of its texts: `items.policies.…`.
    let section: String
    let area: Area
    /// Below which its pages are. The page of its area lists them.
    let path: String
    /// The fields of the form. Those of an item that the form does not show stay as they are.
    var fields: @Sendable (Words) -> [Field]
    /// What an item has several of, by a name, as rules or messages.
    var groups: [ItemGroup] = []
    /// The fields below the groups.
    var tail: @Sendable (Words) -> [Field] = { _ in [] }
    /// What its form says otherwise than the item does, and back.
    var shown: @Sendable (Fields) -> Fields = { $0 }
    var kept: @Sendable (Fields) -> Fields = { $0 }
    /// Returns it as the form of an item needs it, by what else is published and was entered. Nil: as it is.
    var adapted: (@Sendable (ItemKind, PageRequest, Fields?, Entries?) async throws -> ItemKind)?
    /// Returns what the console itself finds wrong with the fields of an item, and with what was entered.
    var mistake: (@Sendable (Fields, Entries) -> (field: String, sentence: String)?)?
    /// Returns the fields of an item that is for nobody until somebody undoes that. Nil: it has no such way.
    var paused: (@Sendable (Fields) -> Fields)?
    /// What stands beside the form: how that which is entered will look.
    var picture: (@Sendable (Fields, Words) -> any Part)?
    /// Parts of an item's page above its form: what it does, and how it goes.
    var more: (@Sendable (PageRequest, String, Fields) async throws -> [any Part])?
    /// Fields of its form that are no part of it. Of a new item there is no name.
    var aside: (@Sendable (PageRequest, String?) async throws -> [Field])?
    /// Where one goes from the form: what one may need for it, or to try what it does.
    var ways: @Sendable (_ words: Words, _ isNew: Bool) -> [Way] = { _, _ in [] }

    /// The fields of an item, by their dotted names.
    typealias Fields = [String: String]

    var call: String { "POST /v1/admin/config" }
}

/// Parts of an item that have names of their own: `rules.japan.value`.
struct ItemGroup: Sendable {
    /// The first part of their fields' names.
    let name: String
    /// The field in which a new part gets its name.
    var key: @Sendable (Words) -> Field = { Field("", $0["items.newKey"]) }
    var fields: @Sendable (Words) -> [Field]
    /// What a part's name is called to people.
    var title: @Sendable (Words, String) -> String = { $1 }
    /// The new parts with which the form begins if there are none, as what stands in their fields. Their
    /// names have the name "".
    var first: [ItemKind.Fields] = [[:]]

    /// Returns the names of an item's parts, in order.
    func keys(_ item: ItemKind.Fields) -> [String] {
        let names = item.keys.filter { $0.hasPrefix("\(name).") }.compactMap {
            $0.split(separator: ".").dropFirst().first
        }
        return Set(names.map(String.init)).sorted()
    }

    /// Where the names of new parts begin.
    static let new = "+"
    /// The name that stands for a new part, and the field in which it gets its own.
    func newKey(_ place: Int) -> String { "\(name).\(Self.new)\(place)" }

    /// The most new parts of one form.
    private static let most = 20

    /// How many new parts were entered: one more if somebody asks for it.
    func count(in entries: Entries) -> Int {
        let start = "\(name).\(Self.new)"
        let places = entries.all.compactMap { entry in
            entry.name.hasPrefix(start) ? entry.name.dropFirst(start.count).prefix { $0 != "." } : nil
        }
        return min(Self.most, Set(places).count + (entries[Field.again] == name ? 1 : 0))
    }
}

extension ItemKind {
    static let all: [ItemKind] = [.policies, .values, .experiments, .campaigns, .programs, .apps]

    /// When something is for an app that asks: its system, version, language and so on.
    /// - Parameter ofApp: whether the system and the app are among the conditions.
    static func conditions(_ words: Words, at prefix: String, ofApp: Bool = true) -> [Field] {
        func field(
            _ name: String, _ kind: Field.Kind = .text, hint: String? = nil, example: String? = nil
        ) -> Field {
            Field("\(prefix)\(name)", words["when.\(name)"], kind, hint: hint, example: example)
        }
        let systems: [Field.Choice] = [
            .init(value: "", title: words["when.any"]), .init(value: "ios", title: "iOS"),
            .init(value: "android", title: "Android"),
        ]
        let app = [field("platform", .choice(systems)), field("app", example: "com.example.app")]
        return (ofApp ? app : []) + [
            field("version.gte", example: "5.0"), field("version.lt", example: "5.2"),
            field("language", .several(words.languages)), field("country", .several(words.countries)),
            field("rollout.percent", example: "10"), field("from", .time, hint: words.zoneHint),
            field("until", .time, hint: words.zoneHint),
        ]
    }
}
