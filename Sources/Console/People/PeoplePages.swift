import Web

/// Support: find a person, see what happened, and act with a reason.
enum PeoplePages {
    static let all: [ConsolePage] = [
        ConsolePage("/people", in: .people, shows: "GET /v1/admin/users", findPeople),
        ConsolePage("/people/explain", in: .people, shows: "GET /v1/admin/explain", explain),
        ConsolePage(
            "/people/{uid}", in: .people, shows: "GET /v1/admin/users",
            acts: [
                Act("suspend", calls: "PUT /v1/admin/users/{uid}/suspension") {
                    try await act(.put, "suspension", $0, $1)
                },
                Act("restore", calls: "DELETE /v1/admin/users/{uid}/suspension") {
                    try await act(.delete, "suspension", $0, $1)
                },
                Act("rename", calls: "PUT /v1/admin/users/{uid}/username") {
                    try await act(.put, "username", $0, $1, ["username"])
                },
                Act("delete", calls: "POST /v1/admin/users/{uid}/deletion") {
                    try await act(.post, "deletion", $0, $1)
                },
            ] + BranchActs.all, showPerson),
    ]

    // MARK: Find

    @Sendable private static func findPeople(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["area.people"], lead: words["people.lead"])
        page.actions = [Way(path: "/people/explain", title: words["explain.title"])]
        let way = asked.value("by").nonEmpty ?? "username"
        var form = Form(
            act: nil,
            fields: [
                Field(
                    "by", words["people.by"],
                    .choice(
                        ["username", "uid", "code"].map { .init(value: $0, title: words["people.by.\($0)"]) }),
                    value: way),
                Field("q", words["people.what"], .search, value: asked.value("q")),
            ], submit: words["people.find"])
        form.isRow = true
        page.parts = [form]
        guard !asked.value("q").isEmpty else { return page }
        let what = asked.value("q").trimmingPrefix("@")
        guard
            let found = try await asked.api.find(
                "/v1/admin/users?\(way)=\(PercentEncoding.encode(String(what)))")
        else {
            page.parts.append(Empty(text: words["people.noneFound"]))
            return page
        }
        page.parts.append(
            Section(
                found.text("user.username").nonEmpty ?? found.text("user.uid"), [facts(of: found, words)],
                actions: [
                    Way(path: PagePath.of(found.text("user.uid"), in: "/people"), title: words["people.open"])
                ]))
        return page
    }

    static func facts(of found: JSONTree, _ words: Words) -> Facts {
        let user = found["user"] ?? found
        let status = user.text("status")
        return Facts([
            ("uid", .code(user.text("uid"))), (words["people.username"], .text(user.text("username"))),
            (words["people.displayName"], user.text("displayName").nonEmpty.map(Cell.text)),
            (
                words["people.status"],
                .badge(status == "active" ? .good : .bad, words["people.status.\(status)"])
            ),
            (
                words["people.invites"],
                user.text("invites").nonEmpty.map { .text(words["people.invites.\($0)"]) }
            ),
            (words["people.since"], user.text("createdAt").nonEmpty.map(Cell.time)),
            (words["people.code"], found.text("code.code").nonEmpty.map(Cell.code)),
            (
                words["people.codeState"],
                found.text("code.state").nonEmpty.map { .badge(.plain, words["people.codeState.\($0)"]) }
            ),
            (words["people.codeRevoked"], found.text("code.revokedAt").nonEmpty.map(Cell.time)),
            (
                words["people.codeRevokedBy"],
                found.text("code.revokedAt").nonEmpty.map { _ in
                    .text(found.text("code.revokedBy").nonEmpty ?? words["people.codeRevokedByOwner"])
                }
            ),
            (words["changes.reason"], found.text("code.revokeReason").nonEmpty.map(Cell.text)),
        ])
    }

    // MARK: One person

    @Sendable private static func showPerson(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let uid = asked.parameter("uid")
        let found = try await asked.api.get(apiPath("v1", "admin", "users", query: ["uid": uid]))
        var page = Page(found.text("user.username").nonEmpty ?? uid)
        page.parent = (path: "/people", title: words["area.people"])
        page.parts = [facts(of: found, words)]
        page.parts += try await invitees(asked, uid)
        page.parts += try await timeline(asked, uid)
        page.parts += try await purchases(asked, uid)
        if let rewards = try await asked.api.find(apiPath("v1", "admin", "rewards", query: ["uid": uid])),
            !rewards.list("rewards").isEmpty
        {
            page.parts.append(
                Section(
                    words["people.rewards"],
                    [
                        Table(
                            words["people.rewards"],
                            ["rewards.program", "programs.amount", "rewards.state", "rewards.made"].map {
                                words[$0]
                            },
                            rewards.list("rewards").map { one in
                                [
                                    .text(one.text("program")),
                                    .text("\(one.int("amount")) \(one.text("unit"))"),
                                    .badge(.plain, words["rewards.state.\(one.text("state"))"]),
                                    .time(one.text("createdAt")),
                                ]
                            })
                    ],
                    actions: [
                        Way(
                            path: "/rewards/queue".appending(query: ["uid": uid, "state": ""]),
                            title: words["rewards.queue"])
                    ]))
        }
        page.parts += acts(asked, found.text("user.status"))
        return page
    }

    private static func invitees(_ asked: PageRequest, _ uid: String) async throws -> [any Part] {
        let words = asked.words
        guard let tree = try await asked.api.find(apiPath("v1", "admin", "users", uid) + "/invitees") else {
            return []
        }
        let rows = tree.list("invitees").map { one -> [Cell] in
            [
                .link(
                    PagePath.of(one.text("uid"), in: "/people"),
                    one.text("username").nonEmpty ?? one.text("uid")),
                .text(words["people.status.\(one.text("status"))"]), .time(one.text("at")),
            ]
        }
        let levels = tree.list("below").map {
            words("people.depth", ["depth": "\($0.int("depth"))", "users": words.number($0.int("users"))])
        }
        return [
            Section(
                words["people.invitees"], lead: levels.joined(separator: " · ").nonEmpty,
                [
                    rows.isEmpty
                        ? Sentence(words["people.noInvitees"])
                        : Table(
                            words["people.invitees"],
                            ["people.username", "people.status", "people.joined"].map { words[$0] }, rows)
                ], actions: [Way(path: InviteTreePages.path(of: uid), title: words["trees.open"])])
        ]
    }

    private static func timeline(_ asked: PageRequest, _ uid: String) async throws -> [any Part] {
        let words = asked.words
        guard
            let found = try await asked.api.find(
                apiPath("v1", "admin", "users", uid)
                    + "/timeline".appending(query: ["after": asked.value("after")]))
        else { return [] }
        let rows = found.list("entries").map { entry -> [Cell] in
            let other = entry["other"]
            let rest = (entry.members ?? []).filter { !["at", "what", "other"].contains($0.key) }
            return [
                .time(entry.text("at")),
                .text(words.text(ifAny: "timeline.\(entry.text("what"))") ?? entry.text("what")),
                other.map {
                    .link(
                        PagePath.of($0.text("uid"), in: "/people"),
                        $0.text("username").nonEmpty ?? $0.text("uid"))
                } ?? .none, words.details(rest).nonEmpty.map(Cell.long) ?? .none,
            ]
        }
        let next = found.text("next").nonEmpty.map { PagePath.of(uid, in: "/people", query: ["after": $0]) }
        return [
            Section(
                words["people.timeline"],
                lead: words("people.logBegins", ["at": words.minute(found.text("logBegins")) ?? ""]),
                [
                    rows.isEmpty
                        ? Sentence(words["people.noTimeline"])
                        : Table(
                            words["people.timeline"],
                            ["changes.at", "people.whatHappened", "people.other", "audit.details"].map {
                                words[$0]
                            }, rows, next: next)
                ])
        ]
    }

    private static func purchases(_ asked: PageRequest, _ uid: String) async throws -> [any Part] {
        let words = asked.words
        guard let found = try await asked.api.find(apiPath("v1", "admin", "users", uid) + "/purchases"),
            !found.list("purchases").isEmpty
        else { return [] }
        let rows = found.list("purchases").map { one -> [Cell] in
            [
                .text(one.text("productId")),
                one["active"]?.bool == true
                    ? .badge(.good, words["people.active"]) : .badge(.plain, words["people.ended"]),
                .time(one.text("startedAt")), .time(one.text("expiresAt")),
                .code(one.text("originalTransactionId")),
            ]
        }
        return [
            Section(
                words["people.purchases"],
                [
                    Table(
                        words["people.purchases"],
                        [
                            "redemptions.product", "people.status", "people.since", "links.expires",
                            "redemptions.transaction",
                        ].map { words[$0] }, rows)
                ])
        ]
    }

    // MARK: Acts

    private static func acts(_ asked: PageRequest, _ status: String) -> [any Part] {
        let words = asked.words
        let reason = Field("reason", words["items.reason"], hint: words["people.reasonHint"], isNeeded: true)
        let offered: [(String, [Field], Form.Kind)] = [
            status == "suspended" ? ("restore", [reason], .first) : ("suspend", [reason], .danger),
            ("rename", [Field("username", words["people.newName"], isNeeded: true), reason], .first),
            ("delete", [reason], .danger),
        ]
        guard status != "deleted" else { return [] }
        var parts: [any Part] = [Sentence(words["people.acts"])]
        for (act, fields, kind) in offered {
            let question = kind == .danger ? words["people.\(act)Question"] : nil
            guard
                let form = asked.form(
                    act, fields, submit: words["people.\(act)"], kind: kind, question: question)
            else { continue }
            parts.append(
                Section(
                    words["people.\(act)"], lead: words["people.\(act)Lead"], [form],
                    isClosed: asked.refused?.act != act))
        }
        return parts + BranchActs.sections(asked)
    }

    private static func act(
        _ method: APICall.Method, _ what: String, _ asked: PageRequest, _ entries: Entries,
        _ more: [String] = []
    ) async throws -> Act.Outcome {
        let path = apiPath("v1", "admin", "users", asked.parameter("uid")) + "/\(what)"
        if method == .delete {
            try await asked.api.send(
                APICall(method: method, path: path.appending(query: ["reason": entries["reason"]])))
        } else {
            var body = JSONBody.object(["reason": .text(entries["reason"])])
            for name in more { body.set(.text(entries[name]), at: name) }
            try await asked.api.send(APICall(method: method, path: path, body: body.json))
        }
        return .done("people.done", at: PagePath.of(asked.parameter("uid"), in: "/people"))
    }
}
