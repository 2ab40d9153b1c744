import Web

/// Endpoints of backends, and what is delivered to them.
enum EventPages {
    static let all: [ConsolePage] = [
        ConsolePage("/events", in: .events, shows: "GET /v1/admin/webhooks", listWebhooks),
        ConsolePage("/events/all", in: .events, shows: "GET /v1/admin/events", listEvents),
        ConsolePage(
            "/webhooks/new", in: .events, shows: "POST /v1/admin/webhooks",
            acts: [Act("create", calls: "POST /v1/admin/webhooks", createWebhook)], newWebhook),
        ConsolePage(
            "/webhooks/{id}", in: .events, shows: "GET /v1/admin/webhooks/{id}",
            acts: [
                Act("pause", calls: "PATCH /v1/admin/webhooks/{id}", pause),
                Act("redeliver", calls: "POST /v1/admin/webhooks/{id}/redeliver", redeliver),
                Act("secret", calls: "POST /v1/admin/webhooks/{id}/secret", rotate),
                Act("delete", calls: "DELETE /v1/admin/webhooks/{id}", deleteWebhook),
            ], showWebhook),
    ]

    private static func call(_ asked: PageRequest) -> String {
        apiPath("v1", "admin", "webhooks", asked.parameter("id"))
    }

    @Sendable private static func listWebhooks(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await asked.api.get("/v1/admin/webhooks")
        var page = Page(words["area.events"], lead: words["events.lead"])
        page.actions = [
            Way(path: "/webhooks/new", title: words["webhooks.new"]),
            Way(path: "/events/all", title: words["events.all"]),
        ]
        let rows = answer.list("webhooks").map { hook -> [Cell] in
            [
                .link("/webhooks/\(hook.text("id"))", hook.text("url")),
                .badge(
                    hook.text("state") == "active" ? .good : .warning,
                    words["webhooks.state.\(hook.text("state"))"]),
                .number(hook.int("waiting")), .number(hook.int("lagSeconds")),
                hook.int("dead") > 0 ? .badge(.bad, words.number(hook.int("dead"))) : .number(0),
            ]
        }
        page.parts = [
            rows.isEmpty
                ? Empty(text: words["webhooks.none"], way: page.actions.first)
                : Table(
                    words["area.events"],
                    ["webhooks.url", "webhooks.state", "webhooks.waiting", "webhooks.lag", "webhooks.dead"]
                        .map { words[$0] }, rows)
        ]
        page.refreshes = 10
        return page
    }

    @Sendable private static func listEvents(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await asked.api.get(
            apiPath("v1", "admin", "events", query: ["after": asked.value("after"), "limit": "100"]))
        var page = Page(words["events.all"], lead: words["events.allLead"])
        page.parent = (path: "/events", title: words["area.events"])
        let rows = answer.list("events").map { event -> [Cell] in
            let user = event.at("data.user")
            return [
                .time(event.text("timestamp")), .badge(.plain, event.text("type")),
                user.map {
                    .link(apiPath("people", $0.text("uid")), $0.text("username").nonEmpty ?? $0.text("uid"))
                } ?? .none, .code(event.text("id")),
            ]
        }
        page.parts = [
            rows.isEmpty
                ? Empty(text: words["events.none"])
                : Table(
                    words["events.all"],
                    ["changes.at", "events.type", "audit.uid", "events.id"].map { words[$0] }, rows,
                    next: answer.text("next").nonEmpty.map {
                        "/events/all".appending(query: ["after": $0])
                    })
        ]
        return page
    }

    // MARK: One endpoint

    private static func fields(_ words: Words) -> [Field] {
        [
            Field(
                "url", words["webhooks.url"], .url, example: "https://backend.example.com/kith",
                isNeeded: true),
            Field(
                "types", words["webhooks.types"], .list, hint: words["webhooks.typesHint"],
                example: "user.signed_up, friend.created"),
        ]
    }

    @Sendable private static func newWebhook(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["webhooks.new"], lead: words["webhooks.newLead"])
        page.parent = (path: "/events", title: words["area.events"])
        page.parts = [asked.form("create", fields(words), submit: words["webhooks.create"])].compactMap(
            \.self)
        return page
    }

    @Sendable private static func createWebhook(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let made = try await asked.api.send(
            APICall(method: .post, path: "/v1/admin/webhooks", body: entries.body(fields(asked.words)).json)
        ).json
        return .page(secret(made, at: "/webhooks/\(made.text("id"))", asked.words))
    }

    /// The page with a secret, which nothing shows again.
    private static func secret(_ made: JSONTree, at path: String, _ words: Words) -> Page {
        var page = Page(words["webhooks.secret"], lead: words["webhooks.secretLead"])
        page.parent = (path: "/events", title: words["area.events"])
        page.actions = [Way(path: path, title: words["webhooks.open"])]
        page.parts = [Code(made.text("secret"))]
        return page
    }

    @Sendable private static func showWebhook(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let hook = try await asked.api.get(call(asked))
        let dead = try await asked.api.get(call(asked) + "/dead").list("events")
        let isPaused = hook.text("state") == "paused"
        var page = Page(hook.text("url"))
        page.parent = (path: "/events", title: words["area.events"])
        page.parts = [facts(of: hook, words)]
        if !dead.isEmpty { page.parts.append(table(ofDead: dead, words)) }
        page.parts += [
            dead.isEmpty ? nil : asked.form("redeliver", [], submit: words["webhooks.redeliver"]),
            asked.form(
                "pause", [], submit: words[isPaused ? "webhooks.goOn" : "webhooks.pause"], kind: .plain,
                hidden: [("paused", isPaused ? "false" : "true")]),
            asked.form(
                "secret", [], submit: words["webhooks.rotate"], kind: .plain,
                question: words["webhooks.rotateQuestion"]),
            asked.form(
                "delete", [], submit: words["webhooks.delete"], kind: .danger,
                question: words["webhooks.deleteQuestion"]),
        ].compactMap(\.self)
        return page
    }

    private static func facts(of hook: JSONTree, _ words: Words) -> Facts {
        let state = hook.text("state")
        return Facts([
            (
                words["webhooks.state"],
                .badge(state == "active" ? .good : .warning, words["webhooks.state.\(state)"])
            ),
            (words["webhooks.types"], .badges(hook.texts("types"))),
            (words["webhooks.waiting"], .number(hook.int("waiting"))),
            (words["webhooks.lag"], .number(hook.int("lagSeconds"))),
            (words["webhooks.dead"], .number(hook.int("dead"))),
            (words["webhooks.missed"], .number(hook.int("missed"))),
            (words["links.made"], .time(hook.text("createdAt"))),
        ])
    }

    private static func table(ofDead events: [JSONTree], _ words: Words) -> Section {
        let rows = events.map { event -> [Cell] in
            [
                .code(event.text("eventId")), .number(event.int("attempts")), .time(event.text("deadAt")),
                .text(event.text("lastError")),
            ]
        }
        let columns = ["events.id", "webhooks.attempts", "webhooks.deadAt", "webhooks.lastError"]
        let title = words["webhooks.deadLetters"]
        return Section(title, [Table(title, columns.map { words[$0] }, rows)])
    }

    @Sendable private static func pause(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome
    {
        let body = JSONBody.object(["paused": .bool(entries["paused"] == "true")])
        try await asked.api.send(APICall(method: .patch, path: call(asked), body: body.json))
        return .done("webhooks.changed", at: "/webhooks/\(asked.parameter("id"))")
    }

    @Sendable private static func redeliver(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(
            APICall(method: .post, path: call(asked) + "/redeliver", body: "{\"dead\":true}"))
        return .done("webhooks.redelivered", at: "/webhooks/\(asked.parameter("id"))")
    }

    @Sendable private static func rotate(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome
    {
        let made = try await asked.api.send(APICall(method: .post, path: call(asked) + "/secret", body: "{}"))
            .json
        return .page(secret(made, at: "/webhooks/\(asked.parameter("id"))", asked.words))
    }

    @Sendable private static func deleteWebhook(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(APICall(method: .delete, path: call(asked)))
        return .done("webhooks.deleted", at: "/events")
    }
}
