import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith
@testable import Numbers
@testable import Web

/// Numbers of the way of an invite or a link, from its page to those whom its newcomers bring.
@Suite(.inTurns) struct JourneyNumbersTests {
    func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.app.linkDomains = "https://go.example.com"
            $0.counts.countryHeader = "CF-IPCountry"
            $0.server.trustedProxies.ranges = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { app in
            let key = try await APIKeyStore(db: app.db).create(name: "reader", scope: .support)
            try await test(app, [.authorization: "Bearer \(key)"])
        }
    }

    private func numbers(_ app: TestApp, _ query: String) async throws -> TestApp.Answer {
        let key = try await APIKeyStore(db: app.db).create(name: "viewer", scope: .viewer)
        let answer = try await app.get(
            "/v1/admin/numbers/\(query)", headers: [.authorization: "Bearer \(key)"])
        #expect(answer.status == 200, "\(query): \(answer.text)")
        return answer
    }

    func total(_ app: TestApp, _ query: String) async throws -> Int? {
        try await numbers(app, query).json["total"] as? Int
    }

    private func share(_ app: TestApp, _ query: String) async throws -> Double? {
        (try await numbers(app, query).json["base"] as? [String: Any])?["share"] as? Double
    }

    func makeLink(_ app: TestApp) async throws {
        let key = try await APIKeyStore(db: app.db).create(name: "links", scope: .server)
        let made = try await app.post(
            "/v1/links", as: nil, headers: [.authorization: "Bearer \(key)"],
            [
                "parameters": ["link": "https://join.example.com/party", "utm_campaign": "spring"] as Body,
                "suffix": "custom", "code": "party",
            ])
        try #require(made.status == 201, "\(made.text)")
    }

    /// Signs up as an app does, with what it knows of its user.
    func signUp(
        _ app: TestApp, _ name: String, _ fields: [(String, any JSONValue)] = [], headers: HTTPFields = [:]
    ) async throws -> TestApp.Answer {
        let all = ([("username", name)] + fields).map { "\($0.0.json):\($0.1.json)" }
        return try await app.call(
            .post, "/v1/signup", as: "u-\(name)", headers: headers, body: "{\(all.joined(separator: ","))}")
    }

    @Test func `a sign-up counts for the link that brought it, with its campaign, platform and country`()
        async throws
    {
        try await run { app, _ in
            try await makeLink(app)
            var phone: HTTPFields = [.userAgent: "Sample/5 CFNetwork/1490 Darwin/23", .acceptLanguage: "ja"]
            phone[try #require(HTTPField.Name("CF-IPCountry"))] = "JP"
            let party = "https://go.example.com/party"
            for (name, body) in [
                ("ann", [("link", party)]), ("bob", [("link", party), ("platform", "android")]),
                ("cat", []), ("dan", [("link", "https://go.example.com/nothing")]),
                ("eve", [("link", "no link at all")]),
            ] as [(String, [(String, any JSONValue)])] {
                #expect(try await signUp(app, name, body, headers: phone).status == 201)
            }
            try await app.count()
            #expect(try await total(app, "people.sign_ups") == 5)
            #expect(try await total(app, "people.sign_ups?platform=ios") == 4)
            #expect(try await total(app, "people.sign_ups?platform=android") == 1)
            #expect(try await total(app, "people.sign_ups?country=JP") == 5)
            #expect(try await total(app, "people.sign_ups?language=ja") == 5)
            #expect(try await total(app, "people.sign_ups?utm_campaign=spring") == 2)
            #expect(try await total(app, "links.sign_ups") == 2)
            #expect(try await total(app, "links.sign_ups?link=\(party)") == 2)
            #expect(try await total(app, "links.sign_ups?domain=https://go.example.com") == 2)
            #expect(try await share(app, "links.sign_ups") == 0.4)
        }
    }

    @Test func `a backend that signs a user up is not their phone`() async throws {
        try await run { app, _ in
            let key = try await APIKeyStore(db: app.db).create(name: "backend", scope: .server)
            let answer = try await app.post(
                "/v1/signup", as: nil,
                headers: [
                    .authorization: "Bearer \(key)", .kithUser: "u-ann", .userAgent: "okhttp/4",
                    .acceptLanguage: "en",
                ], ["username": "ann", "platform": "ios"])
            #expect(answer.status == 201, "\(answer.text)")
            try await app.count()
            #expect(try await total(app, "people.sign_ups?platform=ios") == 1)
            #expect(try await total(app, "people.sign_ups?language=en") == 0)
        }
    }

    @Test(
        arguments: [
            ("platform", #""windows""#), ("platform", "5"), ("link", #"["a"]"#), ("app", "true"),
        ] as [(String, Body)])
    func `a wrong field of a sign-up is named, and nobody signs up`(field: String, value: Body) async throws {
        try await run { app, _ in
            let answer = try await signUp(app, "ann", [(field, value)])
            #expect(answer.status == 400 && answer["field"] == field, "\(answer.text)")
            #expect(try await app.count("users") == 0)
        }
    }

    @Test func `friendships of those whom a link and an invite brought count for the link`() async throws {
        try await run { app, _ in
            try await makeLink(app)
            try await app.signUp("ann")
            let bob = try await signUp(
                app, "bob",
                [("invite", TestApp.link("ann", "u-ann")), ("link", "https://go.example.com/party")])
            #expect(bob.status == 201, "\(bob.text)")
            try await app.signUp("cat", invite: TestApp.link("ann", "u-ann"))
            try await app.signUp("dan", invite: TestApp.link("bob", "u-bob"))
            try await app.signUp("eve", invite: TestApp.link("bob", "u-bob"))
            try await app.count()
            #expect(try await total(app, "links.friendships?link=https://go.example.com/party") == 1)
            #expect(try await share(app, "links.friendships") == 0.25)
            #expect(try await total(app, "invites.friendships?kind=name") == 4)
            #expect(
                try await total(app, "invites.passed_on") == 1,
                "Bob, whom Ann invited, brought others; Ann came alone"
            )
            #expect(try await share(app, "invites.sign_ups") == 0.8)
        }
    }

    @Test func `what comes of invites counts for the day of their user's sign-up`() async throws {
        try await run { app, _ in
            let days = ["ann": 3, "bob": 20, "cat": 50]
            for (name, ago) in days {
                try await app.signUp(name)
                try await app.db.write.run(
                    "UPDATE users SET created_at = now() - \(Double(ago)) * interval '1 day' WHERE username = \(name)"
                )
                try await app.db.write.run(
                    "UPDATE outbox SET at = now() - \(Double(ago)) * interval '1 day' WHERE user_id = \(User.ID(of: User.UID(stored: "u-\(name)")))"
                )
            }
            for (name, inviter) in [("dan", "ann"), ("eve", "ann"), ("fay", "bob"), ("gus", "cat")] {
                try await app.signUp(name, invite: TestApp.link(inviter, "u-\(inviter)"))
            }
            for name in ["ann", "ann", "bob", "cat"] {
                #expect(
                    try await app.get("/users/\(name)?invitedBy=u-\(name)", headers: .iPhone).status == 200)
            }
            for _ in 0..<2 { try await app.count() }
            func day(_ ago: Int) -> String {
                let day = DaySpan.day(of: Date() - Double(ago) * 86_400, in: .gmt)
                return "from=\(day)&to=\(day)"
            }
            #expect(try await total(app, "cohorts.joined_7?\(day(3))") == 2)
            #expect(try await share(app, "cohorts.joined_7?\(day(3))") == 2, "k of that day")
            #expect(try await total(app, "cohorts.joined_30?\(day(3))") == 2)
            #expect(try await total(app, "cohorts.joined_7?\(day(20))") == 0)
            #expect(try await total(app, "cohorts.joined_30?\(day(20))") == 1)
            #expect(try await total(app, "cohorts.joined_30?\(day(50))") == 0, "too late")
            #expect(try await total(app, "cohorts.opened_7?\(day(3))") == 2)
            #expect(try await total(app, "cohorts.opened_30?\(day(20))") == 1)
            let shared = try await numbers(app, "invites.time_to_share")
            #expect(shared.json["total"] as? Int == 3, "of each user the first visit")
            let quantiles = try #require(shared.json["quantiles"] as? [String: Any])
            let (median, p90) = try (
                #require(quantiles["median"] as? Int), #require(quantiles["p90"] as? Int)
            )
            #expect((14...20).contains(median / 86_400) && (40...50).contains(p90 / 86_400), "\(quantiles)")
        }
    }

    @Test func `people who call with a token of their own are active, once a day and a month`() async throws {
        try await run { app, _ in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            for _ in 0..<3 {
                try await app.count()
                for name in ["ann", "bob"] {
                    #expect(try await app.get("/v1/me", as: "u-\(name)").status == 200)
                }
            }
            // A second server has counted nobody yet.
            let other = try App(app.app.config, db: app.db, logger: TestApp.quiet)
            for name in ["bob", "cat"] { other.active.note(User.ID(of: User.UID(stored: "u-\(name)"))) }
            try await other.counting.countAll()
            try await app.count()
            #expect(try await total(app, Self.activeToday) == 3)
            let monthly = Self.activeToday.replacing("active", with: "active_monthly")
            #expect(try await total(app, monthly) == 3)
            let kept = try await app.db.read.query(
                "SELECT encode(members, 'hex') FROM counts WHERE members IS NOT NULL"
            ) {
                try $0.next(as: String.self)
            }
            for name in ["ann", "bob", "cat"] {
                let id = User.ID(of: User.UID(stored: "u-\(name)")).uuid.uuidString.lowercased()
                #expect(!kept.contains { $0.contains(id.prefix(8)) }, "nothing says who it was")
            }
        }
    }

    @Test func `whoever has no active account is not active, whatever they call`() async throws {
        try await run { app, _ in
            for number in 0..<40 {
                #expect(try await app.get("/v1/me", as: "u-nobody\(number)").status == 403)
            }
            let claim = try await app.post(
                "/v1/installs/claim", as: "u-nobody", ["platform": "android", "installationId": "i-1"])
            #expect(claim.status != 401, "\(claim.text)")
            try await app.count()
            #expect(try await total(app, Self.activeToday) == 0)
            for name in ["ann", "bob", "cat", "dan"] { try await app.signUp(name) }
            try await app.setStatus("suspended", of: "u-bob")
            try await app.setStatus("deleted", of: "u-cat")
            // Ann asks for what is not there, and that is a call.
            #expect(try await app.get("/v1/users/u-nobody1", as: "u-ann").status == 404)
            for _ in 0..<2 { try await app.count() }
            #expect(try await total(app, Self.activeToday) == 2)
            // Whoever returns on the same day counts from their next call on.
            try await app.setStatus("active", of: "u-bob")
            #expect(try await app.get("/v1/me", as: "u-bob").status == 200)
            try await app.count()
            #expect(try await total(app, Self.activeToday) == 3)
        }
    }

    @Test func `a share is of what has the same value, or there is none and the answer says so`() async throws
    {
        try await run { app, _ in
            try await app.signUp("ann")
            let field = try #require(HTTPField.Name("CF-IPCountry"))
            for (name, country, isInvited) in [
                ("bob", "JP", true), ("cat", "JP", true), ("dan", "JP", false), ("eve", "US", true),
            ] {
                let invite: [(String, any JSONValue)] =
                    isInvited ? [("invite", TestApp.link("ann", "u-ann"))] : []
                let answer = try await signUp(app, name, invite, headers: [field: country])
                #expect(answer.status == 201, "\(answer.text)")
            }
            try await app.count()
            #expect(try await share(app, "invites.sign_ups") == 0.6)
            #expect(try await share(app, "invites.sign_ups?country=JP") == 0.6667)
            #expect(try await share(app, "invites.sign_ups?country=US") == 1)
            let byKind = try await numbers(app, "invites.sign_ups?kind=name&per=month")
            #expect(byKind["base.measure"] == "people.sign_ups" && byKind["base.share"] == nil)
            #expect(byKind["base.reason"] == "people.sign_ups does not divide by kind")
            #expect(byKind["base.total"] == nil && byKind.text.contains(#""shares":[null"#), "\(byKind.text)")
            var key = try await app.keyed(.viewer)
            key[.accept] = "text/csv"
            let csv = try await app.get(
                "/v1/admin/numbers/invites.sign_ups?country=JP&per=month", headers: key)
            #expect(csv.text.hasPrefix("time,total,base,share,unfinished\r\n"), "\(csv.text)")
            #expect(csv.text.contains(",2,3,0.6667,yes\r\n"), "\(csv.text)")
            let command = try await KithCommand(
                ["numbers", "invites.sign_ups", "--only", "kind=name"],
                ["KITH_DATABASE_URL": app.app.config.database.url]
            ).run()
            #expect(
                command.output.contains("\nno share: people.sign_ups does not divide by kind\n"),
                "\(command.output) \(command.error)")
        }
    }

    @Test func `support sees who brought most, and which branch grows`() async throws {
        try await run { app, support in
            // Ann has brought three, of whom Bob has brought four.
            try await app.signUp("ann")
            for name in ["bob", "cat", "dan"] {
                try await app.signUp(name, invite: TestApp.link("ann", "u-ann"))
            }
            for number in 1...4 { try await app.signUp("b\(number)aa", invite: TestApp.link("bob", "u-bob")) }
            try await app.signUp("zoe", invite: TestApp.link("dan", "u-dan"))
            try await app.count()
            func list(_ path: String) async throws -> [String] {
                let answer = try await app.get("/v1/admin/inviters\(path)", headers: support)
                #expect(answer.status == 200, "\(answer.text)")
                return (answer.json["inviters"] as? [[String: Any]] ?? []).map {
                    "\($0["username"] ?? "") \($0["signUps"] ?? "") \($0["direct"] ?? "-")"
                }
            }
            #expect(try await list("") == ["bob 4 -", "ann 3 -", "dan 1 -"])
            #expect(try await list("?limit=1") == ["bob 4 -"])
            #expect(try await list("?from=2026-01-01&to=2026-01-02") == [])
            #expect(try await list("/growing") == ["ann 8 3"], "she began it; no branch inside is told again")
            _ = try await app.call(.delete, "/v1/me", as: "u-bob")
            try await app.count()
            #expect(try await list("") == ["ann 3 -", "dan 1 -"], "a user's own sums go with them")
            _ = try await app.call(.delete, "/v1/me", as: "u-ann")
            #expect(try await list("/growing") == [" 8 3"], "nor a name")
            for (query, field) in [("?limit=0", "limit"), ("?from=x", "from")] {
                let answer = try await app.get("/v1/admin/inviters\(query)", headers: support)
                #expect(answer.status == 400 && answer["field"] == field)
            }
            let answer = try await app.get("/v1/admin/inviters/growing?minutes=1441", headers: support)
            #expect(answer.status == 400 && answer["field"] == "minutes")
        }
    }
}
