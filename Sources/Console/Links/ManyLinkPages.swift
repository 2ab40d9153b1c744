import Web

/// Many links at once, from a table.
enum ManyLinkPages {
    static let all: [ConsolePage] = [
        ConsolePage(
            "/link-sheets", in: .links, shows: "POST /v1/link-sheets",
            acts: [
                Act("preview", calls: "POST /v1/link-sheets") { try await send($0, $1, dryRun: true) },
                Act("make", calls: "POST /v1/link-sheets") { try await send($0, $1, dryRun: false) },
            ], showForm)
    ]

    @Sendable private static func showForm(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["sheets.title"], lead: words["sheets.lead"])
        page.parent = (path: "/deep-links", title: words["links.title"])
        var table = Field(
            "csv", words["sheets.table"], .long(rows: 10), hint: words["sheets.tableHint"],
            example: "name,link,tags,utm_source", isNeeded: true)
        table.file = words["sheets.chooseFile"]
        page.parts = [asked.form("preview", [table], submit: words["sheets.preview"])].compactMap(\.self)
        return page
    }

    private static func send(_ asked: PageRequest, _ entries: Entries, dryRun: Bool) async throws
        -> Act.Outcome
    {
        let words = asked.words
        let body = JSONBody.object(["csv": .text(entries["csv"]), "dryRun": .bool(dryRun)])
        let answer = try await asked.api.send(
            APICall(
                method: .post, path: "/v1/link-sheets", once: entries[Entries.once].nonEmpty,
                body: body.json, hidesBody: true)
        ).json
        let lines = answer.list("lines")
        let wrong = lines.filter { !$0.list("problems").isEmpty }.count
        let made = answer.int("made")
        var page = Page(words[dryRun ? "sheets.preview" : "sheets.title"])
        page.parent = (path: "/link-sheets", title: words["sheets.title"])
        if made > 0 {
            page.parts = [Notice(.good, words("sheets.made", ["count": words.number(made)]))]
            page.parent = (path: "/deep-links", title: words["links.title"])
        }
        if wrong > 0 {
            let text = words("sheets.wrong", ["count": words.number(wrong)])
            let again = Way(path: "/link-sheets", title: words["sheets.again"])
            page.parts.append(Notice(.bad, text, ways: [again]))
        }
        page.parts.append(table(of: lines, words))
        if dryRun, wrong == 0 {
            let make = asked.form(
                "make", [], submit: words("sheets.make", ["count": words.number(lines.count)]),
                hidden: [("csv", entries["csv"])], isOnce: true)
            page.parts += [make].compactMap(\.self)
        }
        return .page(page)
    }

    private static func table(of lines: [JSONTree], _ words: Words) -> Table {
        let rows = lines.map { line -> [Cell] in
            let problems = line.list("problems").map { problem -> Cell in
                .said(problem.text("detail"))
            }
            let warnings = line.list("warnings").map { warning -> Cell in
                .text(
                    words(
                        "links.warning",
                        ["parameter": warning.text("parameter"), "code": warning.text("code")]))
            }
            let url = line.text("url")
            return [
                .number(line.int("line")), .text(line.text("name")), .long(line.text("link")),
                url.isEmpty ? .none : .code(url),
                problems.isEmpty && warnings.isEmpty
                    ? .badge(.good, words["sheets.good"]) : .many(problems + warnings),
            ]
        }
        return Table(
            words["sheets.lines"],
            ["sheets.line", "links.name", "links.target", "sheets.url", "sheets.state"].map { words[$0] },
            rows)
    }
}
