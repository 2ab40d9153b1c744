import Kernel
import Web

/// Apps and their stages.
enum StagePages {
    static let all: [ConsolePage] = [
        ConsolePage("/apps", in: .apps, shows: "GET /v1/admin/apps", listApps)
    ]

    @Sendable private static func listApps(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await asked.api.get("/v1/admin/apps")
        var page = Page(words["area.apps"], lead: words["apps.lead"])
        if asked.mayCall(ItemKind.apps.call), asked.session.roles.contains(.admin) {
            page.actions = [Way(path: "/apps/new", title: words["items.apps.new"])]
        }
        if asked.mayCall("GET /v1/admin/hosts") {
            page.actions.append(Way(path: "/app-hosts", title: words["hosts.title"]))
        }
        let rows = (answer["apps"]?.members ?? []).map { app -> [Cell] in
            let fields = app.value["fields"]
            return [
                .link(PagePath.of(app.key, in: "/apps"), app.key), .text(fields?["name"]?.text ?? ""),
                .many(app.value.texts("hosts").map { .text($0) }), .text(fields?["ios.bundleId"]?.text ?? ""),
                .text(fields?["android.package"]?.text ?? ""),
            ]
        }
        page.parts = [
            rows.isEmpty
                ? Empty(text: words["apps.none"], way: page.actions.first)
                : Table(
                    words["area.apps"],
                    ["items.key", "apps.name", "apps.hosts", "apps.bundleId", "apps.package"].map {
                        words[$0]
                    }, rows)
        ]
        return page
    }
}

extension ItemKind {
    static let apps = ItemKind(
        section: "apps", area: .apps, path: "/apps",
        fields: { words in
            [
                ("name", "Sample"), ("hosts", "https://links.example.com"), ("url", "https://example.com/"),
                ("tagline", ""), ("scheme", "sample"),
                ("linkDomains", "https://go.example.com"), ("linkTargets", "example.com, *.example.org"),
                ("ios.teamId", "ABCDE12345"),
                ("ios.bundleId", "com.example.sample"), ("ios.storeId", "1234567890"),
                ("ios.minimum", "16.0"),
                ("android.package", "com.example.sample"), ("android.fingerprints", "14:6D:E9:…"),
                ("android.minimum", "8.0"),
                ("operatorName", "Example Inc."), ("privacyUrl", "https://example.com/privacy"),
                ("reportUrl", "mailto:report@example.com"),
                ("language", "en"), ("sunset", "2027-03-31"), ("sunsetUrl", ""),
            ].map { name, example in
                Field(
                    name, words["apps.\(name)"], hint: words.text(ifAny: "apps.\(name)Hint"),
                    example: example.nonEmpty, isNeeded: name == "hosts")
            }
        })
}
