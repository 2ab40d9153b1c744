import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// Sign-in with an OpenID Connect provider.
@Suite(.inTurns) struct OpenIDTests {
    private func run(
        roles: String? = nil, _ test: @escaping @Sendable (TestApp, OpenIDBrowser) async throws -> Void
    ) async throws {
        let stage = try await OpenIDStage()
        try await TestApp.run(
            configure: {
                stage.configure(&$0)
                $0.console.roles = roles.flatMap(OpenIDRoles.init) ?? OpenIDRoles()
            }, world: stage.world
        ) { app in
            try await test(app, OpenIDBrowser(app: app, stage: stage))
        }
    }

    @Test func `somebody whom an admin added signs in with the provider, and goes where they were`()
        async throws
    {
        try await run { app, browser in
            try await app.add("ann@example.com", [.growth])
            let page = try await app.get("/sign-in?returnTo=/x", headers: app.browser(origin: nil))
            #expect(page.text.contains("Sign in with id.example.com"), "\(page.text)")
            #expect(page.text.contains(#"href="/sign-in/openid?returnTo=%2Fx""#), "\(page.text)")
            let answer = try await browser.signIn("?returnTo=%2Fx")
            #expect((answer.status, answer.headers[.location]) == (303, "/x"), "\(answer.text)")
            #expect(answer.headers[values: .setCookie].contains { $0.hasPrefix("__Host-kith-openid=;") })
            let me = try await app.get("/v1/admin/me", headers: app.browser(answer.cookie()))
            #expect(me["actor"] == "person:ann@example.com" && me["session.method"] == "openid", "\(me.text)")
            #expect(try await app.signIns() == ["sign_in by person:ann@example.com: openid"])
        }
    }

    @Test(arguments: ["//evil.example.com", "https://evil.example.com", "/%5Cevil.example.com", "/%09/x"])
    func `a sign-in with the provider sends nobody to another site`(returnTo: String) async throws {
        try await run { app, browser in
            try await app.add("ann@example.com", [.growth])
            #expect(try await browser.signIn("?returnTo=\(returnTo)").headers[.location] == "/")
        }
    }

    private func expectRefused(_ answer: TestApp.Answer, _ why: String, _ app: TestApp) async throws {
        #expect(answer.status == 403 && answer.text.contains("href=\"/sign-in\""), "\(why): \(answer.text)")
        #expect(answer.cookie() == nil, "\(why)")
        #expect(try await app.signIns().last?.hasSuffix(": \(why)") == true, "\(why)")
        #expect(try await app.count("sessions") == 0, "\(why)")
    }

    @Test func `an answer that belongs to no attempt of this browser is refused`() async throws {
        try await run { app, browser in
            try await app.add("ann@example.com", [.growth])
            let (cookie, location) = try await browser.start()
            let (code, state) = try browser.stage.agree(at: location)
            let other = try await browser.start()
            for (cookie, state) in [
                (nil, state), (cookie, "x"), (cookie, ""), (other.cookie, state),
                ("__Host-kith-openid=x", state),
            ] as [(String?, String)] {
                let answer = try await browser.end(cookie, code: code, state: state)
                try await expectRefused(answer, "state_wrong", app)
            }
            let elsewhere = try await browser.end(
                cookie, code: code, state: "\(state)&iss=https%3A%2F%2Fevil.example.com")
            try await expectRefused(elsewhere, "state_wrong", app)
            let denied = try await app.get(
                "/sign-in/openid/callback?error=access_denied&state=\(state)",
                headers: app.browser(cookie, origin: nil))
            try await expectRefused(denied, "provider_refused", app)
            // The code is still good for the browser that began.
            #expect(try await browser.end(cookie, code: code, state: state).status == 303)
        }
    }

    @Test func `a code works once, and only in the attempt that it is for`() async throws {
        try await run { app, browser in
            try await app.add("ann@example.com", [.growth])
            let (mine, theirs) = (try await browser.start(), try await browser.start())
            let (code, _) = try browser.stage.agree(at: theirs.location)
            let (own, state) = try browser.stage.agree(at: mine.location)
            let stolen = try await browser.end(mine.cookie, code: code, state: state)
            try await expectRefused(stolen, "code_refused", app)
            #expect(try await browser.end(mine.cookie, code: own, state: state).status == 303)
            let again = try await browser.end(mine.cookie, code: own, state: state)
            #expect(again.status == 403 && again.cookie() == nil)
            #expect(try await app.count("sessions") == 1)
        }
    }

    @Test func `an ID token that is not for this sign-in is refused`() async throws {
        try await run { app, browser in
            try await app.add("ann@example.com", [.growth])
            for (claims, why) in [
                (["nonce": "\"another\""], "token_invalid"), (["nonce": nil], "token_invalid"),
                (["iss": "\"https://evil.example.com\""], "token_invalid"),
                (["aud": "[\"\(TokenForge.audience)\",\"another\"]"], "token_invalid"),
                (["aud": "\"another\""], "token_invalid"), (["azp": "\"another\""], "token_invalid"),
                (["exp": "1999999000"], "token_invalid"), (["iat": "2000009000"], "token_invalid"),
                (["email_verified": "false"], "mail_unverified"),
                (["email_verified": nil], "mail_unverified"),
                (["email_verified": "\"false\""], "mail_unverified"),
                (["email_verified": "1"], "mail_unverified"),
                (["email": nil], "mail_unverified"), (["email": "\"ann\""], "mail_unverified"),
                (["email": "\"\u{212A}ann@example.com\""], "mail_unverified"),
                (["email": "\"ben@example.com\""], "person_unknown"), (["email": "7"], "token_invalid"),
            ] as [([String: String?], String)] {
                browser.stage.change { behaviour in
                    behaviour.claims = ["email": "\"ann@example.com\"", "email_verified": "true"]
                    for (name, value) in claims { behaviour.claims[name] = .some(value) }
                }
                try await expectRefused(try await browser.signIn(), why, app)
            }
        }
    }

    @Test func `if the provider is away, a page says so, with a way to try again`() async throws {
        try await run { app, browser in
            try await app.add("ann@example.com", [.growth])
            func expectAway(_ answer: TestApp.Answer, _ what: String) {
                #expect(answer.status == 503, "\(what): \(answer.text)")
                #expect(answer.text.contains("The provider does not answer"), "\(what)")
                #expect(answer.text.contains("href=\"/sign-in/openid\""), "\(what)")
                #expect(answer.cookie() == nil)
            }
            func start() async throws -> TestApp.Answer {
                // Kith asks a provider that failed again after five seconds.
                browser.stage.clock.pass(6)
                return try await app.get("/sign-in/openid", headers: app.browser(origin: nil))
            }
            browser.stage.change { $0.isAway = true }
            expectAway(try await start(), "no connection")
            browser.stage.change {
                ($0.isAway, $0.documentIssuer) = (false, "https://evil.example.com")
            }
            expectAway(try await start(), "the document of another issuer")
            browser.stage.change {
                ($0.documentIssuer, $0.methods) = (OpenIDStage.issuer, ["private_key_jwt"])
            }
            expectAway(try await start(), "no way to send the secret")
            let asked = browser.stage.documents
            for _ in 0..<20 {
                let answer = try await app.get("/sign-in/openid", headers: app.browser(origin: nil))
                #expect(answer.status == 503)
            }
            #expect(browser.stage.documents == asked, "it is not asked again at once")
            browser.stage.change { $0.methods = nil }
            browser.stage.clock.pass(6)
            for (status, isAway) in [(500, false), (200, false), (401, false), (nil, true)] as [(Int?, Bool)]
            {
                browser.stage.change { ($0.tokenStatus, $0.isAway) = (nil, false) }
                let (cookie, location) = try await browser.start()
                let (code, state) = try browser.stage.agree(at: location)
                browser.stage.change { ($0.tokenStatus, $0.isAway) = (status, isAway) }
                expectAway(
                    try await browser.end(cookie, code: code, state: state), "\(status ?? 0) \(isAway)")
            }
            browser.stage.change { ($0.tokenStatus, $0.isAway) = (nil, false) }
            #expect(try await browser.signIn().status == 303)
        }
    }

    @Test func `the secret goes into the body if the provider takes it nowhere else`() async throws {
        try await run { app, browser in
            try await app.add("ann@example.com", [.growth])
            browser.stage.change { $0.methods = ["client_secret_post"] }
            #expect(try await browser.signIn().status == 303)
        }
    }

    @Test func `whoever nobody added gets the roles of their domain and groups, anew at each sign-in`()
        async throws
    {
        try await run(roles: "example.com=viewer, group:marketing=growth") { app, browser in
            let ann = app.browser(try await browser.signIn().cookie())
            let roles = try await app.get("/v1/admin/me", headers: ann).text
            #expect(roles.contains(#""roles":["viewer"]"#), "\(roles)")
            browser.stage.change { $0.claims["groups"] = #"["other","marketing"]"# }
            let grown = app.browser(try await browser.signIn().cookie())
            #expect(
                try await app.get("/v1/admin/me", headers: grown).text.contains(#"["viewer","growth"]"#))
            #expect(try await !app.isSignedIn(ann), "the roles changed")
            // An admin's word counts for more than the rules.
            try await app.add("ann@example.com", [.support])
            let added = app.browser(try await browser.signIn().cookie())
            #expect(try await app.get("/v1/admin/me", headers: added).text.contains(#"["support"]"#))
            let email = try #require(EmailAddress("ann@example.com"))
            try await PersonStore(db: app.db).remove(email, by: .thisCommand, at: browser.stage.clock.now)
            let refused = try await browser.signIn()
            #expect(refused.status == 403 && refused.text.contains("An admin has removed you"))
            var signedIn: [HTTPFields] = []
            for (email, groups, status) in [
                ("eve@other.example.com", "[]", 403), ("eve@example.com.evil.example", "[]", 403),
                ("eve@other.example.com", #"["Marketing"]"#, 403),
                ("eve@other.example.com", #"["marketing"]"#, 303), ("eve@other.example.com", "[]", 403),
            ] {
                browser.stage.change {
                    ($0.claims["email"], $0.claims["groups"]) = ("\"\(email)\"", groups)
                }
                let answer = try await browser.signIn()
                #expect(answer.status == status, "\(email) \(groups): \(answer.text)")
                if status == 303 { signedIn.append(app.browser(answer.cookie())) }
            }
            #expect(signedIn.count == 1)
            #expect(try await !app.isSignedIn(signedIn[0]), "they have no roles any more")
        }
    }

    @Test func `rules that cannot be read are refused`() {
        for text in [
            "", "example.com", "example.com=owner", "group:=viewer", "=viewer", "com=viewer", "a@b.c=viewer",
        ] {
            #expect(OpenIDRoles(text) == nil, "\(text)")
        }
        #expect(OpenIDRoles("Example.COM=viewer,example.com=links,group:a b=admin") != nil)
    }
}
