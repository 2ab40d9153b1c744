import Web

/// Values that apps read, and experiments with them.
enum ExperimentPages {
    static let all: [ConsolePage] = [
        ConsolePage("/experiments", in: .experiments, shows: "GET /v1/admin/experiments", listExperiments)
    ]

    @Sendable private static func listExperiments(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let (experiments, _) = try await ItemPages.items("experiments", asked)
        let (values, _) = try await ItemPages.items("values", asked)
        var page = Page(words["area.experiments"], lead: words["experiments.lead"])
        if asked.mayCall(ItemKind.values.call) {
            page.actions = [
                Way(path: "/experiments/new", title: words["items.experiments.new"]),
                Way(path: "/values/new", title: words["items.values.new"]),
            ]
        }
        page.actions.append(Way(path: "/test-devices", title: words["devices.title"]))
        let past = experiments.filter { ["stopped", "archived"].contains(state(of: $0.1)) }
        let present = experiments.filter { one in !past.contains { $0.0 == one.0 } }
        page.parts = [
            Section(words["experiments.title"], [experimentTable(present, words)]),
            Section(words["values.title"], [valueTable(values, words)]),
            try await ValueTrial.section(asked),
        ]
        if !past.isEmpty {
            page.parts.append(Section(words["experiments.past"], [experimentTable(past, words)]))
        }
        return page
    }

    private static func experimentTable(_ experiments: [(String, ItemKind.Fields)], _ words: Words)
        -> any Part
    {
        guard !experiments.isEmpty else { return Empty(text: words["experiments.none"]) }
        let rows = experiments.map { key, fields -> [Cell] in
            let state = state(of: fields)
            return [
                .link(PagePath.of(key, in: "/experiments"), key),
                .badge(state == "running" ? .good : .plain, words["experiments.state.\(state)"]),
                .text(fields["goal"] ?? ""),
                .text(ItemGroup.variations.keys(fields).joined(separator: words["kit.comma"])),
                .text((fields["coverage"] ?? "100") + " %"), fields["winner"].map(Cell.text) ?? .none,
            ]
        }
        let columns = [
            "items.key", "experiments.state", "experiments.goal", "experiments.variations",
            "experiments.coverage", "experiments.winner",
        ]
        return Table(words["experiments.title"], columns.map { words[$0] }, rows)
    }

    /// The state, which the winner says if nothing else does.
    static func state(of fields: ItemKind.Fields) -> String {
        fields["state"] ?? (fields["winner"] == nil ? "running" : "stopped")
    }

    private static func valueTable(_ values: [(String, ItemKind.Fields)], _ words: Words) -> any Part {
        guard !values.isEmpty else { return Empty(text: words["values.none"]) }
        let rows = values.map { key, fields -> [Cell] in
            [
                .link(PagePath.of(key, in: "/values"), key), .long(fields["value"] ?? ""),
                .text(ItemGroup.rules.keys(fields).joined(separator: words["kit.comma"])),
            ]
        }
        return Table(
            words["values.title"], ["items.key", "values.value", "values.rules"].map { words[$0] }, rows)
    }
}

extension ItemGroup {
    static let rules = ItemGroup(name: "rules") { words in
        [
            Field("value", words["values.value"], .long(rows: 1)),
            Field("priority", words["updates.priority"], example: "0"),
        ]
            + ItemKind.conditions(words, at: "when.")
    }
}

extension ItemKind {
    static let values = ItemKind(
        section: "values", area: .experiments, path: "/values",
        fields: { words in
            [
                Field(
                    "value", words["values.value"], .long(rows: 2), hint: words["values.valueHint"],
                    isNeeded: true)
            ]
        },
        groups: [.rules],
        ways: { words, _ in
            [
                Way(path: "/experiments#try", title: words["tried.title"]),
                Way(path: "/experiments/new", title: words["items.experiments.new"]),
            ]
        })
}
