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
        let rows = experiments.map { key, fields -> [Cell] in
            let state = fields["state"] ?? (fields["winner"] == nil ? "running" : "stopped")
            return [
                .link(apiPath("experiments", key), key),
                .badge(state == "running" ? .good : .plain, words["experiments.state.\(state)"]),
                .text(fields["goal"] ?? ""),
                .text(ItemGroup.variations.keys(fields).joined(separator: ", ")),
                .text((fields["coverage"] ?? "100") + " %"),
            ]
        }
        page.parts = [
            Section(
                words["experiments.title"],
                [
                    rows.isEmpty
                        ? Empty(text: words["experiments.none"])
                        : Table(
                            words["experiments.title"],
                            [
                                "items.key", "experiments.state", "experiments.goal",
                                "experiments.variations", "experiments.coverage",
                            ].map { words[$0] }, rows)
                ]),
            Section(words["values.title"], [valueTable(values, words)]),
        ]
        return page
    }

    private static func valueTable(_ values: [(String, ItemKind.Fields)], _ words: Words) -> any Part {
        guard !values.isEmpty else { return Empty(text: words["values.none"]) }
        let rows = values.map { key, fields -> [Cell] in
            [
                .link(apiPath("values", key), key), .long(fields["value"] ?? ""),
                .text(ItemGroup.rules.keys(fields).joined(separator: ", ")),
            ]
        }
        return Table(
            words["values.title"], ["items.key", "values.value", "values.rules"].map { words[$0] }, rows)
    }

    // MARK: Results

    fileprivate static func results(_ asked: PageRequest, _ key: String, _ item: ItemKind.Fields) async throws
        -> [any Part]
    {
        let words = asked.words
        let found = try await asked.api.find(
            apiPath("v1", "admin", "experiments", key).appending(
                "/results", query: ["phase": asked.value("phase")]))
        guard let found else { return [] }
        let goal = found.text("goal")
        var parts: [any Part] = [
            Notice(verdict(found.text("verdict")), words["experiments.verdict.\(found.text("verdict"))"])
        ]
        if found.at("sampleRatio.isMismatch")?.bool == true {
            parts.append(Notice(.bad, words["experiments.mismatch"]))
        }
        let rows = found.list("variations").map { variation -> [Cell] in
            let own = variation.list("goals").first { $0.text("goal") == goal }
            let mean = own?["mean"]?.double
            return [
                .text(variation.text("variation")), .number(variation.int("units")),
                own?["rate"]?.double.map(Cell.share) ?? .none,
                mean.map(Cell.decimal) ?? .none, own?["chanceToBeat"]?.double.map(Cell.share) ?? .none,
                own?["expectedLoss"]?.double.map(Cell.decimal) ?? .none,
            ]
        }
        parts.append(
            Section(
                words["experiments.results"], lead: words("experiments.resultsLead", ["goal": goal]),
                [
                    Table(
                        words["experiments.results"],
                        [
                            "experiments.variation", "experiments.units", "experiments.rate",
                            "experiments.mean", "experiments.chance", "experiments.loss",
                        ].map { words[$0] }, rows)
                ] + course(found, words)))
        return parts
    }

    private static func verdict(_ verdict: String) -> Notice.Kind {
        switch verdict {
        case "too_early", "unclear": .warning
        case "guardrail_broken": .bad
        default: .good
        }
    }

    /// How each variation went, day by day.
    private static func course(_ found: JSONTree, _ words: Words) -> [any Part] {
        let days = found.list("days")
        guard days.count > 1 else { return [] }
        let names = found.list("variations").map { $0.text("variation") }
        let rows = days.suffix(31).map { day -> [Cell] in
            [.text(day.text("day"))]
                + names.map { name in
                    let one = day.list("variations").first { $0.text("variation") == name }
                    return one?.at("soFar.rate")?.double.map(Cell.share) ?? .none
                }
        }
        return [Table(words["experiments.course"], [words["kit.day"]] + names, rows)]
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
    static let variations = ItemGroup(name: "variations") { words in
        [Field("weight", words["experiments.weight"], example: "50")]
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
        groups: [.rules])

    static let experiments = ItemKind(
        section: "experiments", area: .experiments, path: "/experiments",
        fields: { words in
            [
                Field(
                    "goal", words["experiments.goal"], hint: words["experiments.goalHint"], example: "friend",
                    isNeeded: true),
                Field(
                    "coverage", words["experiments.coverage"], hint: words["experiments.coverageHint"],
                    example: "100"),
                Field("control", words["experiments.control"], example: "control"),
                Field(
                    "state", words["experiments.state"],
                    .choice(
                        ["", "draft", "running", "stopped", "archived"].map {
                            .init(value: $0, title: words["experiments.state.\($0)"])
                        })),
                Field("winner", words["experiments.winner"], hint: words["experiments.winnerHint"]),
                Field("phase", words["experiments.phase"], example: "1"),
            ] + conditions(words, at: "when.")
        },
        groups: [.variations], more: { try await ExperimentPages.results($0, $1, $2) })
}
