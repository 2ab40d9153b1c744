import Web

/// The hosts of links, and whether they let links open the app.
enum HostPages {
    static let all: [ConsolePage] = [
        ConsolePage("/app-hosts", in: .apps, shows: "GET /v1/admin/hosts", listHosts),
        ConsolePage("/app-hosts/{host}", in: .apps, shows: "GET /v1/admin/hosts/{host}/check", checkHost),
    ]

    @Sendable private static func listHosts(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let hosts = try await asked.api.get("/v1/admin/hosts").list("hosts")
        var page = Page(words["hosts.title"], lead: words["hosts.lead"])
        page.parent = (path: "/apps", title: words["area.apps"])
        let rows = hosts.map { host -> [Cell] in
            [
                .text(host.text("origin")), .code(host.text("app")),
                .link(apiPath("app-hosts", host.text("host")), words["hosts.check"]),
            ]
        }
        page.parts = [
            Table(words["hosts.title"], ["hosts.origin", "hosts.app", "access.acts"].map { words[$0] }, rows)
        ]
        return page
    }

    @Sendable private static func checkHost(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let report = try await asked.api.get(
            apiPath("v1", "admin", "hosts", asked.parameter("host"), "check"))
        let errors = report.int("errors")
        var page = Page(words("hosts.of", ["host": asked.parameter("host")]), lead: words["hosts.checkLead"])
        page.parent = (path: "/app-hosts", title: words["hosts.title"])
        page.actions = [Way(path: asked.path, title: words["hosts.again"])]
        page.parts = [
            errors == 0
                ? Notice(.good, words["hosts.sound"])
                : Notice(.bad, words("hosts.broken", ["count": words.number(errors)])),
            Figures(
                figures: ["errors", "warnings", "notes"].map {
                    .init(name: words["hosts.\($0)"], number: words.number(report.int($0)))
                }),
        ]
        let rows = report.list("findings").map { row(of: $0, words) }
        if !rows.isEmpty {
            let columns = ["hosts.severity", "hosts.file", "hosts.what", "hosts.mend"]
            page.parts.append(Table(words["hosts.findings"], columns.map { words[$0] }, rows))
        }
        return page
    }

    private static func row(of finding: JSONTree, _ words: Words) -> [Cell] {
        let severity = finding.text("severity")
        let kind: Badge.Kind = severity == "error" ? .bad : severity == "warning" ? .warning : .plain
        let place = finding.text("place").nonEmpty.map { [Cell.code($0)] } ?? []
        return [
            .badge(kind, words["hosts.severity.\(severity)"]), .code(finding.text("file")),
            .many([.said(finding.text("what"))] + place),
            .many([.said(finding.text("mend")), .said(finding.text("why"))]),
        ]
    }
}
