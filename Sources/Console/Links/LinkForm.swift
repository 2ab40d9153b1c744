import Web

/// The form of a link.
struct LinkForm {
    let words: Words
    let used: UsedValues

    init(_ words: Words, used: UsedValues = UsedValues()) { (self.words, self.used) = (words, used) }

    static let campaign = ["utm_source", "utm_medium", "utm_campaign"]

    var fields: [Field] {
        let rest = [
            Field("parameters.st", words["links.previewTitle"], hint: words["links.previewHint"]),
            Field("parameters.sd", words["links.previewText"], .long(rows: 2)),
            Field("parameters.si", words["links.previewImage"], .url),
        ]
        return basic + Self.campaign.map(campaignField) + rest.map { grouped($0, "links.preview") }
            + [LinkPreviewSection.button(words)]
    }

    private var basic: [Field] {
        var tags = Field(
            "tags", words["links.tags"], .list, hint: words["links.tagsHint"], example: "spring, print")
        tags.suggestions = used["tags"]
        return [
            Field(
                "parameters.link", words["links.target"], .url, hint: words["links.targetHint"],
                example: "https://app.example.com/party", isNeeded: true),
            Field("name", words["links.name"], hint: words["links.nameHint"]),
            Field("code", words["links.code"], hint: words["links.codeHint"], example: "summer"), tags,
            Field("note", words["links.note"]),
        ]
    }

    private func campaignField(_ name: String) -> Field {
        var field = Field("parameters.\(name)", words["links.\(name)"], hint: words["links.\(name)Hint"])
        field.suggestions = used[name]
        return grouped(field, "links.campaign")
    }

    private func grouped(_ field: Field, _ title: String) -> Field {
        var field = field
        field.group = words[title]
        return field
    }

    /// The fields as a link has them. Its code stays.
    func fields(of link: JSONTree) -> [Field] {
        fields.filter { $0.name != "code" }.map { field in
            var field = field
            field.value =
                field.name == "tags" ? link.texts("tags").joined(separator: ", ") : link.text(field.name)
            return field
        }
    }

    /// What the form of a link shows before anybody enters something.
    func seen(of link: JSONTree) -> String {
        JSONBody.object(values(of: link).mapValues(JSONBody.text)).json
    }

    private func values(of link: JSONTree) -> [String: String] {
        Dictionary(uniqueKeysWithValues: fields(of: link).map { ($0.name, $0.value) })
    }

    /// Returns the fields that a person changed. Throws an ``APIProblem`` at a field that somebody else has
    /// changed meanwhile, otherwise.
    func changed(by entries: Entries, since link: JSONTree) throws -> [String: String] {
        let seen = try? JSONTree(Array(entries[Entries.seen].utf8), .document)
        let now = values(of: link)
        var changed: [String: String] = [:]
        for (name, value) in now where entries.has(name) {
            let (entry, before) = (entries[name], seen?[name]?.text ?? value)
            guard entry != before, entry != value else { continue }
            guard value == before else {
                throw APIProblem.entry(name, words("kit.changedMeanwhile", ["now": value.nonEmpty ?? "–"]))
            }
            changed[name] = entry
        }
        return changed
    }
}

/// What the newest links have in their fields, the last used first.
struct UsedValues: Sendable {
    private var values: [String: [String]] = [:]
    private static let most = 20

    init() {}

    init(_ asked: PageRequest) async throws {
        let newest = try await asked.api.find(apiPath("v1", "links", query: ["limit": "100"]))
        for link in newest?.list("links") ?? [] {
            for name in LinkForm.campaign { add(link.text("parameters.\(name)"), name) }
            for tag in link.texts("tags") { add(tag, "tags") }
        }
    }

    private mutating func add(_ value: String, _ name: String) {
        let known = values[name] ?? []
        guard !value.isEmpty, !known.contains(value), known.count < Self.most else { return }
        values[name] = known + [value]
    }

    subscript(name: String) -> [String] { values[name] ?? [] }
}
