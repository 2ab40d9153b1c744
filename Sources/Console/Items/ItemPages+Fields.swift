import Web

/// The fields of an item's form.
extension ItemPages {
    /// Returns the fields of the form: as the item is, or as a link says how they are to be. Who may not send
    /// it gets none.
    static func fields(
        _ kind: ItemKind, _ key: String?, _ item: ItemKind.Fields?, _ asked: PageRequest
    ) async throws -> [Field] {
        guard asked.may("preview") else { return [] }
        var fields = try await ItemForm(kind, asked, item: item, entries: entries(asked)).fields
        for index in fields.indices {
            fields[index].value = asked.value(set(fields[index].name)).nonEmpty ?? fields[index].value
        }
        await suggest(&fields, asked)
        return fields + (try await kind.aside?(asked, key) ?? [])
    }

    /// Returns the form with a picture beside it of what is entered, if its kind has one.
    static func pictured(
        _ form: Form, _ kind: ItemKind, _ item: ItemKind.Fields?, _ asked: PageRequest
    ) async throws -> any Part {
        guard let picture = kind.picture else { return form }
        var shown = item ?? [:]
        if let entries = entries(asked) {
            let entered = try await ItemForm(kind, asked, item: item, entries: entries)
            shown = (try? entered.changed(by: entries)) ?? shown
        }
        return Beside(form, picture(shown, asked.words))
    }

    /// What was entered in the form. Nil if it is shown for the first time.
    private static func entries(_ asked: PageRequest) -> Entries? {
        asked.refused.flatMap { $0.act == "preview" ? $0.entries : nil }
    }

    /// The parameter by which a link says what is to stand in a field.
    static func set(_ field: String) -> String { "set.\(field)" }

    static func isFilledByLink(_ asked: PageRequest) -> Bool {
        asked.query.raw?.contains(set("")) == true
    }

    /// By which a link leads to the form.
    static let formID = "edit"

    /// How many apps and versions are suggested.
    private static let mostSuggestions = 30

    /// Suggests the apps and versions of which calls came yesterday, the most frequent first.
    private static func suggest(_ fields: inout [Field], _ asked: PageRequest) async {
        guard fields.contains(where: { $0.name.hasSuffix("when.version.gte") }),
            asked.mayCall("GET /v1/admin/client-versions")
        else { return }
        let day = asked.words.day(asked.now, plus: -1)
        let path = apiPath("v1", "admin", "client-versions", query: ["from": day, "to": day])
        let answer = await asked.together([{ @Sendable in try await asked.api.get(path) }])
        let counts = answer.first??.list("counts") ?? []
        func most(_ name: String) -> [String] {
            var sums: [String: Int] = [:]
            for count in counts { sums[count.text(name), default: 0] += count.int("count") }
            let ordered = sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { $0.key }
            return Array(ordered.filter { !$0.isEmpty }.prefix(mostSuggestions))
        }
        let (apps, versions) = (most("app"), most("version"))
        for index in fields.indices {
            let name = fields[index].name
            if name == "app" || name.hasSuffix("when.app") { fields[index].suggestions = apps }
            if name == "target" || name.contains("when.version.") { fields[index].suggestions = versions }
        }
    }
}
