import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// `/@{username}` with `KITH_VANITY_LINKS`, over HTTP.
@Suite(.inTurns) struct VanityLinkTests {
    private func run(isOn: Bool = true, _ test: @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            $0.app.vanityLinks = isOn
            ($0.app.iosTeamID, $0.app.iosBundleID) = ("ABCDE12345", "com.example.app")
        }) { app in
            try await app.signUp("Ann", uid: "u-ann")
            try await app.age("u-ann", hours: 48)
            try await test(app)
        }
    }

    private func location(_ app: TestApp, _ path: String) async throws -> String? {
        try await app.get(path).headers[.location]
    }

    @Test(arguments: [
        ("/@Ann", "/users/Ann"), ("/@ann", "/users/Ann"), ("/@%41nn", "/users/Ann"),
        ("/@ann?utm_source=x&hl=ja", "/users/Ann?utm_source=x&hl=ja"),
    ])
    func `row 8: it leads to the page under the canonical name, and proves no uid`(
        path: String, location: String
    ) async throws {
        try await run { (app) async throws in
            let answer = try await app.get(path)
            #expect(answer.status == 302 && answer.headers[.location] == TestApp.origin + location)
            let page = try await app.get(location)
            #expect(page.status == 200 && !page.text.contains("invitedBy"))
        }
    }

    @Test func `with a uid it leads by the same rows as the page does, to nobody else than the uid names`()
        async throws
    {
        try await run { (app) async throws in
            try await app.rename("u-ann", to: "anna")
            try await app.age("u-ann", hours: 24 * 91)
            try await app.signUp("Ann", uid: "u-2")
            for (path, location) in [
                ("/@ann?invitedBy=u-ann", "/users/anna?invitedBy=u-ann"),
                ("/@ann?a=1&%69nvitedBy=u-2.", "/users/Ann?a=1&%69nvitedBy=u-2."),
                ("/@ann?invitedBy=nobody", "/users/Ann?invitedBy=nobody"), ("/@anna?invitedBy=u-2", nil),
                ("/@ann&invitedBy=u-ann", "/users/Ann?invitedBy="),
                ("/@ann%20invitedBy=u-ann", "/users/Ann?invitedBy="),
            ] {
                #expect(
                    try await self.location(app, path) == location.map { TestApp.origin + $0 }, "\(path)")
            }
            for (link, uid) in [
                ("/@ann?invitedBy=u-ann", "u-ann"), ("/%40ann?invitedBy=u-2)", "u-2"),
                ("/@ann?invitedBy=nobody", nil), ("/@ann?invitedby=u-ann", nil), ("/@ann?invitedBy=", nil),
                ("/@ann", "u-2"),
            ] {
                let found = try await app.post(
                    "/v1/invites/resolve", as: "u-x", ["url": "\(TestApp.origin)\(link)"])
                #expect(found["inviter.uid"] == uid, "\(link) \(found.text)")
            }
        }
    }

    @Test(arguments: ["/@", "/@bob", "/@@ann", "/@ann/qr.svg", "/ann", "/@%00", "/@%FF", "/@a%2Fb"])
    func `row 9: it leads nowhere for anything else`(path: String) async throws {
        try await run { (app) async throws in
            #expect(try await app.get(path).status == 404)
        }
    }

    @Test func `row 8: a name that is held leads on, until somebody else may have it`() async throws {
        try await run { (app) async throws in
            #expect(try await app.rename("u-ann", to: "anna").status == 200)
            #expect(try await location(app, "/@ann?x=1") == "\(TestApp.origin)/users/anna?x=1")
            #expect(try await location(app, "/users/ann") == "\(TestApp.origin)/users/anna")
            let resolved = try await app.post(
                "/v1/invites/resolve", as: "u-new", ["url": "\(TestApp.origin)/@ann"])
            #expect(
                resolved["inviter.username"] == "anna" && resolved["friendship"] == "requested",
                "\(resolved.text)")
            try await app.signUp("new", uid: "u-new", invite: ["url": "\(TestApp.origin)/@ann"])
            #expect(try await app.get("/v1/users/u-ann", as: "u-new")["relationship"] == "outgoing")

            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await app.get("/@ann").status == 404)
            try await app.setStatus("active", of: "u-ann")
            #expect(try await app.get("/@ann").status == 302)
            try await app.db.write.run(
                "UPDATE usernames SET held_until = now() - interval '1 second' WHERE name_key = 'ann'")
            #expect(try await app.get("/@ann").status == 404, "the hold is over")
            try await app.signUp("ann", uid: "u-other")
            #expect(try await location(app, "/@ann") == "\(TestApp.origin)/users/ann", "and it is another's")
        }
    }

    @Test func `row 9: a severed name leads nowhere, nor does that of a deleted account`() async throws {
        try await run { (app) async throws in
            #expect(try await app.rename("u-ann", to: "anna", oldLinks: "sever").status == 200)
            #expect(try await app.get("/@ann").status == 404)
            #expect(try await app.get("/@anna").status == 302)
            try await app.setStatus("deleted", of: "u-ann")
            #expect(try await app.get("/@anna").status == 404)
        }
    }

    @Test func `without the setting it leads nowhere, and a name that is held leads on only with the uid`()
        async throws
    {
        try await run(isOn: false) { (app) async throws in
            #expect(try await app.get("/@Ann").status == 404)
            let link: Body = ["url": "\(TestApp.origin)/@Ann"]
            #expect(try await app.post("/v1/invites/resolve", as: "u-x", link).code == "invite_not_found")
            _ = try await app.rename("u-ann", to: "anna")
            #expect(try await app.get("/users/ann").status == 404)
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 302)
            #expect(try await !app.get("/apple-app-site-association").text.contains("@"))
        }
    }

    @Test func `row 5 of which links open the app: it does, and what is below it does not`() async throws {
        let rules = OpenedPaths.rules([], besideInvites: true, vanity: true)
        for reader in PathPattern.Reader.allCases {
            func opens(_ path: String) -> Bool {
                rules.first { PathPattern(text: $0.pattern.text, reader: reader).matches(path) }?.opens
                    ?? false
            }
            #expect(opens("/@hana") && opens("/@7h2k9m4pqr5t8vwx") && !opens("/@") && !opens("/@hana/x"))
        }
        try await run { (app) async throws in
            #expect(try await app.get("/apple-app-site-association").text.contains("@?*"))
        }
    }
}
