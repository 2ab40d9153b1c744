import Web

/// Endpoints of backends, and what is delivered to them.
enum WebhookPages {
    static let all: [ConsolePage] = [
        ConsolePage("/events", in: .events, shows: "GET /v1/admin/webhooks", listWebhooks),
        ConsolePage(
            "/webhooks/new", in: .events, shows: "POST /v1/admin/webhooks",
            acts: [Act("create", calls: "POST /v1/admin/webhooks", createWebhook)], newWebhook),
        ConsolePage(
            "/webhooks/{id}", in: .events, shows: "GET /v1/admin/webhooks/{id}",
            acts: [
                Act("pause", calls: "PATCH /v1/admin/webhooks/{id}", pause),
                Act("test", calls: "POST /v1/admin/webhooks/{id}/test", test),
                Act("redeliver", calls: "POST /v1/admin/webhooks/{id}/redeliver", redeliver),
                Act("again", calls: "POST /v1/admin/webhooks/{id}/redeliver", redeliverOne),
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
        page.parts = [asked.form("create", fields(words), submit: words["webhooks.create"], isOnce: true)]
            .compactMap(\.self)
        return page
    }

    @Sendable private static func createWebhook(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let given = fields(asked.words).filter { !entries[$0.name].isEmpty }
        let made = try await asked.api.send(
            APICall(
                method: .post, path: "/v1/admin/webhooks", once: entries[Entries.once].nonEmpty,
                body: entries.body(given).json)
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
        let dead = try await asked.api.get(
            (call(asked) + "/dead").appending(query: ["after": asked.value("after")]))
        let isPaused = hook.text("state") == "paused"
        var page = Page(hook.text("url"))
        page.parent = (path: "/events", title: words["area.events"])
        let forms = [
            asked.form(
                "pause", [], submit: words[isPaused ? "webhooks.goOn" : "webhooks.pause"],
                kind: isPaused ? .first : .plain, hidden: [("paused", isPaused ? "false" : "true")]),
            asked.form(
                "secret", [], submit: words["webhooks.rotate"], kind: .plain,
                question: words["webhooks.rotateQuestion"]),
            asked.form(
                "delete", [], submit: words["webhooks.delete"], kind: .danger,
                question: words["webhooks.deleteQuestion"]),
        ].compactMap(\.self)
        let parts: [(any Part)?] = [
            trouble(of: hook, words), facts(of: hook, words),
            Section(words["webhooks.types"], [Lines([.badges(hook.texts("types"))])], isClosed: true),
            testing(asked), letters(dead, asked), Section(words["kit.more"], forms),
        ]
        page.parts = parts.compactMap(\.self)
        return page
    }

    /// What a state other than active means, and what to do about it.
    private static func trouble(of hook: JSONTree, _ words: Words) -> Notice? {
        words.text(ifAny: "webhooks.trouble.\(hook.text("state"))").map {
            Notice(hook.text("state") == "paused" ? .warning : .bad, $0)
        }
    }

    private static func facts(of hook: JSONTree, _ words: Words) -> Facts {
        let state = hook.text("state")
        func time(_ name: String) -> Cell? { hook.text(name).nonEmpty.map(Cell.time) }
        return Facts([
            (
                words["webhooks.state"],
                .badge(state == "active" ? .good : .warning, words["webhooks.state.\(state)"])
            ),
            (words["webhooks.failingSince"], time("failingSince")),
            (words["webhooks.pausedAt"], time("pausedAt")),
            (words["webhooks.lag"], .number(hook.int("lagSeconds"))),
            (words["webhooks.waiting"], .number(hook.int("waiting"))),
            (words["webhooks.dead"], .number(hook.int("dead"))),
            (words["webhooks.missed"], .number(hook.int("missed"))),
            (words["webhooks.lastError"], hook.text("lastError").nonEmpty.map(Cell.text)),
            (words["webhooks.lastErrorAt"], time("lastErrorAt")),
            (words["links.made"], time("createdAt")),
            (words["webhooks.oldSecretUntil"], time("oldSecretUntil")),
        ])
    }

    private static func testing(_ asked: PageRequest) -> Section? {
        asked.form("test", [], submit: asked.words["webhooks.test"], kind: .plain).map {
            Section(asked.words["webhooks.testTitle"], lead: asked.words["webhooks.testLead"], [$0])
        }
    }

    /// The events that did not arrive, each with a way to send it again. Nil if there are none.
    private static func letters(_ dead: JSONTree, _ asked: PageRequest) -> Section? {
        let words = asked.words
        let rows = dead.list("events").map { event -> [Cell] in
            let again = asked.form(
                "again", [], submit: words["webhooks.redeliverOne"], kind: .plain,
                hidden: [("eventId", event.text("eventId"))])
            return [
                .code(event.text("eventId")), .number(event.int("attempts")),
                .time(event.text("firstFailedAt")), .time(event.text("deadAt")),
                .text(event.text("lastError")), again.map(Cell.button) ?? .none,
            ]
        }
        guard !rows.isEmpty else { return nil }
        let columns = [
            "events.id", "webhooks.attempts", "webhooks.firstFailedAt", "webhooks.deadAt",
            "webhooks.lastError", "access.acts",
        ]
        let title = words["webhooks.deadLetters"]
        let next = dead.text("next").nonEmpty.map { asked.path.appending(query: ["after": $0]) }
        let table = Table(title, columns.map { words[$0] }, rows, next: next)
        var parts: [any Part] = [table]
        if let all = asked.form("redeliver", [], submit: words["webhooks.redeliver"]) { parts.append(all) }
        return Section(title, lead: words["webhooks.deadLead"], parts)
    }

    // MARK: Acts

    private static func home(_ asked: PageRequest) -> String { apiPath("webhooks", asked.parameter("id")) }

    @Sendable private static func pause(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome
    {
        let body = JSONBody.object(["paused": .bool(entries["paused"] == "true")])
        try await asked.api.send(APICall(method: .patch, path: call(asked), body: body.json))
        return .done("webhooks.changed", at: home(asked))
    }

    /// Sends a test event, and shows at once what came of it.
    @Sendable private static func test(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome {
        let words = asked.words
        let test = try await asked.api.send(APICall(method: .post, path: call(asked) + "/test")).json
        let isDelivered = test["delivered"]?.bool == true
        var page = Page(words["webhooks.testTitle"])
        page.parent = (path: home(asked), title: words["webhooks.open"])
        page.parts =
            [
                isDelivered
                    ? Notice(.good, words["webhooks.tested"])
                    : Notice(.bad, words("webhooks.testFailed", ["error": test.text("error")])),
                Facts([
                    (
                        words["webhooks.testStatus"],
                        test["status"].map { _ in .code("\(test.int("status"))") }
                    ),
                    (words["webhooks.testTime"], .number(test.int("milliseconds"))),
                    (words["events.id"], .code(test.text("eventId"))),
                ]),
            ]
        if test["status"] != nil { page.parts.append(Sentence(words["webhooks.testHint"])) }
        if let again = asked.form("test", [], submit: words["webhooks.testAgain"], kind: .plain) {
            page.parts.append(again)
        }
        return .page(page)
    }

    @Sendable private static func redeliver(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await redeliver(["dead": .bool(true)], asked)
    }

    @Sendable private static func redeliverOne(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await redeliver(["eventId": .text(entries["eventId"])], asked)
    }

    private static func redeliver(_ which: [String: JSONBody], _ asked: PageRequest) async throws
        -> Act.Outcome
    {
        try await asked.api.send(
            APICall(method: .post, path: call(asked) + "/redeliver", body: JSONBody.object(which).json))
        return .done("webhooks.redelivered", at: home(asked))
    }

    @Sendable private static func rotate(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome
    {
        let made = try await asked.api.send(APICall(method: .post, path: call(asked) + "/secret", body: "{}"))
            .json
        return .page(secret(made, at: home(asked), asked.words))
    }

    @Sendable private static func deleteWebhook(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(APICall(method: .delete, path: call(asked)))
        return .done("webhooks.deleted", at: "/events")
    }
}
