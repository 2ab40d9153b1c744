import Web

/// The short ways back: to pause an item, undo its last change, or remove it. Each says first what it does.
extension ItemPages {
    /// The forms of an item that lead back.
    static func back(_ kind: ItemKind, _ item: ItemKind.Fields, _ asked: PageRequest) -> [any Part] {
        let words = asked.words
        let pause = kind.paused.map { $0(item) != item } ?? false
        let forms = [
            pause ? asked.form("pause", [], submit: words["items.pause"], kind: .plain) : nil,
            asked.form("undo", [], submit: words["items.undo"], kind: .plain),
            asked.form("remove", [], submit: words["items.remove"], kind: .danger),
        ].compactMap(\.self)
        guard !forms.isEmpty else { return [] }
        return [Section(words["items.back"], lead: words["items.backLead"], [Row(parts: forms)])]
    }

    static func pause(_ kind: ItemKind, _ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome
    {
        let (items, revision) = try await items(kind.section, asked)
        let key = asked.parameter("item")
        guard let item = items.first(where: { $0.0 == key })?.1, let paused = kind.paused else {
            throw APIProblem.noItem
        }
        return try await preview(kind, [key: paused(item)], revision: revision, asked)
    }

    /// Shows what it does if the item becomes what it was before the last publication that changed it.
    static func undo(_ kind: ItemKind, _ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome {
        let (key, path) = (asked.parameter("item"), "/v1/admin/config/publications")
        let item = "\(kind.section).\(key)"
        let last = try await asked.api.get(path.appending(query: ["item": item, "limit": "1"]))
        guard let number = last.list("publications").first?["number"]?.int else { throw APIProblem.noItem }
        let change = try await asked.api.get("\(path)/\(number)").list("changes").first {
            $0.text("item") == item
        }
        let before = change?["before"]?.members.map { members in
            Dictionary(members.map { ($0.key, $0.value.text ?? "") }) { first, _ in first }
        }
        return try await preview(kind, [key: before], revision: nil, asked)
    }

    /// How many apps would be asked, and forced, to update, of a plan that changes that.
    static func answers(in plan: JSONTree, _ words: Words) -> [any Part] {
        guard let answers = plan["answers"] else { return [] }
        func share(_ actions: [String], _ when: String) -> String {
            words.share(actions.reduce(0) { $0 + (answers.at("\(when).\($1)")?.double ?? 0) })
        }
        let figures = [("asked", ["soft"]), ("forced", ["hard", "block"])].map { name, actions in
            Figures.Figure(
                name: words["updates.\(name)"], number: share(actions, "after"),
                note: words("updates.shareBefore", ["share": share(actions, "before")]))
        }
        let of = words(
            "updates.ofCalls", ["calls": words.number(answers.int("calls")), "day": answers.text("day")])
        return [Section(words["updates.forecast"], lead: of, [Figures(figures: figures)])]
    }
}

extension APIProblem {
    static let noItem = APIProblem(404, "item_not_found", "There is no such item.")
}
