import Web

/// Which values a device would get that somebody makes up, and why.
enum ValueTrial {
    static func section(_ asked: PageRequest) async throws -> Section {
        let words = asked.words
        var device = TriedDevice(asked, id: Field("unit", words["tried.unit"]))
        let answer = try await device.answer(of: "/v1/admin/values/evaluate")
        let parts = answer.map { [values($0, words), experiments($0, words)].compactMap(\.self) } ?? []
        return Section(
            words["tried.title"], lead: words["tried.valuesLead"], [device.form] + parts, id: "try")
    }

    private static func values(_ answer: JSONTree, _ words: Words) -> Table {
        let rows = answer.list("values").map { one -> [Cell] in
            let rules = one.list("rules").map { rule -> Cell in
                .many([.text(rule.text("rule")), TriedDevice.outcome(of: rule, words)])
            }
            return [
                .link(PagePath.of(one.text("value"), in: "/values"), one.text("value")),
                one["text"] == nil ? .none : .long(one.text("text")), .text(source(of: one, words)),
                rules.isEmpty ? .none : .many(rules),
            ]
        }
        let columns = ["items.key", "tried.gets", "tried.because", "values.rules"].map { words[$0] }
        return Table(words["tried.values"], columns, rows)
    }

    private static func source(of one: JSONTree, _ words: Words) -> String {
        words(
            "tried.by.\(one.text("by"))",
            [
                "rule": one.text("rule"), "experiment": one.text("experiment"),
                "variation": one.text("variation"),
            ])
    }

    private static func experiments(_ answer: JSONTree, _ words: Words) -> Table? {
        let rows = answer.list("experiments").map { one -> [Cell] in
            [
                .link(PagePath.of(one.text("experiment"), in: "/experiments"), one.text("experiment")),
                TriedDevice.outcome(of: one, words), one.text("variation").nonEmpty.map(Cell.text) ?? .none,
            ]
        }
        guard !rows.isEmpty else { return nil }
        let columns = ["items.key", "tried.outcome", "experiments.variation"].map { words[$0] }
        return Table(words["tried.experiments"], columns, rows)
    }
}
