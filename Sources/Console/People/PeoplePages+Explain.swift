import Web

/// Why a link leads where it does.
extension PeoplePages {
    @Sendable static func explain(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["explain.title"], lead: words["explain.lead"])
        page.parent = (path: "/people", title: words["area.people"])
        page.parts = [
            Form(
                act: nil, fields: [Field("url", words["explain.url"], .search, value: asked.value("url"))],
                submit: words["explain.explain"])
        ]
        guard let url = asked.value("url").nonEmpty else { return page }
        let found: JSONTree
        do {
            found = try await asked.api.get(apiPath("v1", "admin", "explain", query: ["url": url]))
        } catch let problem as APIProblem {
            page.parts.append(Notice(.bad, problem.sentence(words)))
            return page
        }
        if let inviter = found["inviter"] {
            page.parts.append(
                Section(
                    words["explain.inviter"], [facts(of: inviter, words)],
                    actions: [
                        Way(
                            path: PagePath.of(inviter.text("uid"), in: "/people"), title: words["people.open"]
                        )
                    ])
            )
        }
        let rows = found.list("steps").map { step -> [Cell] in
            [.code(step.text("url")), .number(step.int("status")), .said(step.text("because"))]
        }
        if !rows.isEmpty {
            page.parts.append(
                Table(
                    words["explain.steps"],
                    ["explain.url", "explain.status", "explain.because"].map { words[$0] }, rows))
        }
        for name in ["signingUp", "accepting"] {
            guard let text = found.text("\(name).text").nonEmpty else { continue }
            page.parts.append(Section(words["explain.\(name)"], [Sentence(words.said(text))]))
        }
        return page
    }
}
