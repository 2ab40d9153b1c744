import Web

/// Every part of the kit with its states, for whoever designs pages. Only `kith dev` has it.
enum KitPages {
    static let all: [ConsolePage] = [
        ConsolePage(
            "/kit", in: .home, shows: "GET /v1/admin/me",
            acts: [Act("look", calls: "GET /v1/admin/me") { _, _ in .again }], showKit)
    ]

    @Sendable private static func showKit(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["kit.title"], lead: words["kit.lead"])
        page.parent = (path: "/", title: words["area.home"])
        page.actions = [way(words), Way(path: "/kit?done=links.made", title: words["kit.save"])]
        page.parts = texts(words) + data(words) + pictures(words) + forms(asked)
        return page
    }

    private static func way(_ words: Words) -> Way { Way(path: "/kit", title: words["kit.show"]) }

    private static func texts(_ words: Words) -> [any Part] {
        let sentence = words["home.setup.lead"]
        let notices: [any Part] = [
            Notice(.good, words["done.items.published"]), Notice(.warning, words["items.changedMeanwhile"]),
            Notice(.bad, words["experiments.verdict.guardrail_broken"], ways: [way(words)]),
        ]
        return [
            Section("Notice", notices),
            Section("Section", lead: words["kit.lead"], [Sentence(sentence)], actions: [way(words)]),
            Section("Section.isClosed", [Sentence(sentence)], isClosed: true),
            Section("Ways", [Ways([way(words), way(words)])]),
            Section("Lines", [Lines([.link("/kit", sentence), .text(sentence)])]),
            Section("Code", [Code("curl https://api.example.com/v1/values")]),
            Section(
                "Difference",
                [
                    Difference(lines: [
                        "+ values.a.value: 1", "~ values.b.value: 1 → 2", "- values.c.value: 3",
                    ])
                ]),
            Empty(text: words["links.none"], way: way(words)),
        ]
    }

    private static func data(_ words: Words) -> [any Part] {
        let cells: [(String, Cell)] = [
            ("text", .text(words["links.nameHint"])), ("long", .long(words["codes.dealLead"])),
            ("number", .number(12_345)), ("decimal", .decimal(0.25)), ("share", .share(0.125)),
            ("time", .time("2026-11-30T09:30:00.000Z")), ("link", .link("/kit", words["kit.show"])),
            ("badge", .many(kinds.map { .badge($0, $0.rawValue) })),
            ("badges", .badges(["spring", "print"])),
            ("code", .code("kith_7h2k9m")), ("none", .none),
        ]
        let rows = [1, 20, 300].map { number -> [Cell] in
            [
                .many([.link("/kit", "spring-\(number)"), .code("go.example.com/\(number)")]),
                .number(number),
                .share(1 / Double(number)), .badge(.good, words["webhooks.state.active"]),
            ]
        }
        let columns = [
            Table.Column(words["items.key"]),
            Table.Column(words["links.clicks"], path: "/kit", isOrder: true),
            Table.Column(words["experiments.rate"], path: "/kit"), Table.Column(words["webhooks.state"]),
        ]
        return [
            Figures(figures: [
                .init(name: words["links.clicks"], number: words.number(12_345)),
                .init(
                    name: words["links.signUps"], number: words.number(678),
                    note: words("home.before", ["number": words.number(600)]), path: "/kit"),
                .init(name: words["links.installs"], number: "–", note: words["home.unread"]),
            ]),
            Section("Facts, Cell", [Facts(cells.map { ($0.0, $0.1) })]),
            Section("Badge", [Row(parts: kinds.map { Badge(kind: $0, text: $0.rawValue) })]),
            Section("Table", [Table("Table", columns, rows, next: "/kit")]),
        ]
    }

    private static let kinds: [Badge.Kind] = [.plain, .good, .warning, .bad]

    private static func pictures(_ words: Words) -> [any Part] {
        let chart = "/v1/admin/numbers/people.sign_ups"
        func screen(_ language: String, _ isAndroid: Bool) -> Phones.Screen {
            Phones.Screen(
                language: language, title: words["updates.title"], text: words["updates.lead"],
                buttons: [words["updates.button"], words["updates.later"]], isAndroid: isAndroid)
        }
        return [
            ChartImage(path: chart, alternative: words["measure.people.sign_ups"]),
            Section(
                "Picture",
                [
                    Picture(
                        path: chart + "?format=svg", alternative: words["measure.people.sign_ups"], size: 160)
                ]),
            Section(
                "Beside, Phones",
                [
                    Beside(
                        Sentence(words["updates.lead"]),
                        Phones(screens: [screen("en", false), screen("ja", true)]))
                ]),
        ]
    }

    // MARK: Forms

    private static func forms(_ asked: PageRequest) -> [any Part] {
        let words = asked.words
        var filter = Form(
            act: nil,
            fields: [Field("q", words["links.search"], .search, value: asked.value("q"))] + [choice(words)],
            submit: words["kit.show"], kind: .plain)
        filter.isRow = true
        let whole = asked.form("look", fields(words), submit: words["kit.save"])
        var wrong = asked.form(
            "look", [mistaken(words)], submit: words["kit.save"], hidden: [("one", "wrong")])
        wrong?.mistake = Markup(words["items.changedMeanwhile"])
        let kinds: [(Form.Kind, String?)] = [
            (.first, nil), (.plain, nil), (.danger, words["links.deleteQuestion"]),
        ]
        let buttons = kinds.compactMap { kind, question in
            asked.form(
                "look", [], submit: "\(kind.rawValue)\(question == nil ? "" : ", dialog")", kind: kind,
                hidden: [("one", kind.rawValue)], question: question)
        }
        return [
            Section("Form.isRow", [filter]), Section("Form, Field", [whole].compactMap(\.self)),
            Section("Form.mistake", [wrong].compactMap(\.self)),
            Section("Row, Form.kind", [Row(parts: buttons)]),
            Next(path: "/kit"),
        ]
    }

    private static func choice(_ words: Words) -> Field {
        let choices = ["ios", "android"].map {
            Field.Choice(value: $0, title: words["updates.platform.\($0)"])
        }
        return Field("choice", words["when.platform"], .choice(choices))
    }

    private static func mistaken(_ words: Words) -> Field {
        var field = Field(
            "key", words["items.key"], hint: words["items.keyHint"], value: "a b", isNeeded: true)
        field.mistake = Markup(words["items.keyMissing"])
        return field
    }

    private static func fields(_ words: Words) -> [Field] {
        var suggested = Field("suggested", words["links.utm_source"], hint: words["links.utm_sourceHint"])
        suggested.suggestions = ["mail", "print"]
        var file = Field("file", words["codes.file"], .long(rows: 3))
        file.file = words["codes.chooseFile"]
        return [
            Field(
                "text", words["links.name"], hint: words["links.nameHint"], example: "spring", isNeeded: true),
            suggested, Field("url", words["links.target"], .url, example: "https://example.com"),
            Field("number", words["links.qrSize"], .number, example: "640"),
            Field("day", words["numbers.from"], .day),
            Field("time", words["numbers.time"], .time, hint: words.zoneHint),
            Field("color", words["links.qrColor"], .color, value: "#5b54d6"),
            file, choice(words), Field("several", words["when.country"], .several(words.countries)),
            Field("check", words["kit.show"], .check, value: "true"),
            Field("list", words["links.tags"], .list, hint: words["links.tagsHint"]),
            Field(
                "again", words["experiments.size.ask"],
                .again("again", told: words["experiments.size.nobody"])),
        ].map { ["day", "color"].contains($0.name) ? $0.grouped(words["links.qr"]) : $0 }
    }
}
