import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Events
@testable import Kernel
@testable import Kith
@testable import Web

/// What a server says of its counting.
@Suite(.inTurns) struct CountServiceTests {
    private func lag(_ metrics: CountMetrics) -> Int? {
        metrics.metricsText().split(separator: "\n").first { $0.hasPrefix("kith_counts_lag_seconds ") }
            .flatMap { Int($0.split(separator: " ")[1]) }
    }

    @Test func `while nothing can be counted the lag grows, and afterwards all is counted`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await EventStore(db: app.db).number()
            try await app.db.write.run("UPDATE events SET at = at - interval '100 seconds'")
            try await app.db.write.run("ALTER TABLE counts RENAME TO gone")
            let metrics = CountMetrics()
            let service = CountService(app.app.counting, metrics: metrics, logger: TestApp.quiet)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                try await waitUntil("it is behind") { lag(metrics) ?? 0 >= 100 }
                try await app.db.write.run("ALTER TABLE gone RENAME TO counts")
                try await waitUntil("it is not behind") { lag(metrics) == 0 }
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(try await app.count("counts WHERE measure = 'people.sign_ups'") == 1)
        }
    }

    @Test func `each server says how long the oldest has waited, also one that counts nothing`() async throws
    {
        try await TestApp.run { app in
            let other = try App(app.app.config, db: app.db, logger: TestApp.quiet).counting
            for table in ["clicks", "events"] {
                if table == "clicks" {
                    try await app.db.write.run(
                        "INSERT INTO clicks (link, event, platform) VALUES ('https://go.example.com/a', 'page', 'ios')"
                    )
                } else {
                    try await app.signUp("ann")
                    try await EventStore(db: app.db).number()
                }
                try await app.db.write.run(
                    Statement(text: "UPDATE \(table) SET at = now() - interval '1 hour'"))
                let waited = try await other.lag()
                #expect((3600..<3700).contains(waited), "\(table)")
                try await app.count()
                #expect(try await other.lag() == 0, "\(table)")
            }
        }
    }

    @Test func `what waited still waits while nobody can look`() {
        let metrics = CountMetrics()
        metrics.see(lag: 40)
        #expect(lag(metrics) == 40)
        metrics.see(lag: nil)
        #expect(lag(metrics) ?? 0 >= 40)
        metrics.see(lag: 0.5)
        #expect(lag(metrics) == 0)
    }

    @Test func `levels are looked at again after a clock that was a year ahead`() async throws {
        try await TestApp.run { app in
            let hour = try #require(
                try await app.db.read.first("SELECT floor(extract(epoch FROM now()) / 3600)::int8") {
                    try $0.next(as: Int64.self)
                })
            try await app.db.write.run(
                "UPDATE count_positions SET position = \(hour + 365 * 24) WHERE source = 'levels'")
            try await app.count()
            #expect(
                try await app.count("counts WHERE measure = 'people.accounts' AND day >= current_date - 1")
                    == 1)
            let position = try await CountStore(db: app.db).position(of: "levels")
            #expect((hour...hour + 1).contains(position))
        }
    }

    @Test func `a sum that nobody can read is told, and numbers go on`() async throws {
        let log = LogLines()
        try await TestApp.run(logger: log.logger) { app in
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, parts)
                SELECT '', 'people.sign_ups', d::date, 5, '[]' FROM unnest(ARRAY[now(), now() - interval '1 day']) AS d
                """)
            try await app.signUp("ann")
            try await app.count()
            let key = try await APIKeyStore(db: app.db).create(name: "reader", scope: .viewer)
            let answer = try await app.get(
                "/v1/admin/numbers/people.sign_ups?by=cause", headers: [.authorization: "Bearer \(key)"])
            #expect(answer["total"] == "11", "\(answer.text)")
            let lines = log.all.filter { $0.contains("a sum cannot be read") }
            #expect(
                lines.count == 1 && lines.first?.contains("measure=people.sign_ups") == true, "\(log.all)")
            #expect(app.app.countMetrics.metricsText().contains("kith_counts_unreadable_total 1"))
        }
    }
}
