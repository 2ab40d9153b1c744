import Web

/// What was published, drafts that wait, and the audit.
enum ChangePages {
    static let all: [ConsolePage] = [
        ConsolePage("/changes", in: .changes, shows: "GET /v1/admin/config/publications", listPublications),
        ConsolePage(
            "/changes/{number}", in: .changes, shows: "GET /v1/admin/config/publications/{number}",
            acts: [
                Act("revert", calls: "POST /v1/admin/config/publications/{number}/revert") {
                    try await goBack("revert", $0, $1)
                },
                Act("restore", calls: "POST /v1/admin/config/publications/{number}/restore") {
                    try await goBack("restore", $0, $1)
                },
            ], showPublication),
        ConsolePage("/changes/drafts", in: .changes, shows: "GET /v1/admin/config/drafts", listDrafts),
        ConsolePage(
            "/changes/drafts/{draft}", in: .changes, shows: "GET /v1/admin/config/drafts/{draft}",
            acts: [
                Act("publish", calls: "POST /v1/admin/config/drafts/{draft}/publication", publishDraft),
                Act("delete", calls: "DELETE /v1/admin/config/drafts/{draft}", deleteDraft),
            ], showDraft),
        ConsolePage("/changes/audit", in: .changes, shows: "GET /v1/admin/audit", showAudit),
    ]

    @Sendable private static func listPublications(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await asked.api.get(
            apiPath(
                "v1", "admin", "config", "publications",
                query: ["item": asked.value("item"), "before": asked.value("before"), "limit": "30"]))
        var page = Page(words["changes.title"], lead: words["changes.lead"])
        page.actions = [Way(path: "/changes/drafts", title: words["drafts.title"])]
        if asked.mayCall("GET /v1/admin/audit") {
            page.actions.append(Way(path: "/changes/audit", title: words["audit.title"]))
        }
        let next = answer["next"]?.int.map {
            "/changes".appending(query: ["item": asked.value("item"), "before": "\($0)"])
        }
        page.parts = [ItemPages.publicationTable(answer, words, next: next)]
        return page
    }

    @Sendable private static func showPublication(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let number = asked.parameter("number")
        let one = try await asked.api.get(apiPath("v1", "admin", "config", "publications", number))
        let revision = try await asked.api.get("/v1/admin/config").int("revision")
        var page = Page(words("changes.one", ["number": number]), lead: one.text("reason").nonEmpty)
        page.parent = (path: "/changes", title: words["changes.title"])
        page.parts = [
            Facts([
                (words["changes.at"], .time(one.text("at"))),
                (words["changes.actor"], .text(one.text("actor"))),
                (words["changes.source"], .text(words["changes.source.\(one.text("source"))"])),
            ]),
            Difference(lines: ItemPages.lines(of: one)),
        ]
        page.parts += one.texts("effects").map { Notice(.warning, words.said($0)) }
        let reason = Field("reason", words["items.reason"], isNeeded: true)
        let forms = [("revert", one.list("changes").map { $0.text("item") }), ("restore", [])].compactMap {
            act, _ in
            asked.form(
                act, [reason], submit: words["changes.\(act)"], kind: .plain,
                hidden: [("revision", "\(revision)"), ("way", act)]
            )
            .map {
                Section(
                    words["changes.\(act)"], lead: words["changes.\(act)Lead"], [$0],
                    isClosed: asked.refused?.act != act)
            }
        }
        page.parts += forms
        return page
    }

    @Sendable private static func goBack(_ act: String, _ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let body = JSONBody.object(["reason": .text(entries["reason"])])
        let plan = try await asked.api.send(
            APICall(
                method: .post,
                path: apiPath("v1", "admin", "config", "publications", asked.parameter("number"), act),
                revision: entries["revision"], body: body.json)
        ).json
        return .done("items.published", at: "/changes/\(plan.int("revision"))")
    }

    // MARK: Drafts

    @Sendable private static func listDrafts(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await asked.api.get("/v1/admin/config/drafts")
        var page = Page(words["drafts.title"], lead: words["drafts.lead"])
        page.parent = (path: "/changes", title: words["changes.title"])
        let rows = answer.list("drafts").map { draft -> [Cell] in
            [
                .link(apiPath("changes", "drafts", draft.text("name")), draft.text("name")),
                .time(draft.text("changedAt")),
                .text(draft.text("actor")), .long(draft.texts("items").joined(separator: " ")),
            ]
        }
        page.parts = [
            rows.isEmpty
                ? Empty(text: words["drafts.none"])
                : Table(
                    words["drafts.title"],
                    ["drafts.name", "changes.at", "changes.actor", "changes.items"].map { words[$0] }, rows)
        ]
        return page
    }

    @Sendable private static func showDraft(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await asked.api.get(
            apiPath("v1", "admin", "config", "drafts", asked.parameter("draft")))
        var page = Page(asked.parameter("draft"), lead: words["drafts.lead"])
        page.parent = (path: "/changes/drafts", title: words["drafts.title"])
        page.parts = answer.texts("mistakes").map { Notice(.bad, words.said($0)) }
        if !answer.texts("overtaken").isEmpty {
            page.parts.append(
                Notice(
                    .warning,
                    words(
                        "drafts.overtaken",
                        ["items": answer.texts("overtaken").joined(separator: words["kit.comma"])])))
        }
        page.parts.append(Difference(lines: answer.texts("plan.lines")))
        page.parts += answer["plan"].map { ItemPages.answers(in: $0, words) } ?? []
        page.parts += answer.texts("plan.effects").map { Notice(.warning, words.said($0)) }
        let dangers = answer.at("plan.needsForce")?.members ?? []
        page.parts += ItemPages.notices(of: dangers, words)
        let hidden = [
            ("version", "\(answer.int("draft.version"))"), ("revision", "\(answer.int("plan.revision"))"),
        ]
        let publish = asked.form(
            "publish", ItemPages.fields(of: dangers, words), submit: words["items.publish"], hidden: hidden)
        let delete = asked.form(
            "delete", [], submit: words["drafts.delete"], kind: .danger, hidden: hidden,
            question: words["drafts.deleteQuestion"])
        page.parts += [publish, delete].compactMap(\.self)
        return page
    }

    @Sendable private static func publishDraft(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let body = JSONBody.object([
            "version": .int(Int(entries["version"]) ?? 0), "reason": .text(entries["reason"]),
            "force": ItemPages.forced(entries),
        ])
        let plan = try await asked.api.send(
            APICall(
                method: .post,
                path: apiPath("v1", "admin", "config", "drafts", asked.parameter("draft")) + "/publication",
                revision: entries["revision"], body: body.json)
        ).json
        return .done("items.published", at: "/changes/\(plan.int("revision"))")
    }

    @Sendable private static func deleteDraft(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(
            APICall(
                method: .delete, path: apiPath("v1", "admin", "config", "drafts", asked.parameter("draft")),
                revision: entries["version"]))
        return .done("drafts.deleted", at: "/changes/drafts")
    }

    // MARK: The audit

    private static let auditFilters = ["uid", "actor", "act", "code", "from", "to"]

    @Sendable private static func showAudit(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var fields = auditFilters.map { name in
            let kind: Field.Kind =
                switch name {
                case "from", "to": .day
                case "act":
                    .choice([Field.Choice(value: "", title: "–")] + words.choices(under: "audit.act."))
                default: .text
                }
            return Field(name, words["audit.\(name)"], kind, value: asked.value(name))
        }
        var found: JSONTree?
        do {
            found = try await asked.api.get(
                "/v1/admin/audit".appending(query: [
                    "uid": asked.value("uid"), "actor": asked.value("actor"), "act": asked.value("act"),
                    "code": asked.value("code"), "from": words.beginning(of: asked.value("from")),
                    "to": words.beginning(of: asked.value("to"), plus: 1), "after": asked.value("after"),
                ]))
        } catch let problem as APIProblem { try fields.say(problem, words) }
        var filter = Form(act: nil, fields: fields, submit: words["kit.show"], kind: .plain)
        filter.isRow = true
        var page = Page(words["audit.title"], lead: words["audit.lead"] + " " + words.zoneHint)
        page.parent = (path: "/changes", title: words["changes.title"])
        page.parts = [filter] + (found.map { [acts(in: $0, asked)] } ?? [])
        return page
    }

    private static func acts(in answer: JSONTree, _ asked: PageRequest) -> any Part {
        let words = asked.words
        guard !answer.list("acts").isEmpty else { return Empty(text: words["audit.none"]) }
        let next = answer.text("next").nonEmpty.map { next in
            auditFilters.reduce("/changes/audit".appending(query: ["after": next])) { path, name in
                path.appending(query: [name: asked.value(name)])
            }
        }
        return auditTable(answer.list("acts"), words, next: next)
    }

    static func auditTable(_ acts: [JSONTree], _ words: Words, next: String? = nil) -> Table {
        let rows = acts.map { act -> [Cell] in
            let uid = act.text("uid")
            return [
                .time(act.text("at")), .text(act.text("actorName").nonEmpty ?? act.text("actor")),
                .text(words.act(act.text("act"))),
                uid.isEmpty ? .none : .link(PagePath.of(uid, in: "/people"), uid),
                act.text("reason").nonEmpty.map(Cell.text) ?? .none,
                .long(words.details(act["details"]?.members ?? [])),
            ]
        }
        let columns = [
            "changes.at", "changes.actor", "audit.act", "audit.uid", "changes.reason", "audit.details",
        ]
        return Table(words["audit.title"], columns.map { words[$0] }, rows, next: next)
    }
}
