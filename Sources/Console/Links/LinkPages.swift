import Web

/// Deep links: a list, a page a link, and a form for a new one.
enum LinkPages {
    static let all: [ConsolePage] = [
        ConsolePage("/deep-links", in: .links, shows: "GET /v1/links", listLinks),
        ConsolePage(
            "/deep-links/new", in: .links, shows: "POST /v1/links",
            acts: [Act("create", calls: "POST /v1/links", createLink)], newLink),
        ConsolePage(
            "/deep-links/{code}", in: .links, shows: "GET /v1/links/{code}",
            acts: [
                Act("change", calls: "PATCH /v1/links/{code}", changeLink),
                Act("archive", calls: "PATCH /v1/links/{code}", archiveLink),
                Act("end", calls: "PATCH /v1/links/{code}", endLink),
                Act("delete", calls: "DELETE /v1/links/{code}", deleteLink),
            ], showLink),
    ]

    private static func path(of link: JSONTree) -> String {
        PagePath.of(link.text("code"), in: "/deep-links", query: ["domain": link.text("domain")])
    }

    /// The call of the link that a page is about.
    private static func call(_ asked: PageRequest) -> String {
        apiPath("v1", "links", asked.parameter("code"), query: ["domain": asked.value("domain")])
    }

    // MARK: The list

    @Sendable private static func listLinks(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let (order, archived) = (
            asked.value("order").nonEmpty ?? "newest", asked.value("archived").nonEmpty ?? "false"
        )
        let answer = try await asked.api.get(
            apiPath(
                "v1", "links",
                query: [
                    "q": asked.value("q"), "tag": asked.value("tag"), "domain": asked.value("domain"),
                    "order": order,
                    "archived": archived == "all" ? nil : archived, "after": asked.value("after"),
                ]))
        var page = Page(words["links.title"], lead: words["links.lead"])
        if asked.mayCall("POST /v1/links") {
            page.actions = [
                Way(path: "/deep-links/new", title: words["links.new"]),
                Way(path: "/link-sheets", title: words["sheets.title"]),
            ]
        }
        let file = apiPath(
            "v1", "links",
            query: [
                "q": asked.value("q"), "tag": asked.value("tag"), "domain": asked.value("domain"),
                "order": order, "archived": archived == "all" ? nil : archived, "format": "csv",
            ])
        page.parts = [
            filter(asked, order, archived), table(answer, asked, order),
            Ways([Way(path: file, title: words["links.csv"], file: "links.csv")]),
        ]
        return page
    }

    private static func filter(_ asked: PageRequest, _ order: String, _ archived: String) -> Form {
        let words = asked.words
        var form = Form(
            act: nil,
            fields: [
                Field("q", words["links.search"], .search, value: asked.value("q")),
                Field("tag", words["links.tag"], value: asked.value("tag")),
                Field(
                    "archived", words["links.which"],
                    .choice(
                        ["false", "true", "all"].map {
                            .init(value: $0, title: words["links.archived.\($0)"])
                        }),
                    value: archived),
                Field(
                    "order", words["links.order"],
                    .choice(
                        ["newest", "oldest", "clicks", "name"].map {
                            .init(value: $0, title: words["links.order.\($0)"])
                        }),
                    value: order),
            ], submit: words["kit.show"], kind: .plain)
        form.isRow = true
        return form
    }

    private static func table(_ answer: JSONTree, _ asked: PageRequest, _ order: String) -> any Part {
        let words = asked.words
        let rows = answer.list("links").map { link -> [Cell] in
            [
                .many(
                    [
                        .link(path(of: link), link.text("name").nonEmpty ?? link.text("code")),
                        .code(link.text("url")), .long("→ \(link.text("parameters.link"))"),
                    ] + (link.texts("tags").isEmpty ? [] : [.badges(link.texts("tags"))])),
                .many([
                    .number(link.int("counts.clicks")),
                    .text(
                        words("links.inMonth", ["count": words.number(link.int("counts.recentClicks"))])),
                ]),
                .number(link.int("counts.installs")), .number(link.int("counts.signUps")),
                .number(link.int("counts.friendships")), .time(link.text("createdAt")),
            ]
        }
        guard !rows.isEmpty else {
            let isFirst = asked.query.raw == nil && asked.mayCall("POST /v1/links")
            return Empty(
                text: words[isFirst ? "links.none" : "links.noneFound"],
                way: isFirst
                    ? Way(path: "/deep-links/new", title: words["links.new"])
                    : Way(path: "/deep-links", title: words["links.all"]))
        }
        let columns = [
            "links.name", "links.clicks", "links.installs", "links.signUps", "links.friendships",
            "links.made",
        ]
        let next = answer.text("next").nonEmpty.map { next in
            "/deep-links".appending(query: [
                "q": asked.value("q"), "tag": asked.value("tag"), "archived": asked.value("archived"),
                "order": order, "after": next,
            ])
        }
        return Table(words["links.title"], columns.map { words[$0] }, rows, next: next)
    }

    // MARK: A new link

    @Sendable private static func newLink(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["links.new"], lead: words["links.newLead"])
        page.parent = (path: "/deep-links", title: words["links.title"])
        let fields = LinkForm(words, used: try await UsedValues(asked)).fields
        let parts: [(any Part)?] = [
            asked.form("create", fields, submit: words["links.create"], isOnce: true),
            try await LinkPreviewSection.section(ofForm: asked),
        ]
        page.parts = parts.compactMap(\.self)
        return page
    }

    @Sendable private static func createLink(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        if !entries[Field.again].isEmpty { return .again }
        var body = entries.body(LinkForm(asked.words).fields)
        body.set(.text(entries["code"].isEmpty ? "short" : "custom"), at: "suffix")
        let made = try await asked.api.send(
            APICall(
                method: .post, path: "/v1/links", once: entries[Entries.once].nonEmpty, body: body.json)
        ).json
        return .done("links.made", at: path(of: made))
    }

    // MARK: One link

    @Sendable private static func showLink(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let link = try await asked.api.get(call(asked))
        let url = link.text("url")
        var page = Page(link.text("name").nonEmpty ?? link.text("code"), lead: link.text("note").nonEmpty)
        page.parent = (path: "/deep-links", title: words["links.title"])
        page.parts = [
            Code(url),
            Facts([
                (words["links.target"], .link(link.text("parameters.link"), link.text("parameters.link"))),
                (words["links.tags"], link.texts("tags").isEmpty ? nil : .badges(link.texts("tags"))),
                (words["links.made"], .time(link.text("createdAt"))),
                (words["links.madeBy"], link.text("keyId").nonEmpty.map(Cell.code)),
                (words["links.expires"], link.text("expiresAt").nonEmpty.map(Cell.time)),
                (words["links.archivedSince"], link.text("archivedAt").nonEmpty.map(Cell.time)),
            ]),
        ]
        page.parts += link.list("warnings").map { warning in
            Notice(
                .warning,
                words(
                    "links.warning", ["parameter": warning.text("parameter"), "code": warning.text("code")]))
        }
        page.parts.append(ways(of: link, words))
        let entered = try await LinkPreviewSection.section(ofForm: asked, in: link.text("domain"))
        if entered == nil, let preview = try await LinkPreviewSection.section(of: link, asked) {
            page.parts.append(preview)
        }
        page.parts.append(
            Section(
                words["links.numbers"],
                ["platform", "country", "utm_source"].map { (dimension: String) in
                    ChartImage(
                        path: apiPath(
                            "v1", "admin", "numbers", "links.clicks", query: ["by": dimension, "link": url]),
                        alternative: words("links.clicksBy", ["what": words["numbers.by.\(dimension)"]]))
                }))
        page.parts.append(try await LinkQRSection.section(of: link, asked))
        page.parts += try await history(of: link, asked)
        page.parts += try await acts(asked, link, showing: entered)
        return page
    }

    /// Says for each device where the link leads.
    private static func ways(of link: JSONTree, _ words: Words) -> Section {
        let leads = link.list("leads").map { way -> (String, Cell?) in
            let url = way.text("url")
            let key = url.isEmpty ? "preview" : way["hasPage"]?.bool == true ? "page" : "atOnce"
            let opens = way["opensApp"]?.bool == true ? [Cell.text(words["links.way.opensApp"])] : []
            return (
                words["links.visitor.\(way.text("visitor"))"],
                .many([.text(words("links.way.\(key)", ["url": url]))] + opens)
            )
        }
        return Section(
            words["links.whereTo"],
            leads.isEmpty ? [Sentence(words["links.way.nowhere"])] : [Facts(leads)],
            actions: [Way(path: LinkQRSection.page(of: link), title: words["links.everyStep"])])
    }

    /// - Parameter preview: how the link would look as the form has it.
    private static func acts(
        _ asked: PageRequest, _ link: JSONTree, showing preview: Section?
    ) async throws -> [any Part] {
        let words = asked.words
        let isArchived = !link.text("archivedAt").isEmpty
        let forms = [
            asked.form(
                "archive", [], submit: words[isArchived ? "links.unarchive" : "links.archive"], kind: .plain,
                hidden: [("archived", isArchived ? "false" : "true")]),
            asked.form(
                "end", [], submit: words["links.end"], kind: .plain, question: words["links.endQuestion"]),
            asked.form(
                "delete", [], submit: words["links.delete"], kind: .danger,
                question: words["links.deleteQuestion"]),
        ].compactMap(\.self)
        let form = LinkForm(words, used: try await asked.may("change") ? UsedValues(asked) : UsedValues())
        let change = asked.form(
            "change", form.fields(of: link), submit: words["kit.save"],
            hidden: [(Entries.seen, form.seen(of: link))])
        let parts: [(any Part)?] = [
            change.map { Section(words["links.change"], [$0], isClosed: asked.refused?.act != "change") },
            preview, forms.isEmpty ? nil : Section(words["kit.more"], forms),
        ]
        return parts.compactMap(\.self)
    }

    /// Sends what the person changed, so that what somebody else changed meanwhile stays.
    @Sendable private static func changeLink(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        if !entries[Field.again].isEmpty { return .again }
        let link = try await asked.api.get(call(asked))
        let form = LinkForm(asked.words)
        let changed = try form.changed(by: entries, since: link)
        var body = JSONBody.object([:])
        for name in ["name", "note"] { if let text = changed[name] { body.set(.text(text), at: name) } }
        if changed["tags"] != nil, case .object(let asList) = entries.body([Field("tags", "", .list)]) {
            body.set(asList["tags"] ?? .list([]), at: "tags")
        }
        let parameters = changed.filter { $0.key.hasPrefix("parameters.") }
        if !parameters.isEmpty {
            // A call replaces all of them, and the form shows a part.
            for member in link["parameters"]?.members ?? [] {
                body.set(.text(member.value.text ?? ""), at: "parameters.\(member.key)")
            }
            for (name, text) in parameters { body.set(text.isEmpty ? .null : .text(text), at: name) }
        }
        if !changed.isEmpty {
            try await asked.api.send(
                APICall(method: .patch, path: call(asked), body: body.withoutNulls.json))
        }
        return .done("links.changed", at: path(of: link))
    }

    @Sendable private static func archiveLink(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let isArchived = entries["archived"] == "true"
        let body = JSONBody.object(["archived": .bool(isArchived)])
        let link = try await asked.api.send(APICall(method: .patch, path: call(asked), body: body.json)).json
        return .done(isArchived ? "links.archived" : "links.unarchived", at: path(of: link))
    }

    @Sendable private static func endLink(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let body = JSONBody.object(["expiresIn": .int(1)])
        let link = try await asked.api.send(APICall(method: .patch, path: call(asked), body: body.json)).json
        return .done("links.ended", at: path(of: link))
    }

    @Sendable private static func deleteLink(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(APICall(method: .delete, path: call(asked)))
        return .done("links.deleted", at: "/deep-links")
    }
}
