import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kith
@testable import Links
@testable import Rollout
@testable import Visits
@testable import Web

/// Clicks while somebody reads them, while their tables are not ready, and while the database fails.
extension ClickTests {
    private func run(_ app: TestApp, _ sql: String) async throws {
        try await app.db.write.run(Statement(text: sql))
    }

    @Test func `the log says why a visit was not counted`() async throws {
        let log = LogLines()
        try await run(logger: log.logger) { app, _ in
            try await run(app, "ALTER TABLE clicks RENAME TO gone")
            for _ in 0..<3 { #expect(try await visit(app, .android).status == 302) }
            let lines = log.all.filter { $0.contains("visits are not counted") }
            #expect(lines.count == 1, "a line every ten seconds: \(lines)")
            #expect(lines.first?.hasPrefix("warning: ") == true)
            #expect(
                lines.first?.contains("clicks") == true && lines.first?.contains("visits=1") == true)
        }
    }

    @Test func `no visitor waits while sums are locked, and what they did is counted afterwards`()
        async throws
    {
        try await run { app, server in
            _ = try await visit(app, .android)
            try await app.count()
            try await app.db.withConnection { session in
                try await session.script("BEGIN; UPDATE counts SET count = count")
                for _ in 0..<3 { #expect(try await visit(app, .android).status == 302) }
                #expect(app.app.metrics.text().contains(#"kith_clicks_total{record="lost"} 0"#))
                try await session.script("COMMIT")
            }
            try await app.count()
            let stats = try await app.get("/v1/links/party/stats", headers: server)
            #expect(stats["total.click"] == "4", "\(stats.text)")
        }
    }

    @Test func `while the salts are locked, visitors wait half a second together, not one after the other`()
        async throws
    {
        try await run { app, _ in
            try await app.db.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE visitor_salts IN ACCESS EXCLUSIVE MODE")
                let salts = SaltStore(db: app.db, world: .live, zone: .gmt)
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

    @Test(arguments: ["visitor_salts", "installs", "link_claims", "counts", "exposures", "links"])
    func `what cannot be cleared away keeps nothing else from it`(broken: String) async throws {
        let log = LogLines()
        try await run(logger: log.logger) { app, _ in
            let service = ExpiryService(
                db: app.db, clicks: ClickStore(db: app.db, policy: app.app.config.counts),
                counts: app.app.countStore, salts: SaltStore(db: app.db, world: .live, zone: .gmt),
                now: { Date() },
                logger: log.logger)
            try await app.db.write.run(
                "INSERT INTO visitor_salts (day, span, salt) VALUES ('2020-01-01', 'day', '\\x00')")
            try await app.db.write.run(
                """
                INSERT INTO link_claims (link, installation, expires_at)
                VALUES ('x', '00000000-0000-0000-0000-000000000000', '2020-01-01Z')
                """)
            try await app.db.write.run(
                "INSERT INTO counts (subject, measure, day, count) VALUES ('x', 'links.page', '2020-01-02', 1)"
            )
            try await run(app, "ALTER TABLE \(broken) RENAME TO gone")
            await service.forget()
            try await run(app, "ALTER TABLE gone RENAME TO \(broken)")
            let told = log.all.filter { $0.contains("what has expired is kept") }
            #expect(told.count == 1, "\(log.all)")
            let old = [
                "visitor_salts": try await app.count("visitor_salts WHERE day = '2020-01-01'"),
                "link_claims": try await app.count("link_claims"),
                "counts": try await app.count("counts WHERE day = '2020-01-02'"),
            ]
            for (table, count) in old { #expect(count == (table == broken ? 1 : 0), "\(table)") }
        }
    }
}
