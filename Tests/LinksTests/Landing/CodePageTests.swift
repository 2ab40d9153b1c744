import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links

/// The table "A page opened with a code" in docs/rules.md, over HTTP: a test for each row.
@Suite(.inTurns) struct CodePageTests {
    private let ask = "send me a friend request"
    private let friends = "friends right away"

    /// Makes a link, and returns its code and the path of its page.
    private func make(_ app: TestApp, _ body: Body, owner: String = "ann") async throws -> (
        code: String, page: String
    ) {
        let made = try await app.post("/v1/invites", as: "u-\(owner)", body)
        let code = try #require(made["code"], "\(made.text)")
        return (code, "/users/\(owner)?invitedBy=u-\(owner)&code=\(code)")
    }

    @Test func `row 1: the page says what this very link does`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let (code, page) = try await make(
                app,
                [
                    "friendship": "ask", "label": "Party", "note": "Bring cake", "maxUses": 3,
                    "expiresIn": 7200,
                ])
            let shown = try await app.get(page)
            #expect(shown.status == 200)
            for text in [
                ask, "Party", "Bring cake", "Places left: 3", "Hours left: 2", "/\(code)/qr.svg",
            ] {
                #expect(shown.text.contains(text), "\(text)")
            }
            #expect(!shown.text.contains(friends))
            let (_, auto) = try await make(app, [:])
            #expect(try await app.get(auto).text.contains(friends))
            #expect(try await app.get("/\(code)").headers[.location] == TestApp.origin + page)
        }
    }

    @Test func `row 1: the owner's wish to be asked goes before the link's`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let (_, page) = try await make(app, [:])
            _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["invites": "ask"])
            #expect(try await app.get(page).text.contains(ask))
        }
    }

    @Test(arguments: ["revoked", "expired", "exhausted", "rotated"])
    func `row 2: a link that is over is gone, with a way to the app, and so is its picture`(end: String)
        async throws
    {
        try await TestApp.run(configure: { $0.app.homeURL = "https://sample.example" }) { app in
            try await app.signUp("ann")
            var (code, page) = try await make(app, ["maxUses": 1, "expiresIn": 600])
            switch end {
            case "revoked": _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            case "expired":
                try await app.db.write.run("UPDATE invites SET expires_at = now() WHERE code = \(code)")
            case "exhausted": try await app.signUp("bob", invite: ["code": code])
            default:
                code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
                page = "/users/ann?invitedBy=u-ann&code=\(code)"
                _ = try await app.post("/v1/me/invite/rotate", as: "u-ann")
            }
            for path in [page, "/\(code)"] {
                let gone = try await app.get(path)
                #expect(gone.status == 410 && gone.text.contains("This invite is over"), "\(path)")
                #expect(gone.text.contains("https://sample.example") && !gone.text.contains("ann"))
                #expect(gone.headers[.cacheControl] == "no-store")
            }
            #expect(try await app.get("/\(code)/qr.svg").status == 410)
            let refused = try await app.post(
                "/v1/invites/resolve", as: "u-new", ["url": TestApp.origin + page])
            #expect(refused.status == 410 && refused.code == "invite_\(end == "rotated" ? "revoked" : end)")
        }
    }

    @Test(arguments: ["cut", "unknown", "foreign", "foreign and dead", "empty"])
    func `row 3: a code that is not of this user is worth no more than none`(kind: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            let (mine, _) = try await make(app, ["friendship": "ask"])
            let (other, _) = try await make(app, [:], owner: "bob")
            if kind == "foreign and dead" {
                _ = try await app.call(.delete, "/v1/invites/\(other)", as: "u-bob")
            }
            let code =
                switch kind {
                case "cut": String(mine.dropLast())
                case "unknown": "0000000000000000"
                case "empty": ""
                default: other
                }
            let plain = try await app.get("/users/ann?invitedBy=u-ann")
            let page = "/users/ann?invitedBy=u-ann&code=\(code)"
            #expect(try await app.get(page).bytes == plain.bytes)
            // The app that opens the same URL finds the same.
            let url = TestApp.origin + page
            let found = try await app.post("/v1/invites/resolve", as: "u-bob", ["url": url])
            #expect(found["proof"] == "current" && found["friendship"] == "requested", "\(found.text)")
            let accepted = try await app.post("/v1/invites/accept", as: "u-bob", ["url": url])
            #expect(accepted["friendship"] == "requested")
        }
    }

    @Test func `row 4: a page without a code never has one, nor has its picture`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let personal = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let (custom, _) = try await make(app, [:])
            for path in ["/users/ann?invitedBy=u-ann", "/users/ann", "/users/ann?invitedBy=nobody"] {
                let page = try await app.get(path).text
                #expect(!page.contains(personal) && !page.contains(custom), "\(path)")
            }
            let plain = try await app.get("/users/ann/qr.svg?invitedBy=u-ann")
            let asked = try await app.get("/users/ann/qr.svg?invitedBy=u-ann&code=\(custom)&form=short")
            #expect(plain.bytes == asked.bytes)
        }
    }

    @Test func `row 5: whoever lets no invite do anything shows none, whatever the code`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let (code, page) = try await make(app, ["note": "Hello"])
            _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["invites": "off"])
            let shown = try await app.get(page)
            #expect(shown.status == 200 && shown.text.contains("See you on Kith"))
            #expect(!shown.text.contains("Hello") && !shown.text.contains("\(code)/qr"))
        }
    }
}

/// QR codes of short links.
extension CodePageTests {
    @Test(arguments: ["svg", "png"])
    func `a link's picture is of its short form, or of the long one if asked`(format: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let (code, _) = try await make(app, [:])
            let short = try await app.get("/\(code)/qr.\(format)")
            let text = "\(TestApp.origin)/\(code)".uppercased() + "?qr=1"
            let drawn = { (text: String, level: QRCode.Level) in
                try QRPicture(link: text, format: format == "svg" ? .svg : .png, level: level).draw()
            }
            #expect(try short.bytes == drawn(text, .M))
            #expect(try await app.get("/\(code.uppercased())/qr.\(format)?form=short").bytes == short.bytes)
            let long = "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)&qr=1"
            #expect(try await app.get("/\(code)/qr.\(format)?form=long").bytes == drawn(long, .M))
            for level in QRCode.Level.allCases {
                let answer = try await app.get("/\(code)/qr.\(format)?level=\(level.rawValue)")
                #expect(try answer.bytes == drawn(text, level))
            }
            let tag = try #require(short.headers[.eTag])
            #expect(try await app.get("/\(code)/qr.\(format)", headers: [.ifNoneMatch: tag]).status == 304)
            #expect(try await app.get("/0000000000000000/qr.\(format)").status == 404)
        }
    }

    @Test(arguments: [
        ("form=medium", "form"), ("form=", "form"), ("form=short&form=long", "form"), ("level=m", "level"),
        ("level=", "level"), ("level=X", "level"), ("level=L&level=L", "level"), ("level=%FF", "level"),
        ("logo=", "logo"), ("logo=App", "logo"), ("logo=app", "logo"), ("logo=app&logo=app", "logo"),
    ])
    func `a picture that cannot be drawn so is refused`(query: String, field: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let (code, _) = try await make(app, [:])
            let answer = try await app.get("/\(code)/qr.svg?\(query)")
            #expect(answer.status == 400 && answer["field"] == field)
            if field != "form" {
                #expect(try await app.get("/users/ann/qr.svg?\(query)")["field"] == field)
            }
        }
    }
}
