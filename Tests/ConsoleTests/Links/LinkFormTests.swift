import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// The form of a link, and what its page shows.
@Suite(.inTurns) struct LinkFormTests {
    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withConsole(&$0)
            $0.app.linkDomains = "https://go.example.com"
            $0.app.linkTargets = "example.com"
        }) { app in try await test(app, try await app.signIn("ann@example.com", [.links, .viewer])) }
    }

    private static let draft = [
        "parameters.link": "https://example.com/party", "code": "fair", "tags": "spring",
        "parameters.utm_source": "<flyer>", "parameters.utm_medium": "print",
    ]

    @Test func `a form suggests what the newest links have, and puts the campaign into the link`()
        async throws
    {
        try await run { app, ann in
            let made = try await app.submit("/deep-links/new", "create", Self.draft, as: ann)
            #expect(made.status == 303, "\(made.text)")
            let link = try await app.get("/v1/links/fair", headers: app.keyed())
            #expect(link["parameters.utm_source"] == "<flyer>")
            let form = try await app.get("/deep-links/new", headers: ann).text
            #expect(form.contains("list=\"field-parameters.utm_source-list\""))
            #expect(
                form.contains("<option value=\"&lt;flyer&gt;\">")
                    && form.contains("<option value=\"spring\">"))
        }
    }

    @Test func `a link's page says where it leads whom, and draws its QR code as one wants it`() async throws
    {
        try await run { app, ann in
            _ = try await app.submit("/deep-links/new", "create", Self.draft, as: ann)
            let page = try await app.get("/deep-links/fair", headers: ann).text
            #expect(page.contains("Goes to https://example.com/party at once."), "\(page)")
            let look = "domain=https%3A%2F%2Fgo.example.com&amp;size=300&amp;color=%235b54d6"
            let drawn = try await app.get(
                "/deep-links/fair?domain=https%3A%2F%2Fgo.example.com&size=300&color=%235b54d6", headers: ann
            ).text
            for format in ["svg", "png"] {
                #expect(drawn.contains("href=\"/links/fair+/qr.\(format)?\(look)\""), "\(drawn)")
                #expect(drawn.contains("download=\"fair.\(format)\""))
            }
            let light = try await app.get("/deep-links/fair?color=%23ffff00", headers: ann)
            #expect(light.status == 200 && light.text.contains("field-color-mistake"), "\(light.text)")
            #expect(!light.text.contains("<img src=\"/links/fair+/qr.svg"))
        }
    }
}
