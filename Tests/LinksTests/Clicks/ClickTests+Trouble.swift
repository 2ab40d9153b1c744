import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith
@testable import Links
@testable import Rollout
@testable import Web

/// Clicks while somebody reads them, while their tables are not ready, and while the database fails.
extension ClickTests {
    /// The names of the partitions of `clicks`, oldest first.
    private func partitions(_ app: TestApp) async throws -> [String] {
        try await app.db.write.query(
            """
            SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'clicks'::regclass ORDER BY 1
            """
        ) { try $0.next() }
    }

    private func run(_ app: TestApp, _ sql: String) async throws {
        try await app.db.write.run(Statement(text: sql))
    }

    /// Reads `clicks` in a transaction of its own, as somebody who analyses them does, while a test runs.
    private func reading(_ app: TestApp, _ test: () async throws -> Void) async throws {
        try await app.db.withConnection { session in
            try await session.script(
                "BEGIN; DECLARE everything CURSOR FOR SELECT * FROM clicks; FETCH everything")
            try await test()
            try await session.script("COMMIT")
        }
    }

    @Test func `while somebody reads clicks the next days get their partitions, and no visitor waits`()
        async throws
    {
        try await run { app, _ in
            let store = ClickStore(db: app.db, policy: app.app.config.clicks)
            try await store.keepDays()
            let days = try await partitions(app)
            try #require(days.count == 3)
            for day in days.dropFirst() { try await run(app, "DROP TABLE \(day)") }
            try await reading(app) {
                async let made: Void = store.keepDays()
                #expect(try await visit(app, .android).status == 302)
                try await made
                #expect(try await partitions(app) == days)
                #expect(try await visit(app, .android).status == 302)
            }
            #expect(try await kept(app).count == 2)
            #expect(app.app.metrics.text().contains(#"kith_clicks_total{record="lost"} 0"#))
        }
    }

    @Test func `a click is kept even if there is no partition at all`() async throws {
        try await run { app, _ in
            for day in try await partitions(app) { try await run(app, "DROP TABLE \(day)") }
            try #require(try await partitions(app) == [])
            #expect(try await visit(app, .android).status == 302)
            #expect(try await kept(app) == ["https://go.example.com/party redirect android"])
            #expect(try await partitions(app).count == 3)
            #expect(try await app.count("click_counts") == 1)
        }
    }

    @Test func `an old partition that somebody reads goes the next time, and nobody waits for them`()
        async throws
    {
        try await run(days: 2) { app, _ in
            let store = ClickStore(db: app.db, policy: app.app.config.clicks)
            try await store.keepDays()
            let days = try await partitions(app)
            try await run(
                app,
                "CREATE TABLE clicks_20200101 PARTITION OF clicks FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')"
            )
            try await reading(app) {
                try await store.keepDays()
                #expect(try await partitions(app) == ["clicks_20200101"] + days)
                #expect(try await visit(app, .android).status == 302)
                #expect(try await app.count("clicks") == 1)
            }
            try await store.keepDays()
            #expect(try await partitions(app) == days)
        }
    }

    @Test func `the log says why a visit was not counted`() async throws {
        let log = LogLines()
        try await run(logger: log.logger) { app, _ in
            try await run(app, "ALTER TABLE click_counts RENAME TO gone")
            for _ in 0..<3 { #expect(try await visit(app, .android).status == 302) }
            let lines = log.all.filter { $0.contains("visits are not counted") }
            #expect(lines.count == 1, "a line every ten seconds: \(lines)")
            #expect(lines.first?.hasPrefix("warning: ") == true)
            #expect(
                lines.first?.contains("click_counts") == true && lines.first?.contains("visits=1") == true)
        }
    }

    @Test func `a count that is locked costs only its own link visits`() async throws {
        try await run { app, _ in
            let clicks = app.app.clicks
            @Sendable func record(_ link: String) async {
                await clicks.record(
                    [.redirect], of: [ClickedLink(text: link)], by: ClickVisitor(platform: .android))
            }
            await record("locked")
            try await app.db.withConnection { session in
                try await session.script("BEGIN; UPDATE click_counts SET count = count")
                await withDiscardingTaskGroup { tasks in
                    for number in 0..<200 {
                        tasks.addTask { await record(number % 2 == 0 ? "locked" : "link \(number % 10)") }
                    }
                }
                try await session.script("COMMIT")
            }
            #expect(try await app.count("click_counts WHERE link = 'locked' AND count = 1") == 1)
            let others = try await app.db.read.first(
                "SELECT sum(count)::bigint FROM click_counts WHERE link <> 'locked'"
            ) { try $0.next(as: Int64.self) }
            // A busy machine may give up some of the hundred.
            #expect(others ?? 0 > 40)
        }
    }

    @Test func `while the salts are locked, visitors wait half a second together, not one after the other`()
        async throws
    {
        try await run { app, _ in
            try await app.db.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE visitor_salts IN ACCESS EXCLUSIVE MODE")
                let salts = VisitorSaltStore(db: app.db, world: .live)
                let began = ContinuousClock.now
                await withTaskGroup(of: Bool.self) { tasks in
                    for _ in 0..<60 { tasks.addTask { (try? await salts.today()) == nil } }
                    for await failed in tasks { #expect(failed) }
                }
                #expect(ContinuousClock.now - began < .seconds(20))
                try await session.script("COMMIT")
                #expect(try await salts.today().count == 32)
            }
        }
    }

    @Test(arguments: ["visitor_salts", "installs", "link_claims", "clicks", "exposures", "links"])
    func `what cannot be cleared away keeps nothing else from it`(broken: String) async throws {
        let log = LogLines()
        try await run(days: 2, logger: log.logger) { app, _ in
            let service = ExpiryService(
                db: app.db, clicks: ClickStore(db: app.db, policy: app.app.config.clicks),
                salts: VisitorSaltStore(db: app.db, world: .live), now: { Date() },
                logger: log.logger)
            try await app.db.write.run("INSERT INTO visitor_salts (day, salt) VALUES ('2020-01-01', '\\x00')")
            try await app.db.write.run(
                """
                INSERT INTO link_claims (link, installation, expires_at)
                VALUES ('x', '00000000-0000-0000-0000-000000000000', '2020-01-01Z')
                """)
            try await run(
                app,
                "CREATE TABLE clicks_20200101 PARTITION OF clicks FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')"
            )
            // Partitions of a table that has another name can be dropped all the same, but for one that a
            // view reads.
            let isPartitioned = broken == "clicks"
            try await run(
                app,
                isPartitioned
                    ? "CREATE VIEW gone AS SELECT FROM clicks_20200101"
                    : "ALTER TABLE \(broken) RENAME TO gone")
            await service.forget()
            try await run(app, isPartitioned ? "DROP VIEW gone" : "ALTER TABLE gone RENAME TO \(broken)")
            let told = log.all.filter { $0.contains("what has expired is kept") }
            #expect(told.count == 1, "\(log.all)")
            let old = [
                "visitor_salts": try await app.count("visitor_salts WHERE day = '2020-01-01'"),
                "link_claims": try await app.count("link_claims"),
                "clicks": try await partitions(app).filter { $0 == "clicks_20200101" }.count,
            ]
            for (table, count) in old { #expect(count == (table == broken ? 1 : 0), "\(table)") }
        }
    }
}
