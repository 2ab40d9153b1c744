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

/// Sessions of people: how they end, and what they are good for.
@Suite(.inTurns) struct SessionTests {
    private func run(
        _ clock: MovedClock = MovedClock(), _ test: @escaping @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: TestApp.withConsole, world: clock.world) { try await test($0) }
    }

    @Test func `whoever signs out is out, also with a cookie that was copied before`() async throws {
        try await run { app in
            let (ann, other) = (
                try await app.signIn("ann@example.com", [.viewer]),
                try await app.signIn("ann@example.com", [.viewer])
            )
            #expect(try await app.isSignedIn(ann))
            let answer = try await app.post("/sign-out", as: nil, headers: ann)
            #expect((answer.status, answer.headers[.location]) == (303, "/sign-in"))
            #expect(answer.headers[values: .setCookie].first?.contains("Max-Age=0") == true)
            #expect(try await !app.isSignedIn(ann))
            #expect(try await app.isSignedIn(other))
            #expect(try await app.get("/", headers: ann).headers[.location] == "/sign-in")
            #expect(try await app.post("/sign-out", as: nil, headers: ann).status == 303)
            #expect(
                try await app.count("audit WHERE act = 'sign_out' AND actor = 'person:ann@example.com'") == 1)
        }
    }

    @Test func `people end their own sessions on the page, and nobody else's`() async throws {
        try await run { app in
            let (here, there, ben) = (
                try await app.signIn("ann@example.com", [.viewer]),
                try await app.signIn("ann@example.com", [.viewer]),
                try await app.signIn("ben@example.com", [.viewer])
            )
            let page = try await app.get("/account", headers: here).text
            let forms = page.matches(of: /action="(\/sessions\/[^"]+)"/).map { String($0.1) }
            #expect(forms.count == 2)
            for form in forms {
                #expect(try await app.post(form, as: nil, headers: ben).status == 303)
            }
            for own in [here, there] { #expect(try await app.isSignedIn(own)) }
            for form in forms {
                #expect(try await app.post(form, as: nil, headers: here).headers[.location] != nil)
            }
            #expect(try await !app.isSignedIn(here))
            #expect(try await app.isSignedIn(ben))
            #expect(try await app.post("/sessions/x/end", as: nil, headers: ben).status == 404)
        }
    }

    @Test func `a change of roles, a removal and an admin end sessions at once`() async throws {
        try await run { app in
            let admin = try await app.keyed()
            let person = "/v1/admin/people/ann@example.com"
            var ann = try await app.signIn("ann@example.com", [.viewer])
            let same = try await app.call(.put, person, headers: admin, body: ["roles": ["viewer"]])
            #expect(same.status == 200, "\(same.text)")
            #expect(try await app.isSignedIn(ann), "nothing changed")
            let changed = try await app.call(.put, person, headers: admin, body: ["roles": ["growth"]])
            #expect(changed.status == 200 && changed.text.contains(#""roles":["growth"]"#), "\(changed.text)")
            #expect(try await !app.isSignedIn(ann))
            ann = try await app.signIn("ann@example.com", [.growth])
            let sessions = try await app.asked("/v1/admin/sessions", admin).objects("sessions")
            let id = try #require(sessions.first?["id"] as? String)
            #expect(sessions.count == 1 && sessions[0]["email"] as? String == "ann@example.com")
            for status in [204, 404] {
                let answer = try await app.call(.delete, "/v1/admin/sessions/\(id)", headers: admin)
                #expect(answer.status == status, "\(answer.text)")
            }
            #expect(try await !app.isSignedIn(ann))
            ann = try await app.signIn("ann@example.com", [.growth])
            #expect(try await app.call(.delete, person, headers: admin).status == 204)
            #expect(try await !app.isSignedIn(ann))
            #expect(try await app.call(.delete, person, headers: admin).code == "person_not_found")
            let acts = try await app.asked("/v1/admin/audit?limit=100", admin).objects("acts").reversed()
                .compactMap { $0["act"] as? String }.filter { !$0.hasPrefix("create_sign") }
            #expect(
                acts == [
                    "set_person", "sign_in", "set_person", "set_person", "set_person", "sign_in",
                    "end_session", "set_person", "sign_in", "remove_person",
                ])
        }
    }

    @Test func `a session ends twelve hours after its last use, and seven days after it began`() async throws
    {
        let clock = MovedClock()
        try await run(clock) { app in
            let unused = try await app.signIn("ann@example.com", [.viewer])
            clock.pass(PersonSession.idle - 1)
            #expect(try await app.isSignedIn(unused))
            try await waitForUse(app, since: clock.now)
            clock.pass(PersonSession.idle - 1)
            #expect(try await app.isSignedIn(unused), "it was used in between")
            try await waitForUse(app, since: clock.now)
            clock.pass(PersonSession.idle)
            #expect(try await !app.isSignedIn(unused))
            let used = try await app.signIn("ben@example.com", [.viewer])
            for _ in 1...14 {
                clock.pass(PersonSession.idle - 1)
                #expect(try await app.isSignedIn(used))
                try await waitForUse(app, since: clock.now)
            }
            clock.pass(14)
            #expect(try await !app.isSignedIn(used), "seven days are over")
        }
    }

    /// Waits until the use at this time is noted, which happens behind the answer.
    private func waitForUse(_ app: TestApp, since time: Date) async throws {
        for _ in 1...500 {
            let seen = try await app.db.read.first("SELECT max(seen_at) FROM sessions") {
                try $0.next(as: Date?.self)
            }
            if let seen = seen ?? nil, abs(seen.timeIntervalSince(time)) < 1 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the use was not noted")
    }

    @Test func `what another site makes a browser send does nothing`() async throws {
        try await run { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            let link = try await app.link("ben@example.com")
            func sent(_ origin: String?, _ site: String?) -> HTTPFields {
                var headers = ann
                headers[.origin] = origin
                headers[.secFetchSite] = site
                return headers
            }
            let bad = [
                sent(nil, nil), sent("null", nil), sent("https://evil.example.com", nil),
                sent("https://join.example.com", nil), sent("http://console.example.com", nil),
                sent("https://console.example.com.evil.example.com", nil), sent(nil, "cross-site"),
                sent(nil, "same-site"), sent(nil, "none"), sent(TestApp.console, "cross-site"),
                sent("https://evil.example.com", "same-origin"),
            ]
            let before = try await app.count("audit")
            for headers in bad {
                for path in ["/sign-out", "/sessions/x/end", link] {
                    let answer = try await app.post(path, as: nil, headers: headers)
                    #expect(answer.status == 403 && answer.text.contains("Another page sent this"))
                    #expect(answer.headers[values: .setCookie].isEmpty)
                }
                let call = try await app.call(
                    .put, "/v1/admin/people/eve@example.com", headers: headers, body: ["roles": ["admin"]])
                #expect((call.status, call.code) == (403, "cross_site"), "\(call.text)")
                #expect(call.headers[.accessControlAllowOrigin] == nil)
            }
            #expect(try await app.count("audit") == before)
            #expect(try await app.count("people") == 2)
            for good in [sent(nil, "same-origin"), sent("null", "same-origin"), sent(TestApp.console, nil)] {
                let call = try await app.call(
                    .put, "/v1/admin/people/eve@example.com", headers: good, body: ["roles": ["viewer"]])
                #expect([200, 201].contains(call.status), "\(call.text)")
            }
            #expect(try await app.get("/v1/admin/people", headers: sent(nil, nil)).status == 200)
        }
    }

    @Test func `a call at the console without a session is told to sign in there, and elsewhere not`()
        async throws
    {
        try await run { app in
            let (ann, ben) = (
                try await app.signIn("ann@example.com", [.admin]),
                try await app.signIn("ben@example.com", [.admin])
            )
            let path = "/v1/admin/people/ann@example.com"
            for call in [
                try await app.call(.delete, path, headers: ann),
                try await app.call(.put, path, headers: ann, body: ["roles": ["growth"]]),
            ] {
                #expect((call.status, call.code) == (409, "own_role"), "an admin might be the last one")
            }
            #expect(try await app.call(.delete, path, headers: ben).status == 204)
            for (headers, path) in [(ann, "/v1/admin/me"), (app.browser(), "/v1/admin/config")] {
                let answer = try await app.get(path, headers: headers)
                #expect((answer.status, answer.code) == (401, "unauthenticated"), "\(answer.text)")
                #expect(answer["detail"]?.contains("sign in at the console again") == true, "\(answer.text)")
            }
            let elsewhere = try await app.get("/v1/admin/me")
            #expect(elsewhere["detail"]?.contains("console") == false, "\(elsewhere.text)")
        }
    }

    @Test func `a session counts at the console alone, and a key anywhere`() async throws {
        try await run { app in
            var ann = try await app.signIn("ann@example.com", [.admin])
            #expect(try await app.isSignedIn(ann))
            let key = try await app.keyed(.viewer)
            for host in [nil, "join.example.com", "evil.example.com", "console.example.com:8443"] {
                ann[.testHost] = host
                let answer = try await app.get("/v1/admin/me", headers: ann)
                #expect(answer.status == 401, "\(answer.text)")
                #expect(try await app.get("/sign-in", headers: ann).status == 404)
            }
            var both = app.browser()
            both[.authorization] = key[.authorization]
            #expect(try await app.get("/v1/admin/me", headers: both)["roles"]?.contains("viewer") == true)
            // What is for users and apps is not there.
            ann[.testHost] = "CONSOLE.example.com.:443"
            #expect(try await app.isSignedIn(ann))
            for path in ["/v1/me", "/users/ann", "/v1/config", "/0123456789abcdef"] {
                #expect(try await app.get(path, headers: ann).status == 404, "\(path)")
            }
        }
    }

    @Test func `a person acts for no user, and never sees who else may`() async throws {
        try await run { app in
            try await app.signUp("ann")
            var admin = try await app.signIn("boss@example.com", [.admin])
            admin[.kithUser] = "u-ann"
            for path in ["/v1/admin/me", "/v1/links", "/v1/admin/users?uid=u-ann"] {
                let answer = try await app.get(path, headers: admin)
                #expect((answer.status, answer.code) == (403, "forbidden"), "\(path): \(answer.text)")
            }
        }
    }

    @Test func `what a person publishes and does is under their name`() async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            TestApp.withConsole(&$0)
        }) { app in
            var ann = try await app.signIn("ann@example.com", [.growth, .links])
            let made = try await app.post(
                "/v1/links", as: nil, headers: ann,
                ["parameters": ["link": TestApp.party] as Body, "suffix": "custom", "code": "summer"])
            #expect(made.status == 201, "\(made.text)")
            ann[.ifMatch] = "\"0\""
            let published = try await app.post(
                "/v1/admin/config", as: nil, headers: ann,
                #"{"changes":{"values":{"greeting":"Hello"}},"reason":"a test"}"#)
            #expect(published.status == 201, "\(published.text)")
            let apps = try await app.post(
                "/v1/admin/config", as: nil, headers: ann,
                #"{"changes":{"apps":{"x":{"hosts":["https://x.example.com"]}}},"reason":"a test"}"#)
            #expect(apps.status != 201, "\(apps.text)")
            let admin = try await app.keyed()
            let one = try await app.asked("/v1/admin/config/publications/1", admin)
            #expect((one["actor"], one["source"]) == ("person:ann@example.com", "console"), "\(one.text)")
            let acts = try await app.asked("/v1/admin/audit?actor=person:ann@example.com", admin)
                .objects("acts").compactMap { $0["act"] as? String }
            #expect(acts == ["publish", "call", "sign_in"])
        }
    }

    @Test func `a server that could not know refuses an ended session within a second`() async throws {
        let clock = MovedClock()
        try await run(clock) { app in
            let ann = try await app.signIn("ann@example.com", [.viewer])
            #expect(try await app.isSignedIn(ann))
            // As another server, or a command, would.
            try await app.db.write.run("UPDATE sessions SET ended_at = now()")
            clock.pass(1)
            #expect(try await !app.isSignedIn(ann))
        }
    }

    @Test func `what ended a month ago is deleted, and nothing else`() async throws {
        let clock = MovedClock()
        try await run(clock) { app in
            let ann = try await app.signIn("ann@example.com", [.viewer])
            _ = try await app.post("/sign-out", as: nil, headers: ann)
            let store = SessionStore(db: app.db)
            try await store.forgetOld(at: clock.now + 29 * 86_400)
            #expect(try await app.count("sessions") == 1)
            #expect(try await app.count("sign_in_links") == 1)
            try await store.forgetOld(at: clock.now + 31 * 86_400)
            #expect(try await app.count("sessions") == 0)
            #expect(try await app.count("sign_in_links") == 0)
            #expect(try await app.count("people") == 1)
        }
    }
}
