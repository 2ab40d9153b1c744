import Web

/// How invites do, and who brings people.
enum InvitePages {
    static let all: [ConsolePage] = [
        ConsolePage("/invites", in: .invites, shows: "GET /v1/admin/numbers/invites.funnel", showInvites),
        ConsolePage("/inviters", in: .invites, shows: "GET /v1/admin/inviters", listInviters),
    ]

    @Sendable private static func showInvites(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let (from, to) = (
            asked.value("from").nonEmpty ?? words.day(asked.now, plus: -30),
            asked.value("to").nonEmpty ?? words.day(asked.now, plus: -1)
        )
        var page = Page(words["area.invites"], lead: words["invites.lead"])
        if asked.mayCall("GET /v1/admin/inviters") {
            page.actions = [Way(path: "/inviters", title: words["inviters.title"])]
        }
        var filter = Form(
            act: nil,
            fields: [
                Field("from", words["numbers.from"], .day, value: from),
                Field("to", words["numbers.to"], .day, value: to),
                Field(
                    "platform", words["when.platform"],
                    .choice(
                        ["", "ios", "android", "desktop"].map {
                            .init(value: $0, title: words["numbers.platform.\($0)"])
                        }), value: asked.value("platform")),
            ], submit: words["kit.show"], kind: .plain)
        filter.isRow = true
        let platform = asked.value("platform")
        func chart(_ measure: String, by: String? = nil, per: String? = nil) -> ChartImage {
            let query: KeyValuePairs = [
                "from": from, "to": to, "by": by, "per": per, "platform": platform,
            ]
            return ChartImage(
                path: apiPath("v1", "admin", "numbers", measure, query: query),
                alternative: words["measure.\(measure)"])
        }
        let isDivided = platform.isEmpty
        page.parts = [
            filter, chart("invites.funnel"), chart("invites.sign_ups", by: isDivided ? "kind" : nil),
            chart("people.sign_ups", by: isDivided ? "cause" : nil),
        ]
        page.parts +=
            isDivided
            ? [
                chart("cohorts.joined_30", per: "week"), chart("invites.time_to_friendship"),
                chart("invites.passed_on", per: "week"),
            ] : [Sentence(words["invites.notByPlatform"])]
        return page
    }

    @Sendable private static func listInviters(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let days = Int(asked.value("days")) ?? 30
        let best = try await asked.api.get(
            apiPath(
                "v1", "admin", "inviters",
                query: ["from": words.day(asked.now, plus: 1 - days), "to": words.day(asked.now)]))
        let growing = try await asked.api.get("/v1/admin/inviters/growing?minutes=60")
        var page = Page(words["inviters.title"], lead: words["inviters.lead"])
        page.parent = (path: "/invites", title: words["area.invites"])
        var filter = Form(
            act: nil,
            fields: [
                Field(
                    "days", words["inviters.days"],
                    .choice(
                        ["1", "7", "30", "365"].map { .init(value: $0, title: words["inviters.days.\($0)"]) }),
                    value: "\(days)")
            ],
            submit: words["kit.show"], kind: .plain)
        filter.isRow = true
        page.parts = [
            filter, Section(words["inviters.best"], [table(best, words["inviters.best"], words)]),
            Section(
                words["inviters.growing"], lead: words["inviters.growingLead"],
                [table(growing, words["inviters.growing"], words)]),
        ]
        page.refreshes = 30
        return page
    }

    private static func table(_ answer: JSONTree, _ title: String, _ words: Words) -> any Part {
        let rows = answer.list("inviters").map { one -> [Cell] in
            [
                .link(
                    PagePath.of(one.text("uid"), in: "/people"),
                    one.text("username").nonEmpty ?? one.text("uid")),
                .number(one.int("signUps")),
                .number(one.int("rewards.given")), .number(one.int("rewards.waiting")),
                one.int("rewards.flagged") > 0
                    ? .badge(.warning, words.number(one.int("rewards.flagged"))) : .number(0),
                .number(one.int("rewards.rejected")),
                .link(InviteTreePages.path(of: one.text("uid")), words["trees.open"]),
            ]
        }
        guard !rows.isEmpty else { return Empty(text: words["inviters.none"]) }
        return Table(
            title,
            [
                "people.username", "inviters.signUps", "inviters.given", "inviters.waiting",
                "inviters.flagged", "inviters.rejected", "trees.column",
            ].map { words[$0] }, rows)
    }
}
