import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith
@testable import Web

/// Sign-in with a link, as browsers do it.
@Suite(.inTurns) struct SignInTests {
    private func run(
        _ clock: MovedClock = MovedClock(), _ test: @escaping @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: TestApp.withConsole, world: clock.world) { try await test($0) }
    }

    @Test func `a link signs in once, by its button and not by looking, and the page says who is signed in`()
        async throws
    {
        try await run { app in
            let path = try await app.link("Ann@Example.com", [.growth, .viewer])
            for _ in 1...3 {
                let page = try await app.get(path, headers: app.browser(origin: nil))
                #expect(page.status == 200 && page.text.contains("action=\"\(path)\""), "\(page.text)")
                #expect(page.text.contains("ann@example.com"))
                #expect(page.headers[values: .setCookie].isEmpty)
            }
            let answer = try await app.post(path, as: nil, headers: app.browser())
            #expect(answer.status == 303 && answer.headers[.location] == "/", "\(answer.text)")
            let cookie = try #require(answer.headers[values: .setCookie].first)
            for part in ["__Host-kith-session=", "; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"] {
                #expect(cookie.contains(part), "\(cookie)")
            }
            #expect(!cookie.contains("Domain"))
            let home = try await app.get("/account", headers: app.browser(answer.cookie(), origin: nil))
            #expect(home.status == 200 && home.text.contains("You are signed in as ann@example.com"))
            #expect(home.text.contains("viewer, growth") && home.text.contains("this browser"))
            for again in [HTTPRequest.Method.get, .post] {
                let used = try await app.call(again, path, headers: app.browser())
                #expect(used.status == 403 && used.text.contains("This link has been used"), "\(used.text)")
                #expect(used.headers[values: .setCookie].isEmpty)
            }
            #expect(
                try await app.signIns() == [
                    "sign_in by person:ann@example.com: link",
                    "sign_in_refused by person:ann@example.com: link_used",
                ])
            #expect(try await app.count("sessions") == 1)
            #expect(
                try await app.count("sign_in_links WHERE sha256 IS NOT NULL AND used_at IS NOT NULL") == 1)
        }
    }

    @Test func `of a hundred who use a link at once one is signed in`() async throws {
        try await run { app in
            let path = try await app.link("ann@example.com")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...100 {
                    group.addTask { try await app.post(path, as: nil, headers: app.browser()).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 303 } == 1)
            #expect(statuses.count { $0 == 403 } == 99)
            #expect(try await app.count("sessions") == 1)
            #expect(try await app.count("audit WHERE act = 'sign_in'") == 1)
        }
    }

    @Test func `a link is refused after 15 minutes, and once its person is removed`() async throws {
        let clock = MovedClock()
        try await run(clock) { app in
            let (late, removed) = (
                try await app.link("ann@example.com"), try await app.link("ben@example.com")
            )
            clock.pass(PersonStore.linkLifetime - 1)
            #expect(try await app.get(late, headers: app.browser()).status == 200)
            let ben = try #require(EmailAddress("ben@example.com"))
            try await PersonStore(db: app.db).remove(ben, by: .thisCommand, at: clock.now)
            let refused = try await app.post(removed, as: nil, headers: app.browser())
            #expect(refused.status == 403 && refused.headers[values: .setCookie].isEmpty)
            // Whoever is added anew gets no old link back.
            try await app.add("ben@example.com", [.viewer])
            #expect(try await app.post(removed, as: nil, headers: app.browser()).status == 403)
            clock.pass(1)
            let expired = try await app.post(late, as: nil, headers: app.browser())
            #expect(expired.status == 403 && expired.text.contains("This link has expired"))
            #expect(try await app.count("sessions") == 0)
            #expect(
                try await app.signIns().last == "sign_in_refused by person:ann@example.com: link_expired")
        }
    }

    @Test func `attempts with links that nobody made leave few rows, however many there are`() async throws {
        try await run { app in
            for number in 0..<30 {
                let text = Base64URL.encode([UInt8](repeating: UInt8(number), count: 32))
                for path in ["/sign-in/\(text)", "/sign-in/x"] {
                    let answer = try await app.post(path, as: nil, headers: app.browser())
                    #expect(answer.status == 403 && answer.text.contains("This link is not known"))
                }
            }
            #expect(try await app.count("audit") == 20)
            #expect(try await app.signIns().first == "sign_in_refused by person:unknown: link_unknown")
            // These do not crowd out what is noted of people.
            let path = try await app.link("ann@example.com")
            for _ in 1...30 { _ = try await app.post(path, as: nil, headers: app.browser()) }
            #expect(try await app.count("audit WHERE actor = 'person:ann@example.com'") == 21)
        }
    }

    @Test(arguments: [
        ("%2Fv1%2Fadmin%2Fme%3Fx=1", "/v1/admin/me?x=1"), ("/links/summer+", "/links/summer+"),
        ("//evil.example.com", "/"), ("https://evil.example.com", "/"), ("/%5Cevil.example.com", "/"),
        ("%5C%5Cevil.example.com", "/"), ("/%09/evil.example.com", "/"), ("/%0D%0ASet-Cookie:x", "/"),
        ("javascript:alert(1)", "/"), ("%20/x", "/"), ("/%E3%80%82", "/"), ("evil.example.com", "/"),
        ("", "/"),
        ("/@evil.example.com", "/@evil.example.com"),
    ])
    func `after a sign-in nobody is sent to another site`(returnTo: String, location: String) async throws {
        try await run { app in
            let path = try await app.link("ann@example.com")
            let page = try await app.get("\(path)?returnTo=\(returnTo)", headers: app.browser())
            let action = try #require(page.text.firstMatch(of: /action="([^"]+)"/)).1
            for form in ["\(path)?returnTo=\(returnTo)", "\(action)".replacing("&amp;", with: "&")] {
                let path = form.replacing(
                    /\/sign-in\/[^?]*/, with: try await app.link("ann@example.com", nil))
                let answer = try await app.post(path, as: nil, headers: app.browser())
                #expect(answer.headers[.location] == location, "\(form): \(answer.text)")
                // Who is signed in already goes on at once.
                let again = try await app.get(
                    "/sign-in?returnTo=\(returnTo)", headers: app.browser(answer.cookie()))
                #expect(again.headers[.location] == location)
            }
        }
    }

    @Test func `a session is new after each sign-in, and the browser's former one has ended`() async throws {
        try await run { app in
            let planted = "\(ConsoleDoor.cookieName)=\(SecretText(world: .live).text)"
            let first = try await app.post(
                try await app.link("ann@example.com"), as: nil, headers: app.browser(planted))
            let own = try #require(first.cookie())
            #expect(own != planted)
            #expect(try await !app.isSignedIn(app.browser(planted)))
            #expect(try await app.isSignedIn(app.browser(own)))
            let second = try await app.post(
                try await app.link("ben@example.com"), as: nil, headers: app.browser(own))
            #expect(second.cookie() != own)
            #expect(try await !app.isSignedIn(app.browser(own)))
            #expect(try await app.isSignedIn(app.browser(second.cookie())))
        }
    }

    @Test func `the pages come in English and Japanese, with headers that keep them to themselves`()
        async throws
    {
        try await run { app in
            for (header, title) in [("en", "Sign in"), ("ja-JP,en;q=0.5", "ログイン"), ("fr", "Sign in")] {
                var browser = app.browser(origin: nil)
                browser[.acceptLanguage] = header
                let page = try await app.get("/sign-in", headers: browser)
                #expect(page.status == 200 && page.text.contains("<title>\(title)</title>"), "\(page.text)")
                #expect(!page.text.contains("/sign-in/openid"), "there is no provider")
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(!policy.contains("unsafe") && policy.contains("form-action 'self'"))
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(page.headers[.cacheControl] == "no-store")
                #expect(page.headers[.referrerPolicy] == "same-origin")
            }
            let nowhere = try await app.get("/nowhere", headers: app.browser(origin: nil))
            #expect(nowhere.status == 404 && nowhere.text.contains("href=\"/\""), "\(nowhere.text)")
            let home = try await app.get("/account", headers: app.browser(origin: nil))
            #expect((home.status, home.headers[.location]) == (303, "/sign-in"))
        }
    }

    @Test func `attempts from one address are limited`() async throws {
        try await TestApp.run(
            configure: {
                TestApp.withConsole(&$0)
                $0.server.trustedProxies.ranges = AddressRange("127.0.0.0/8").map { [$0] } ?? []
                $0.rateLimits = (try? RateLimitConfig("signins=3/m")) ?? $0.rateLimits
            }, .live
        ) { app in
            let path = try await app.link("ann@example.com")
            var browser = app.browser()
            browser[.xForwardedFor] = "203.0.113.7"
            var other = browser
            other[.secFetchSite] = "cross-site"
            for _ in 1...5 {
                let answer = try await app.post("/sign-in/x", as: nil, headers: other)
                #expect(answer.status == 403, "another site uses up no attempts: \(answer.text)")
            }
            for attempt in 1...5 {
                let answer = try await app.post("/sign-in/x", as: nil, headers: browser)
                #expect(answer.status == (attempt <= 3 ? 403 : 429), "\(answer.text)")
            }
            #expect(try await app.post(path, as: nil, headers: browser).status == 429)
            browser[.xForwardedFor] = "203.0.113.8"
            #expect(try await app.post(path, as: nil, headers: browser).status == 303)
        }
    }
}
