import Web

/// Lists and forms of items, and the way from an entry to a publication: look what it does, say why, publish.
enum ItemPages {
    static let all: [ConsolePage] = ItemKind.all.flatMap { kind in
        [
            ConsolePage(
                "\(kind.path)/new", in: kind.area, shows: kind.call, acts: acts(of: kind)
            ) { try await form(kind, nil, $0) },
            ConsolePage(
                "\(kind.path)/{item}", in: kind.area, shows: "GET /v1/admin/config", acts: acts(of: kind)
            ) { try await form(kind, $0.parameter("item"), $0) },
        ]
    }

    private static func acts(of kind: ItemKind) -> [Act] {
        let ofPause = Act("pause", calls: kind.call) { try await pause(kind, $0, $1) }
        return (kind.paused == nil ? [] : [ofPause]) + [
            Act("undo", calls: kind.call) { try await undo(kind, $0, $1) },
            Act("preview", calls: kind.call) { try await preview(kind, $0, $1) },
            Act("remove", calls: kind.call) { asked, _ in
                try await preview(kind, [asked.parameter("item"): nil], revision: nil, asked)
            },
            Act("publish", calls: kind.call) { try await publish(kind, $0, $1) },
            Act("draft", calls: "PUT /v1/admin/config/drafts/{draft}") { try await saveDraft(kind, $0, $1) },
        ]
    }

    // MARK: Reading

    /// Returns the items of a section, and the revision of which they are.
    static func items(_ section: String, _ asked: PageRequest) async throws -> (
        items: [(String, ItemKind.Fields)], revision: Int
    ) {
        let state = try await asked.api.get("/v1/admin/config")
        let items = (state.at("sections.\(section)")?.members ?? []).map { member in
            (
                member.key,
                Dictionary((member.value.members ?? []).map { ($0.key, $0.value.text ?? "") }) { first, _ in
                    first
                }
            )
        }
        return (items.sorted { $0.0 < $1.0 }, state.int("revision"))
    }

    private static func form(_ kind: ItemKind, _ key: String?, _ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let (items, revision) = try await items(kind.section, asked)
        let item = key.flatMap { key in items.first { $0.0 == key }?.1 }
        if key != nil, item == nil { throw APIProblem.noItem }
        var page = Page(
            key ?? words["items.\(kind.section).new"],
            lead: key == nil ? words.text(ifAny: "items.\(kind.section).lead") : nil)
        page.parent = (path: kind.area.path, title: words["area.\(kind.area.rawValue)"])
        page.actions = kind.ways(words, key == nil)
        if let key, let item {
            // Whoever has to stop something looks for that first.
            page.parts += kind.paused == nil ? [] : back(kind, item, asked)
            page.parts += try await kind.more?(asked, key, item) ?? []
        }
        let form = asked.form(
            "preview", try await fields(kind, key, item, asked), submit: words["items.preview"],
            hidden: [("revision", "\(revision)")])
        if let form {
            page.parts.append(
                key == nil
                    ? try await pictured(form, kind, nil, asked)
                    : Section(
                        words["items.edit"], [try await pictured(form, kind, item, asked)],
                        isClosed: kind.more != nil && asked.refused == nil && !isFilledByLink(asked),
                        id: formID)
            )
        } else if let item {
            page.parts.append(Facts(item.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) }))
        }
        if let key, let item {
            page.parts.append(
                Section(
                    words["items.history"], [try await history(of: "\(kind.section).\(key)", asked)],
                    isClosed: true))
            page.parts += kind.paused == nil ? back(kind, item, asked) : []
        }
        return page
    }

    private static func history(of item: String, _ asked: PageRequest) async throws -> any Part {
        let answer = try await asked.api.get(
            apiPath("v1", "admin", "config", "publications", query: ["item": item, "limit": "10"]))
        return publicationTable(answer, asked.words)
    }

    static func publicationTable(_ answer: JSONTree, _ words: Words, next: String? = nil) -> any Part {
        let rows = answer.list("publications").map { one -> [Cell] in
            [
                .link("/changes/\(one.int("number"))", "\(one.int("number"))"), .time(one.text("at")),
                .text(one.text("actor")),
                .text(one.text("reason")), .long(one.texts("items").joined(separator: " ")),
            ]
        }
        guard !rows.isEmpty else { return Empty(text: words["changes.none"]) }
        return Table(
            words["changes.title"],
            ["changes.number", "changes.at", "changes.actor", "changes.reason", "changes.items"].map {
                words[$0]
            }, rows, next: next)
    }

    // MARK: What it would do

    private static func preview(_ kind: ItemKind, _ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        if !entries[Field.again].isEmpty { return .again }
        let (items, _) = try await items(kind.section, asked)
        let given = asked.parameter("item")
        let key = given.isEmpty ? entries["key"] : given
        guard !key.isEmpty else {
            throw APIProblem.entry("key", asked.words["items.keyMissing"])
        }
        let item = items.first { $0.0 == key }?.1
        if given.isEmpty, item != nil {
            throw APIProblem.entry("key", asked.words["items.keyTaken"])
        }
        let form = try await ItemForm(kind, asked, item: item, entries: entries)
        do {
            return try await preview(
                kind, [key: form.changed(by: entries)], revision: Int(entries["revision"]), asked)
        } catch let problem as APIProblem {
            throw problem.at(problem.field.map { form.fieldName(of: $0, entries) })
        }
    }

    /// Shows what changes would do, with the form that publishes them.
    /// - Parameter changes: the fields of items. Nil removes one.
    static func preview(
        _ kind: ItemKind, _ changes: [String: ItemKind.Fields?], revision: Int?, _ asked: PageRequest
    ) async throws -> Act.Outcome {
        let body = JSONBody.object([
            kind.section: .object(changes.mapValues { $0.map(ItemForm.tree) ?? .null })
        ])
        var known = revision
        if known == nil { known = try await asked.api.get("/v1/admin/config").int("revision") }
        return .page(try await preview(body.json, revision: known ?? 0, asked, kind))
    }

    /// - Parameter changes: as JSON.
    /// - Parameter mistake: why the changes were not published.
    static func preview(
        _ changes: String, revision: Int, _ asked: PageRequest, _ kind: ItemKind, mistake: Markup? = nil,
        reason: String = ""
    ) async throws -> Page {
        let call = APICall(
            method: .post, path: "/v1/admin/config", revision: "\(revision)",
            body: "{\"changes\":\(changes),\"dryRun\":true}")
        do {
            let plan = try await asked.api.send(call).json
            return page(of: plan, changes, revision: revision, asked, kind, mistake, reason)
        } catch let problem as APIProblem where problem.code == "changed_meanwhile" {
            // Somebody published meanwhile: the page shows what, and goes on from there.
            let now = try await asked.api.get("/v1/admin/config").int("revision")
            let difference = try await asked.api.get(
                apiPath(
                    "v1", "admin", "config", "difference", query: ["from": "\(revision)", "to": "\(now)"]))
            var page = try await preview(
                changes, revision: now, asked, kind, mistake: Markup(asked.words["items.changedMeanwhile"]),
                reason: reason)
            page.parts.insert(
                Section(asked.words["items.meanwhile"], [Difference(lines: lines(of: difference))]), at: 1)
            return page
        } catch let problem as APIProblem {
            // At the form's own field: it has the item's fields without what is around them.
            let field = problem.field.map { field in
                let parts = field.split(separator: ".", maxSplits: 3).map(String.init)
                return parts.count == 4 && parts[0] == "changes" ? parts[3] : field
            }
            throw problem.at(field)
        }
    }

    /// Returns the page of a plan: what changes, what is dangerous, and the forms that publish or keep it.
    private static func page(
        of plan: JSONTree, _ changes: String, revision: Int, _ asked: PageRequest, _ kind: ItemKind,
        _ mistake: Markup?, _ reason: String
    ) -> Page {
        let (words, lines) = (asked.words, plan.texts("lines"))
        var page = Page(words["items.whatItDoes"])
        page.parent = (path: kind.area.path, title: words["area.\(kind.area.rawValue)"])
        page.parts = mistake.map { [Notice(.warning, $0)] } ?? []
        guard !lines.isEmpty else {
            page.parts.append(Sentence(words["items.nothingChanges"]))
            return page
        }
        page.parts.append(Section(words["items.changes"], [Difference(lines: lines)]))
        page.parts +=
            answers(in: plan, words) + plan.texts("effects").map { Notice(.warning, words.said($0)) }
        let dangers = plan["needsForce"]?.members ?? []
        page.parts += notices(of: dangers, words)
        let hidden = [("changes", changes), ("revision", "\(revision)")]
        let publish = asked.form(
            "publish", fields(of: dangers, words, reason: reason), submit: words["items.publish"],
            hidden: hidden)
        let draft = asked.form(
            "draft", [Field("name", words["drafts.name"], example: "spring", isNeeded: true)],
            submit: words["drafts.save"], kind: .plain, hidden: hidden)
        page.parts += [publish].compactMap(\.self)
        page.parts += draft.map { [Section(words["drafts.instead"], [$0], isClosed: true)] } ?? []
        return page
    }

    /// Says what is dangerous in a plan.
    static func notices(of dangers: [JSONTree.Member], _ words: Words) -> [any Part] {
        dangers.map {
            let danger = $0.value.text ?? ""
            return Notice(
                .bad,
                words("items.danger", ["item": $0.key, "danger": words.sayings?(danger) ?? danger]))
        }
    }

    /// Returns what a person enters to publish: that dangers are meant, and why.
    static func fields(of dangers: [JSONTree.Member], _ words: Words, reason: String = "") -> [Field] {
        dangers.map { Field("force.\($0.key)", words("items.force", ["item": $0.key]), .check) } + [
            Field(
                "reason", words["items.reason"], hint: words["items.reasonHint"], value: reason,
                isNeeded: true)
        ]
    }

    /// Returns the items whose dangers the person accepts.
    static func forced(_ entries: Entries) -> JSONBody {
        .list(
            entries.all.filter { $0.name.hasPrefix("force.") && $0.value == "true" }
                .map { .text(String($0.name.dropFirst("force.".count))) })
    }

    private static func publish(_ kind: ItemKind, _ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let reason = JSONBody.text(entries["reason"])
        let body =
            "{\"changes\":\(entries["changes"]),\"reason\":\(reason.json),\"force\":\(forced(entries).json)}"
        do {
            try await asked.api.send(
                APICall(
                    method: .post, path: "/v1/admin/config",
                    revision: entries["revision"], body: body))
        } catch let problem as APIProblem {
            return .page(
                try await preview(
                    entries["changes"], revision: Int(entries["revision"]) ?? 0, asked, kind,
                    mistake: problem.code == "changed_meanwhile" ? nil : problem.sentence(asked.words),
                    reason: entries["reason"]))
        }
        return .done("items.published", at: kind.area.path)
    }

    private static func saveDraft(_ kind: ItemKind, _ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(
            APICall(
                method: .put, path: apiPath("v1", "admin", "config", "drafts", entries["name"]),
                revision: "0", body: "{\"changes\":\(entries["changes"])}"))
        return .done("drafts.saved", at: apiPath("changes", "drafts", entries["name"]))
    }

    /// The lines of a difference between two revisions.
    static func lines(of difference: JSONTree) -> [String] {
        difference.list("changes").flatMap { change -> [String] in
            let (item, before, after) = (change.text("item"), change["before"], change["after"])
            let names = Set((before?.members ?? []).map(\.key)).union((after?.members ?? []).map(\.key))
                .sorted()
            return names.compactMap { name in
                let (one, other) = (before?[name]?.text, after?[name]?.text)
                return switch (one, other) {
                case (nil, let text?): "+ \(item).\(name): \(text)"
                case (let text?, nil): "- \(item).\(name): \(text)"
                case (let one?, let other?): one == other ? nil : "~ \(item).\(name): \(one) → \(other)"
                default: nil
                }
            }
        }
    }
}
