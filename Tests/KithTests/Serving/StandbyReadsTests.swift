import EmbeddedPostgres
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Operations
@testable import Web

/// Calls that a standby may answer, over HTTP.
@Suite(.inTurns) struct StandbyReadsTests {
    private func run(
        redirectLag: Duration = .zero, _ test: @Sendable (StandbyPair, TestApp) async throws -> Void
    ) async throws {
        try await StandbyPair.run(prepare: { url in
            let migrating = try Database(Database.Configuration(url: url))
            _ = try await Migrator(migrating).migrate()
            await migrating.close()
        }) { pair in
            try await TestApp.run(configure: { config in
                config.database.url = pair.primary.url()
                config.database.readURL = pair.standby.url()
                config.database.readLag = .seconds(60)
                config.database.redirectLag = redirectLag
            }) { app in
                try await waitUntil("the standby is used") {
                    app.db.statistics.standbys?.standbys.first?.age != nil
                }
                try await test(pair, app)
            }
        }
    }

    private func answered(_ app: TestApp) -> Int { app.db.statistics.standbys?.answered ?? 0 }

    private func friends(_ app: TestApp, of uid: String, after token: String?) async throws -> [String] {
        var headers = HTTPFields()
        headers[.kithReadAfter] = token
        let answer = try await app.get("/v1/friends", as: uid, headers: headers)
        try #require(answer.status == 200, "\(answer.text)")
        return (answer.json["friends"] as? [[String: Any]] ?? []).compactMap { $0["uid"] as? String }
    }

    @Test
    func `users see at once what they wrote, with a token from the standby or without one from the primary`()
        async throws
    {
        try await run { (pair, app) async throws in
            try await app.signUp("ann")
            let joined = try await app.post(
                "/v1/signup", as: "u-bob", ["username": "bob", "invite": TestApp.link("ann", "u-ann")])
            let token = try #require(joined.headers[.kithReadAfter])
            try await waitUntil("the standby has it") {
                let before = answered(app)
                return try await friends(app, of: "u-bob", after: token) == ["u-ann"]
                    && answered(app) > before
            }
            let before = answered(app)
            #expect(try await friends(app, of: "u-bob", after: nil) == ["u-ann"])
            #expect(try await friends(app, of: "u-bob", after: "nonsense") == ["u-ann"])
            for path in ["/v1/usernames/bob", "/v1/users/u-ann"] {
                for token in ["primary", "nonsense"] {
                    let uid = path.hasPrefix("/v1/users/") ? "u-bob" : nil
                    var headers = uid == nil ? try await app.keyed(.client) : [:]
                    headers[.kithReadAfter] = token
                    #expect(try await app.get(path, as: uid, headers: headers).status == 200)
                }
            }
            #expect(answered(app) == before, "without a token of a write Kith asks the primary")

            try await pair.onStandby("SELECT pg_wal_replay_pause()")
            let ended = try await app.call(.delete, "/v1/friends/u-ann", as: "u-bob")
            let later = try #require(ended.headers[.kithReadAfter])
            #expect(try await friends(app, of: "u-bob", after: later) == [])
            #expect(try await friends(app, of: "u-bob", after: nil) == [])
            #expect(try await friends(app, of: "u-ann", after: "0-0") == ["u-bob"], "as old as Ann allows")
            #expect(answered(app) > before)
            try await pair.onStandby("SELECT pg_wal_replay_resume()")
            try await waitUntil("the standby has that, too") {
                try await friends(app, of: "u-ann", after: "0-0") == []
            }
        }
    }

    @Test func `no call fails while the standby is killed, and delta sync asks the primary`() async throws {
        try await run { (pair, app) async throws in
            for name in ["ann", "bob", "cyd"] { try await app.signUp(name) }
            let last = try await app.put("/v1/friends/u-bob", as: "u-ann")
            let paths = [
                "/v1/friends", "/v1/me/changes", "/v1/friends/u-cyd/mutual",
                "/v1/suggestions", "/v1/me/usernames", "/v1/users/u-bob", "/v1/me/invitees", "/v1/invites",
                "/v1/requests", "/v1/blocks", "/v1/usernames/bob",
            ]
            let headers: HTTPFields = [.kithReadAfter: try #require(last.headers[.kithReadAfter])]
            for path in paths {
                try await waitUntil("the standby answers \(path)") {
                    let before = answered(app)
                    let answer = try await app.get(path, as: "u-ann", headers: headers)
                    #expect(answer.status == 200, "\(path): \(answer.text)")
                    #expect(answer.headers[.kithReadAfter] == nil, "a read needs no token")
                    return answered(app) > before || path == "/v1/me/changes"
                }
            }
            let before = answered(app)
            _ = try await app.get("/v1/me/changes", as: "u-ann", headers: headers)
            #expect(answered(app) == before)
            try await withThrowingTaskGroup { (group) async throws in
                for path in paths {
                    group.addTask {
                        for _ in 0..<200 {
                            let answer = try await app.get(path, as: "u-ann", headers: headers)
                            #expect(answer.status == 200, "\(path): \(answer.text)")
                        }
                    }
                }
                try await pair.standby.kill()
                try await group.waitForAll()
            }
            let metrics = app.db.metricsText()
            #expect(metrics.contains("kith_standby_used{standby="))
            #expect(metrics.contains(#"kith_standby_reads_total{answer="standby"}"#))
        }
    }

    @Test(arguments: [Duration.zero, .seconds(60)])
    func `a standby answers links only if the setting allows it`(lag: Duration) async throws {
        try await run(redirectLag: lag) { (_, app) async throws in
            try await app.signUp("ann")
            let before = answered(app)
            if lag == .zero {
                for _ in 0..<20 { #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 200) }
                #expect(answered(app) == before)
            } else {
                try await waitUntil("the standby shows it") {
                    let page = try await app.get("/users/ann?invitedBy=u-ann")
                    return page.status == 200 && answered(app) > before
                }
            }
        }
    }

    @Test func `after a write that failed in Kith the primary is asked`() async throws {
        try await run { (pair, app) async throws in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await pair.primary.kill()
            let answer = try await app.put("/v1/friends/u-bob", as: "u-ann")
            #expect((answer.status, answer.headers[.kithReadAfter]) == (503, "primary"))
        }
    }

    @Test func `without a standby no answer has a token`() async throws {
        try await TestApp.run { app in
            let answer = try await app.post("/v1/signup", as: "u-ann", ["username": "ann"])
            #expect(answer.status == 201)
            #expect(answer.headers[.kithReadAfter] == nil)
            #expect(!app.db.metricsText().contains("kith_standby"))
        }
    }
}
