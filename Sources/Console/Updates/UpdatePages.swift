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
                .link(PagePath.of(key, in: "/updates"), key),
                .text(words["updates.platform.\(fields["platform"] ?? "")"]),
                .many(
                    [.badge(kind(fields["action"]), words["updates.action.\(fields["action"] ?? "none")"])]
                        + (paused(fields) == fields ? [.badge(.plain, words["updates.paused"])] : [])),
                .text(fields["target"] ?? ""), .text(who(fields, words)), .text(fields["priority"] ?? "0"),
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
        page.parts.append(try await trial(asked))
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
    private static func who(_ fields: ItemKind.Fields, _ words: Words) -> String {
        fields.filter { $0.key.hasPrefix("when.") }.sorted { $0.key < $1.key }.map { name, value in
            let name = name.dropFirst("when.".count)
            let sign = [".lt": "<", ".lte": "≤", ".gt": ">", ".gte": "≥"].first { name.hasSuffix($0.key) }
            let title = words.text(ifAny: "tried.\(name.prefix { $0 != "." })") ?? String(name)
            return [title, sign?.value, value].compactMap(\.self).joined(separator: " ")
        }.joined(separator: words["kit.comma"])
    }

    // MARK: What a device would get

    private static func trial(_ asked: PageRequest) async throws -> Section {
        let words = asked.words
        var device = TriedDevice(
            asked, id: Field("installationId", words["tried.installation"]))
        let answer = try await device.answer(of: "/v1/admin/policies/evaluate")
        let told = answer.map { parts(of: $0, words) } ?? []
        return Section(
            words["tried.title"], lead: words["tried.updatesLead"], [device.form] + told, id: "try")
    }

    private static func parts(of answer: JSONTree, _ words: Words) -> [any Part] {
        let (action, policy) = (answer.text("answer.action"), answer.text("answer.policy"))
        let what = words("updates.answer", ["action": words["updates.action.\(action)"]])
        let why =
            policy.isEmpty
            ? words[answer["isVersionRead"]?.bool == false ? "updates.unread" : "updates.noPolicy"]
            : words("updates.decidedBy", ["policy": policy])
        var parts: [any Part] = [Notice(action == "none" ? .good : .warning, "\(what) \(why)")]
        if action != "none" {
            let message = message(
                answer.text("answer.title"), answer.text("answer.text"), in: answer.text("answer.language"),
                action, answer.text("answer.platform"), words)
            parts.append(Phones(screens: [message]))
        }
        let rows = answer.list("policies").map { one -> [Cell] in
            [
                .link(PagePath.of(one.text("policy"), in: "/updates"), one.text("policy")),
                .badge(kind(one.text("action")), words["updates.action.\(one.text("action"))"]),
                TriedDevice.outcome(of: one, words),
            ]
        }
        guard !rows.isEmpty else { return parts }
        let columns = ["items.key", "updates.action", "tried.outcome"].map { words[$0] }
        return parts + [Table(words["tried.title"], columns, rows)]
    }

    private static func message(
        _ title: String, _ text: String, in language: String, _ action: String, _ platform: String,
        _ words: Words
    ) -> Phones.Screen {
        let buttons = [action == "block" ? nil : "updates.button", action == "soft" ? "updates.later" : nil]
        let isOwn = title.isEmpty && text.isEmpty
        return Phones.Screen(
            language: language, title: isOwn ? words["updates.ownWords"] : title, text: text,
            buttons: buttons.compactMap(\.self).map { words[$0] }, isAndroid: platform == "android")
    }

    /// The message as a phone shows it, in each language.
    @Sendable fileprivate static func phones(_ item: ItemKind.Fields, _ words: Words) -> any Part {
        let (action, platform) = (item["action"] ?? "soft", item["platform"] ?? "ios")
        guard action != "none" else { return Sentence(words["updates.noMessage"]) }
        let languages = ItemGroup.messages.keys(item)
        let screens = (languages.isEmpty ? [""] : languages).map { language in
            message(
                item["messages.\(language).title"] ?? "", item["messages.\(language).text"] ?? "",
                in: language, action, platform, words)
        }
        return Phones(screens: screens)
    }

    /// A policy that is rolled out to nobody.
    @Sendable fileprivate static func paused(_ item: ItemKind.Fields) -> ItemKind.Fields {
        item.merging(["when.rollout.percent": "0"]) { $1 }
    }
}

extension ItemGroup {
    fileprivate static let messages = ItemGroup(
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
        },
        title: { $0.languageName($1) },
        first: [["": "en"], ["": "ja"]])
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
        groups: [.messages],
        tail: { words in [Field("look", words["updates.look"], .again("look", told: nil))] },
        paused: UpdatePages.paused, picture: UpdatePages.phones,
        ways: { words, _ in [Way(path: "/updates#try", title: words["tried.title"])] })
}
