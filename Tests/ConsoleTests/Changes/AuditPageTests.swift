import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith

/// The audit at the console, and who did what to a code or a link.
@Suite(.inTurns) struct AuditPageTests {
    private func run(_ test: @escaping @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run(configure: { config in
            TestApp.withConsole(&config)
            config.app.linkDomains = "https://go.example.com,https://l.example.com"
            config.app.linkTargets = "example.com"
            config.counts.zone = TimeZone(identifier: "Asia/Tokyo") ?? .gmt
        }) { try await test($0) }
    }

    @Test func `acts are found by days of the operator, of which the last one counts whole`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            for (time, act) in [
                ("2026-11-19T14:59:59Z", "early"), ("2026-11-19T15:00:00Z", "first"),
                ("2026-11-20T14:59:59Z", "last"), ("2026-11-20T15:00:00Z", "late"),
            ] {
                try await app.db.write.run(
                    """
                    INSERT INTO audit (actor, act, reason, at)
                    VALUES ('key:x', 'suspend', \(act), \(time)::text::timestamptz)
                    """)
            }
            let page = try await app.get(
                "/changes/audit?from=2026-11-20&to=2026-11-20&act=suspend", headers: ann
            ).text
            #expect(page.contains(">first<") && page.contains(">last<"), "\(page)")
            #expect(!page.contains(">early<") && !page.contains(">late<"))
            #expect(page.contains("value=\"2026-11-20\"") && page.contains("Asia/Tokyo"))
        }
    }

    @Test func `a filter that cannot be read says so at its field`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            for (field, query) in [
                ("from", "from=yesterday"), ("act", "act=fly"), ("actor", "actor=ann"),
                ("to", "to=2026-02-30"),
            ] {
                let page = try await app.get("/changes/audit?\(query)", headers: ann)
                #expect(page.status == 200 && page.text.contains("id=\"field-\(field)-mistake\""), "\(query)")
            }
        }
    }

    @Test func `the page of an invite's code says who revoked it, when and why`() async throws {
        try await run { app in
            try await app.signUp("bob")
            var codes: [String] = []
            for _ in 0..<2 {
                codes.append(try #require(try await app.post("/v1/invites", as: "u-bob")["code"]))
            }
            let ann = try await app.signIn("ann@example.com", [.support])
            let gone = try await app.call(
                .delete, "/v1/admin/invites/\(codes[0])?reason=leaked", headers: ann)
            #expect(gone["revokedBy"] == "person:ann@example.com" && gone["revokeReason"] == "leaked")
            #expect(try await app.call(.delete, "/v1/invites/\(codes[1])", as: "u-bob").status < 300)
            let page = try await app.get("/people?by=code&q=\(codes[0])", headers: ann).text
            #expect(page.contains("person:ann@example.com") && page.contains("leaked"), "\(page)")
            let own = try await app.get("/people?by=code&q=\(codes[1])", headers: ann).text
            #expect(own.contains("its user, or nobody whom the audit names"), "\(own)")
        }
    }

    @Test func `the page of a link says who ended it, and the audit finds acts by a code`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            let fair = String(repeating: "fair", count: 30)
            let (domain, another) = ("https://go.example.com", "https://l.example.com")
            for (code, domain) in [(fair, domain), ("other", domain), (fair, another)] {
                let link: Body = [
                    "parameters": ["link": "https://example.com/x"], "suffix": "custom", "code": code,
                    "domain": domain,
                ]
                #expect(try await app.call(.post, "/v1/links", headers: ann, body: link).status == 201)
            }
            let path = "/deep-links/\(fair)?domain=\(domain)"
            #expect(try await app.submit(path, "end", [:], as: ann).status == 303)
            let page = try await app.get(path, headers: ann).text
            #expect(page.contains("What was done with it") && page.contains("PATCH"), "\(page)")
            let other = try await app.get("/deep-links/other?domain=\(domain)", headers: ann).text
            #expect(!other.contains("What was done"))
            let there = try await app.get("/deep-links/\(fair)?domain=\(another)", headers: ann)
            #expect(there.status == 200 && !there.text.contains("What was done"), "\(there.text)")
            let found = try await app.get("/v1/admin/audit?code=\(fair)", headers: ann)
            #expect(found.objects("acts").count == 1, "\(found.text)")
            let links = try await app.signIn("ben@example.com", [.links])
            #expect(try await !app.get(path, headers: links).text.contains("What was done"))
            #expect(try await app.get("/v1/admin/audit?code=", headers: ann)["field"] == "code")
        }
    }
}
