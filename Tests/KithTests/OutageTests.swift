import EmbeddedPostgres
import Foundation
import HTTPTypes
import Logging
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Operations
@testable import Web

/// The database goes away, and comes back.
@Suite(.inTurns) struct OutageTests {
    private func judgeUnavailable(_ answer: TestApp.Answer, _ about: String) throws {
        #expect(answer.status == 503, "\(about): \(answer.text)")
        #expect(answer.code == "unavailable")
        #expect(answer.headers[.contentType] == "application/problem+json")
        let seconds = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        #expect(answer["requestId"] != nil)
        #expect(!answer.text.contains("/tmp") && !answer.text.contains("socket"), "no detail leaks")
    }

    /// A PostgreSQL that the test may stop.
    private func withServer(
        logger: Logger = TestApp.quiet, _ test: @Sendable (EmbeddedPostgres, TestApp) async throws -> Void
    ) async throws {
        let postgres = try await EmbeddedPostgres.start()
        let url = postgres.url()
        let migrating = try Database(Database.Configuration(url: url))
        _ = try await Migrator(migrating).migrate()
        await migrating.close()
        try await TestApp.run(
            configure: { config in
                config.database.url = url
                (config.app.appStoreID, config.app.androidPackage) = ("1", "com.example.app")
                config.app.vanityLinks = true
            }, logger: logger
        ) { try await test(postgres, $0) }
        await postgres.end()
    }

    @Test func `a write whose COMMIT was answered with ROLLBACK can be retried`() {
        #expect(PostgresError.rolledBack.isOutage)
    }

    @Test func `requests refused for want of the provider's keys are one line, with their number`()
        async throws
    {
        let lines = LogLines()
        var world = World.live
        world.fetch = HTTPFetch { _ in throw HTTPFetch.Failure.refused }
        try await TestApp.run(
            configure: { $0.auth.jwks = "https://provider.example/keys" }, world: world, logger: lines.logger
        ) { app in
            for _ in 0..<3 { try judgeUnavailable(await app.get("/v1/me", as: "u-ann"), "no keys") }
        }
        let refused = lines.all.filter { $0.contains("requests refused") }
        #expect(
            refused == [
                """
                warning: requests refused reason=The identity provider's keys are temporarily unavailable. Try again. \
                requests=1 route=/v1/me status=503
                """
            ])
        #expect(lines.all.contains { $0.contains("error=it refuses connections at this port") })
    }

    @Test func `requests refused because too many wait are one line, with their number`() async throws {
        let lines = LogLines()
        try await TestApp.run(
            limits: {
                $0.read = .init(connections: 1, deadline: .seconds(600), lockTimeout: .zero, waiting: 8)
            }, logger: lines.logger
        ) { app in
            let db = app.db
            let slow = Task { try await db.read.run("SELECT pg_sleep(600)") }
            try await waitUntil("it is under way") { db.statistics.read.inFlight == 1 }
            let others = (0..<100).map { _ in Task { try await db.read.run("SELECT 1") } }
            try await waitUntil("some are refused") { db.statistics.read.refused > 0 }
            for _ in 0..<3 { try judgeUnavailable(await app.get("/v1/me", as: "u-ann"), "full") }
            for task in [slow] + others { task.cancel() }
        }
        #expect(lines.all.filter { $0.contains("requests refused") }.count == 1)
        #expect(!lines.all.contains { $0.contains("request failed") })
    }

    @Test func `requests that fail in an outage are a line a route in ten seconds, with their number`()
        async throws
    {
        let lines = LogLines()
        try await withServer(logger: lines.logger) { postgres, app in
            try await app.signUp("ann")
            try await postgres.stop()
            let began = ContinuousClock.now
            for _ in 0..<15 {
                for path in ["/v1/me", "/v1/friends"] {
                    try judgeUnavailable(await app.get(path, as: "u-ann"), path)
                }
            }
            let failed = lines.all.filter { $0.contains("requests failed") }
            // A call that the stop hit itself may fail otherwise than those after it.
            let pauses = Int((ContinuousClock.now - began) / .seconds(10))
            #expect((2...(6 + 2 * pauses)).contains(failed.count), "\(failed)")
            for route in ["/v1/me", "/v1/friends"] {
                #expect(
                    failed.contains { $0.contains("requests=1") && $0.hasSuffix("route=\(route)") },
                    "\(failed)")
            }
            #expect(failed.allSatisfy { $0.hasPrefix("error: ") && $0.contains("method=GET") })
            #expect(!lines.all.contains { $0.contains("request failed") })
            try await postgres.start()
        }
    }

    @Test(arguments: ["08006", "57P01", "XX000"])
    func `what Citus answers when it loses a worker is an outage`(sqlState: String) async throws {
        let db = try Database(Database.Configuration(url: try await TestPostgres.shared.database()))
        let text = "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(sqlState)'; END $$"
        do {
            try await db.write.run(Statement(text: text))
            Issue.record("it was carried out")
        } catch let error as PostgresError {
            #expect(error.sqlState == sqlState && error.isOutage)
        }
        await db.close()
    }

    @Test(arguments: [false, true])
    func `without a database every call is a 503, and all calls work again once it is back`(crashes: Bool)
        async throws
    {
        try await withServer { postgres, app in
            try await app.signUp("ann")
            // This server does not sync: without a checkpoint, a crash would lose data.
            try await app.db.withConnection { try await $0.script("CHECKPOINT") }
            let before = try await app.footprint()
            if crashes { try await postgres.kill() } else { try await postgres.stop() }
            try await withThrowingDiscardingTaskGroup { group in
                for call in BadInputTests.calls
                where !call.isConstant && !call.isForKeys && call.path != "/hooks/appstore" {
                    group.addTask {
                        let answer = try await app.call(call.method, call.path, as: "u-ann", body: call.body)
                        try judgeUnavailable(answer, "\(call.method) \(call.path)")
                    }
                }
            }
            #expect(try await app.get("/robots.txt").status == 200)
            #expect(try await app.get("/v1/me").status == 401, "who calls is known without it")
            try await postgres.start()
            try await waitUntil("it is back") { try await app.get("/v1/blocks", as: "u-ann").status == 200 }
            #expect(try await app.footprint() == before)
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            #expect(try await app.get("/v1/users/u-bob", as: "u-ann")["relationship"] == "friends")
        }
    }

    @Test func `if the server stops during sign-ups, none is half-written and no answered one is lost`()
        async throws
    {
        try await withServer { postgres, app in
            try await app.signUp("ann")
            let answered = Answered()
            async let done: Void = signUpMany(app, 120, answered)
            try await waitUntil("some have signed up") { await answered.with(201).count >= 10 }
            try await postgres.stop()
            try await done
            try await postgres.start()
            try await waitUntil("it is back") { try await app.get("/v1/blocks", as: "u-ann").status == 200 }
            #expect(await answered.with(503).count > 0, "the stop hit some")
            try await checkNothingLost(app, answered)
        }
    }

    @Test func `if connections break during sign-ups, none is lost, and repeated ones are written once`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answered = Answered()
            let killer = try Database(Database.Configuration(url: app.app.config.database.url))
            let killing = Task {
                var killed = 0
                while !Task.isCancelled {
                    // Kills again only after another user got an answer, so that every kill can hit a
                    // sign-up.
                    let before = await answered.total
                    // The cancellation at the end may interrupt it.
                    let struck = try? await killer.write.run(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                          AND application_name LIKE 'kith %' AND state IS NOT NULL
                        """)
                    killed += struck ?? 0
                    while await answered.total < before + 5, !Task.isCancelled { await Task.yield() }
                }
                return killed
            }
            try await signUpMany(app, 200, answered)
            killing.cancel()
            #expect(await killing.value > 0)
            await killer.close()
            #expect(await answered.total == 200)
            try await checkNothingLost(app, answered)
        }
    }

    /// The statuses that each user got.
    private actor Answered {
        private(set) var statuses: [String: [Int]] = [:]

        var total: Int { statuses.count }

        func note(_ uid: String, _ status: Int) {
            statuses[uid, default: []].append(status)
        }

        func with(_ status: Int) -> [String] {
            statuses.filter { $0.value == [status] }.map(\.key)
        }
    }

    private func signUpMany(_ app: TestApp, _ count: Int, _ answered: Answered) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in stride(from: worker, to: count, by: 8) {
                        let answer = try await signUp(app, "guest\(number)")
                        #expect([201, 503].contains(answer.status), "\(answer.text)")
                        await answered.note("u-guest\(number)", answer.status)
                    }
                }
            }
        }
    }

    private func signUp(_ app: TestApp, _ name: String) async throws -> TestApp.Answer {
        let body: Body = ["username": name, "invite": TestApp.link("ann", "u-ann")]
        return try await app.post("/v1/signup", as: "u-\(name)", body)
    }

    /// A user who got a 201 exists completely; a user who got a 503 exists completely or not at all, and a
    /// retry is answered 201 or 200.
    private func checkNothingLost(_ app: TestApp, _ answered: Answered) async throws {
        let (done, failed) = (await answered.with(201), await answered.with(503))
        let present = try await whole(app)
        for uid in done { #expect(present.contains(uid), "\(uid) was answered 201") }
        #expect(try await parts(app) == present.count * Self.partsOfOne)
        for uid in failed {
            let answer = try await signUp(app, String(uid.dropFirst(2)))
            #expect(answer.status == (present.contains(uid) ? 200 : 201), "\(uid): \(answer.text)")
            #expect(answer["invite.friendship"] == "friends")
            #expect(try await signUp(app, String(uid.dropFirst(2))).bytes == answer.bytes)
        }
        let total = done.count + failed.count
        #expect(try await whole(app).count == total)
        #expect(try await parts(app) == total * Self.partsOfOne)
        #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == String(total))
        try await app.verify()
    }

    /// The uids of the users who have every part of a sign-up by Ann's link, each exactly once.
    private func whole(_ app: TestApp) async throws -> Set<String> {
        let ann = User.ID(of: User.UID(stored: "u-ann"))
        let uids = try await app.db.read.query(
            """
            SELECT u.uid FROM users u
            JOIN signups s ON s.user_id = u.id AND s.outcome = 'accepted' AND s.inviter_uid = 'u-ann'
            JOIN usernames n ON n.name_key = u.username AND n.user_id = u.id AND n.state = 'active'
            JOIN username_periods p ON p.user_id = u.id AND p.valid_to IS NULL AND p.name_key = n.name_key
            JOIN acceptances a ON a.invitee_id = u.id AND a.inviter_id = \(ann)
            JOIN relationships mine ON mine.user_id = u.id AND mine.other_id = \(ann) AND mine.since IS NOT NULL
            JOIN relationships hers ON hers.user_id = \(ann) AND hers.other_id = u.id AND hers.since = mine.since
            WHERE mine.other_uid = 'u-ann' AND hers.other_uid = u.uid
            """
        ) { try $0.next(as: String.self) }
        #expect(Set(uids).count == uids.count)
        return Set(uids)
    }

    private static let partsOfOne = 9

    /// The number of rows that sign-ups wrote, but for Ann's own six.
    private func parts(_ app: TestApp) async throws -> Int {
        try await app.footprint().values.reduce(0) { $0 + (Int($1.prefix { $0.isNumber }) ?? 0) } - 6
    }
}
