import Web

/// Which versions are to update: policies, what they answer, and how releases spread.
enum UpdatePages {
    static let all: [ConsolePage] = [
        ConsolePage("/updates", in: .updates, shows: "GET /v1/admin/policies", listPolicies)
    ]

    @Sendable private static func listPolicies(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let (policies, _) = try await ItemPages.items("policies", asked)
        var page = Page(words["area.updates"], lead: words["updates.lead"])
        if asked.mayCall(ItemKind.policies.call) {
            page.actions = [Way(path: "/updates/new", title: words["items.policies.new"])]
        }
        let rows = policies.map { key, fields -> [Cell] in
            [
                .link(apiPath("updates", key), key),
                .text(words["updates.platform.\(fields["platform"] ?? "")"]),
                .badge(kind(fields["action"]), words["updates.action.\(fields["action"] ?? "none")"]),
                .text(fields["target"] ?? ""), .text(who(fields)), .text(fields["priority"] ?? "0"),
            ]
        }
        page.parts = [
            rows.isEmpty
                ? Empty(text: words["updates.none"], way: page.actions.first)
                : Table(
                    words["area.updates"],
                    [
                        "items.key", "when.platform", "updates.action", "updates.target", "updates.who",
                        "updates.priority",
                    ].map { words[$0] }, rows)
        ]
        page.parts += ["ios", "android"].map { (platform: String) in
            ChartImage(
                path: apiPath("v1", "admin", "client-versions", "adoption", query: ["platform": platform]),
                alternative: words("updates.adoption", ["platform": words["updates.platform.\(platform)"]]))
        }
        return page
    }

    private static func kind(_ action: String?) -> Badge.Kind {
        switch action {
        case "hard", "block": .bad
        case "soft": .warning
        default: .plain
        }
    }

    /// For whom a policy is, as its conditions say.
    private static func who(_ fields: ItemKind.Fields) -> String {
        fields.filter { $0.key.hasPrefix("when.") }.sorted { $0.key < $1.key }.map { name, value in
            let name = name.dropFirst("when.".count)
            let sign = [".lt": "<", ".lte": "≤", ".gt": ">", ".gte": "≥"].first { name.hasSuffix($0.key) }
            return sign.map { "\(name.dropLast($0.key.count)) \($0.value) \(value)" } ?? "\(name) \(value)"
        }.joined(separator: ", ")
    }

    /// The answers that apps of some version would get: a form that asks, and what it was answered.
    fileprivate static func tryOut(_ asked: PageRequest, _ key: String, _ item: ItemKind.Fields) async throws
        -> [any Part]
    {
        let words = asked.words
        let version = asked.value("version").nonEmpty ?? item["when.version.lt"] ?? ""
        var form = Form(
            act: nil,
            fields: [
                Field("version", words["updates.version"], value: version),
                Field("os", words["updates.os"], value: asked.value("os")),
            ],
            submit: words["updates.try"], kind: .plain)
        form.isRow = true
        var parts: [any Part] = [phone(item, words)]
        parts += [Section(words["updates.tryTitle"], [form] + (try await answer(asked, version, item)))]
        return parts
    }

    private static func answer(_ asked: PageRequest, _ version: String, _ item: ItemKind.Fields) async throws
        -> [any Part]
    {
        guard !asked.value("version").isEmpty else { return [] }
        let words = asked.words
        let answer = try await asked.api.get(
            apiPath(
                "v1", "admin", "policies", "evaluate",
                query: [
                    "platform": item["platform"] ?? "ios", "app": item["app"], "version": version,
                    "os": asked.value("os"),
                ]))
        let action = answer.text("answer.action")
        let rows = answer.list("policies").map { one -> [Cell] in
            [.text(one.text("policy")), .text(one.text("action")), .text(one.text("outcome"))]
        }
        return [
            Notice(
                action == "none" ? .good : .warning,
                words(
                    "updates.answer",
                    ["action": words["updates.action.\(action)"], "policy": answer.text("answer.policy")])),
            Table(
                words["updates.tryTitle"],
                ["items.key", "updates.action", "updates.outcome"].map { words[$0] }, rows),
        ]
    }

    /// The message as a phone shows it, in each language.
    private static func phone(_ item: ItemKind.Fields, _ words: Words) -> any Part {
        let group = ItemGroup(name: "messages", fields: { _ in [] })
        return Phones(
            screens: group.keys(item).map { key in
                .init(
                    language: key, title: item["messages.\(key).title"] ?? "",
                    text: item["messages.\(key).text"] ?? "", button: words["updates.button"])
            })
    }
}

/// Pictures of phones with a message.
struct Phones: Part {
    struct Screen: Sendable {
        let language: String
        let title: String
        let text: String
        let button: String
    }
    let screens: [Screen]

    func markup(_ words: Words) -> Markup {
        guard !screens.isEmpty else { return .nothing }
        return tag(
            "ul", ["class": "phones"],
            screens.map { screen in
                tag(
                    "li", ["lang": screen.language],
                    tag("span", ["class": "soft"], screen.language),
                    tag(
                        "div", ["class": "phone"], tag("strong", [:], screen.title),
                        tag("p", [:], screen.text), tag("span", ["class": "button first"], screen.button)))
            })
    }
}

extension ItemKind {
    static let policies = ItemKind(
        section: "policies", area: .updates, path: "/updates",
        fields: { words in
            [
                Field(
                    "platform", words["when.platform"],
                    .choice([.init(value: "ios", title: "iOS"), .init(value: "android", title: "Android")]),
                    isNeeded: true),
                Field("app", words["when.app"], hint: words["when.appHint"], example: "com.example.app"),
                Field(
                    "action", words["updates.action"],
                    .choice(
                        ["soft", "hard", "block", "none"].map {
                            .init(value: $0, title: words["updates.action.\($0)"])
                        }), isNeeded: true),
                Field("target", words["updates.target"], example: "5.2"),
                Field(
                    "minimumOS", words["updates.minimumOS"], hint: words["updates.minimumOSHint"],
                    example: "16.0"),
                Field("url", words["updates.url"], hint: words["updates.urlHint"]),
                Field("snoozeHours", words["updates.snooze"], example: "24"),
                Field(
                    "priority", words["updates.priority"], hint: words["updates.priorityHint"], example: "0"),
            ] + conditions(words, at: "when.", ofApp: false)
        },
        groups: [
            ItemGroup(
                name: "messages",
                key: { words in
                    Field(
                        "", words["updates.language"],
                        .choice([.init(value: "", title: words["kit.noChoice"])] + words.languages))
                },
                fields: { words in
                    [
                        Field("title", words["updates.title"]),
                        Field("text", words["updates.text"], .long(rows: 2)),
                    ]
                })
        ],
        more: { try await UpdatePages.tryOut($0, $1, $2) })
}
