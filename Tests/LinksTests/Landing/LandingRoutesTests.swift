import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith
@testable import Links
@testable import Web

/// The landing table over HTTP: one test for each row.
@Suite(.inTurns) struct LandingRoutesTests {
    private let page = TestApp.origin + "/users"

    @Test func `row 1: the current name is the inviter's page, with an invite`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/users/ann?invitedBy=u-ann")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.referrerPolicy] == "no-referrer")
            #expect(answer.headers[.robotsTag] == "noindex")
            #expect(answer.text.contains("/users/ann/qr.svg?invitedBy"))
        }
    }

    @Test(arguments: ["ANN", "Ann", "%61nn"])
    func `row 1: another spelling redirects to the canonical one`(spelling: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/users/\(spelling)?invitedBy=u-ann&x=1")
            #expect(answer.status == 302)
            #expect(answer.headers[.location] == "\(page)/ann?invitedBy=u-ann&x=1")
        }
    }

    @Test(arguments: [
        "invitedBy=u-ann", "a=1&invitedBy=u-ann&b=%20%2B+&b=2&c=&d&&e==",
        "invitedBy=%75-ann&utm=%E3%81%82&%00x=%ff",
    ])
    func `row 2: a past name redirects with the query byte for byte`(query: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            let answer = try await app.get("/users/ann?\(query)")
            #expect(answer.status == 302)
            #expect(answer.headers[.location] == "\(page)/anna?\(query)")
            #expect(answer.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `row 2: it leads to the inviter even if someone else has the name now`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            try await app.age("u-ann", hours: 24 * 91)
            try await app.signUp("ann", uid: "u-other")
            let answer = try await app.get("/users/ann?invitedBy=u-ann")
            #expect(answer.headers[.location] == "\(page)/anna?invitedBy=u-ann")
            #expect(try await app.get("/users/ann?invitedBy=u-other").status == 200)
        }
    }

    @Test func `row 3: a severed name is not found, but the new name is`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna", oldLinks: "sever")
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 404)
            #expect(try await app.get("/users/anna?invitedBy=u-ann").status == 200)
        }
    }

    @Test func `row 4: another's name with this uid is not found, and counted as a mismatch`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            #expect(try await app.get("/users/bob?invitedBy=u-ann").status == 404)
            #expect(
                app.app.metrics.text().contains(#"kith_landings_total{row="4",outcome="link_mismatch"} 1"#))
        }
    }

    @Test
    func `row 5: a name that nobody had is not found, but redirects for a user imported without history`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            #expect(try await app.get("/users/never?invitedBy=u-ann").status == 404)
            try await app.db.write.run("UPDATE users SET history_complete = false WHERE uid = 'u-ann'")
            let answer = try await app.get("/users/never?invitedBy=u-ann")
            #expect(answer.headers[.location] == "\(page)/ann?invitedBy=u-ann")
        }
    }

    @Test(arguments: ["suspended", "deleted"])
    func `row 6: an inactive inviter is not found, even if another user has the name`(status: String)
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            try await app.setStatus(status, of: "u-ann")
            for name in ["ann", "bob", "never"] {
                #expect(try await app.get("/users/\(name)?invitedBy=u-ann").status == 404)
            }
        }
    }

    @Test(arguments: [
        "nobody", "", String(repeating: "x", count: 300), "u-annx%", "%2", "%FF", "%E3%81", "%00",
        "nobody&code=%",
    ])
    func `row 7: an unknown or malformed uid shows the owner of the name, without an invite`(uid: String)
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/users/ann?invitedBy=\(uid)")
            #expect(answer.status == 200)
            #expect(answer.headers[.robotsTag] == "noindex")
            #expect(!answer.text.contains("invitedBy=u") && !answer.text.contains("/users/ann\""))
            #expect(answer.text.contains("/users/ann/qr.svg?invitedBy=\""), "\(answer.text)")
            let handedOn = "\(TestApp.origin)/users/ann?invitedBy="
            #expect(answer.text.contains("\"\(handedOn)\""), "\(answer.text)")
            let found = try await app.post("/v1/invites/resolve", as: "u-x", ["url": handedOn])
            #expect(found.code == "invite_not_found", "\(found.text)")
            let (of7, of8) = try await (
                app.get("/users/ann/qr.svg?invitedBy=\(uid)"), app.get("/users/ann/qr.svg")
            )
            #expect(of7.status == 200 && of7.text != of8.text)
        }
    }

    @Test func `row 8: without a uid it is the owner's page, with an invite that asks`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/users/ann")
            #expect(answer.status == 200)
            #expect(!answer.text.contains("invitedBy"))
            let proof = try await app.post("/v1/invites/resolve", as: "u-x", ["username": "ann"])
            #expect(proof["proof"] == "name_only")
        }
    }

    @Test(arguments: [
        "/users/nobody", "/users/nobody?invitedBy=nobody", "/users/ann%00", "/users/%ff", "/users/..%2fann",
        "/users/%2e%2e", "/users/a%252e", "/0123456789abcdef", "/favicon.ico", "/users",
        "/nothing/here/at/all",
    ])
    func `row 9: everything else is one and the same 404 page`(path: String) async throws {
        try await TestApp.run { app in
            let answer = try await app.get(path)
            let other = try await app.get("/users/someone-else?invitedBy=x")
            #expect(answer.status == 404)
            #expect(answer.bytes == other.bytes)
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        }
    }

    @Test func `HEAD answers like GET, without a body`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.call(.head, "/users/ann?invitedBy=u-ann")
            #expect(answer.status == 200)
            #expect(answer.bytes.isEmpty)
            #expect(try await app.call(.head, "/users/ANN?invitedBy=u-ann").status == 302)
            #expect(try await app.call(.head, "/users/nobody").status == 404)
        }
    }

    @Test(arguments: ["invitedBy=a&invitedBy=b", "invitedBy=a&%69nvitedBy=b"])
    func `several uids are a 400 that names the field`(query: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/users/ann?\(query)")
            #expect(answer.status == 400)
            #expect(answer["field"] == "invitedBy")
        }
    }

    @Test func `a page or redirect writes nothing`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            let before = try await app.footprint()
            for path in ["/users/ann?invitedBy=u-ann", "/users/anna?invitedBy=u-ann", "/users/nobody"] {
                _ = try await app.get(path)
            }
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `a uid of any characters makes a link that leads back, even nested in another URL`()
        async throws
    {
        try await TestApp.run { app in
            let uid = "a&b=c?d#e%20f/+ü日本 |\"<>"
            try await app.signUp("ann", uid: uid)
            let url = try #require(try await app.get("/v1/me/invite", as: uid)["url"])
            #expect(url.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(try await app.get(String(url.dropFirst(TestApp.origin.count))).status == 200)
            let nested = "https://other.example/?link=\(PercentEncoding.encode(url))&x=1"
            let link = URLComponents(string: nested)?.queryItems?.first { $0.name == "link" }?.value
            #expect(link == url)
        }
    }

    @Test(arguments: [("ja", "ja"), ("en-GB,en;q=0.9", "en"), ("fr", "en"), ("ja;q=0.1, en;q=0.2", "en")])
    func `the page speaks the language that the browser asks for`(accept: String, language: String)
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/users/ann", headers: [.acceptLanguage: accept])
            #expect(answer.headers[.contentLanguage] == language)
            #expect(answer.text.contains("lang=\"\(language)\""))
        }
    }

    @Test func `a QR picture is cacheable, and follows a rename`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for format in ["svg", "png"] {
                let path = "/users/ann/qr.\(format)?invitedBy=u-ann"
                let first = try await app.get(path)
                let tag = try #require(first.headers[.eTag])
                #expect(first.status == 200)
                #expect(try await app.get(path, headers: [.ifNoneMatch: tag]).status == 304)
            }
            let before = try await app.get("/users/ann/qr.svg?invitedBy=u-ann")
            try await app.rename("u-ann", to: "anna")
            let after = try await app.get("/users/ann/qr.svg?invitedBy=u-ann")
            let renamed = try await app.get("/users/anna/qr.svg?invitedBy=u-ann")
            #expect(before.bytes != after.bytes)
            #expect(after.bytes == renamed.bytes)
            #expect(try await app.get("/users/nobody/qr.svg").status == 404)
        }
    }

    @Test func `the tag of a picture is that of the link and the format, and needs no drawing`() throws {
        let links = ["https://a.example/x", "https://a.example/y", String(repeating: "x", count: 3000)]
        let pictures = links.flatMap {
            [QRPicture(link: $0, format: .svg), QRPicture(link: $0, format: .png)]
        }
        #expect(Set(pictures.map(\.tag)).count == 6)
        #expect(throws: QRCodeError.self) { try pictures[4].draw() }
    }

    @Test(arguments: ["svg", "png"])
    func `the longest link there can be has a picture`(format: String) async throws {
        try await TestApp.run { app in
            let (name, uid) = (String(repeating: "😀", count: 64), String(repeating: "😺", count: 128))
            _ = try await app.importUsers("uid,username\n\(uid),\(name)\n", keepNames: true)
            let query = "invitedBy=\(PercentEncoding.encode(uid))"
            let path = "/users/\(PercentEncoding.encode(name))/qr.\(format)"
            #expect(try await app.get("\(path)?\(query)").status == 200)
            #expect(try await app.get("\(path)?\(query)&level=H").status == 200)
        }
    }
}

/// The pages for errors.
extension LandingRoutesTests {
    private static let browser: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"]

    @Test func `a browser gets a page for a broken link, other clients get the problem`() async throws {
        try await TestApp.run { app in
            let path = "/users/ann?invitedBy=u-ann&invitedBy=u-bob"
            let page = try await app.get(path, headers: Self.browser)
            #expect(page.status == 400 && page.text.contains("<title>Page not found</title>"))
            #expect(page.headers[.cacheControl] == "no-store")
            let problem = try await app.get(path)
            #expect(problem.status == 400 && problem["field"] == "invitedBy")
            #expect(try await app.get("/v1/me", headers: Self.browser).code == "unauthenticated")
        }
    }

    @Test(arguments: [
        ("TEXT/html", true), ("*/*;q=0.1, text/html;level=1;q=0.5", true), ("text/html;q=0", false),
        ("*/*, text/html ; Q=0.00", false), ("text/htmlx, x-text/html", false), ("*/*", false),
    ])
    func `a client that accepts HTML is a browser`(accept: String, isBrowser: Bool) async throws {
        try await TestApp.run { app in
            let answer = try await app.get("/users/ann?invitedBy=a&invitedBy=b", headers: [.accept: accept])
            #expect(answer.text.hasPrefix("<!doctype html>") == isBrowser)
        }
    }

    @Test func `a browser that comes while the database is away is asked to try again`() async throws {
        try await TestApp.run { app in
            await app.db.close()
            var headers = Self.browser
            headers[.acceptLanguage] = "ja"
            let page = try await app.get("/users/ann?invitedBy=u-ann", headers: headers)
            #expect(page.status == 503 && page.headers[.retryAfter] == "1")
            #expect(page.text.contains("少しお待ちください"))
            #expect(page.text.contains(">\(try #require(page.headers[.xRequestID]))</p>"))
            #expect(try await app.get("/users/ann?invitedBy=u-ann").code == "unavailable")
        }
    }
}
