import Postgres
import Testing

@testable import AppTesting
@testable import Kith
@testable import Links

/// Counts of long ago.
extension ClickTests {
    /// Counts by day, months or days before this one.
    private func count(
        _ app: TestApp, _ link: String, _ day: String, _ event: String, _ platform: String, _ count: Int
    )
        async throws
    {
        let row = "('\(link)', (\(day))::date, '\(event)', '\(platform)', \(count))"
        try await app.db.write.run(
            Statement(text: "INSERT INTO click_counts (link, day, event, platform, count) VALUES \(row)"))
    }

    private func totals(_ app: TestApp) async throws -> [String] {
        try await app.db.write.query(
            "SELECT concat_ws(' ', link, event, platform, sum(count)) FROM click_counts GROUP BY link, event, platform ORDER BY 1"
        ) { try $0.next() }
    }

    @Test func `days of long ago become months, with the same totals, however many servers sum them`()
        async throws
    {
        try await run(days: 2) { app, _ in
            var policy = app.app.config.clicks
            policy.countDays = 31
            let store = ClickStore(db: app.db, policy: policy)
            try await store.keepDays()
            let old = "date_trunc('month', now()) - interval '5 months'"
            let (last, edge) = (
                "\(old) - interval '1 day'", "date_trunc('month', now() - interval '31 days')"
            )
            for link in (0..<700).map({ "l-\($0)" }) {
                try await count(app, link, "\(old) + interval '4 days'", "page", "ios", 2)
            }
            for (day, platform, number) in [
                (old, "ios", 1), ("\(old) + interval '1 day'", "ios", 10),
                ("\(old) + interval '27 days'", "ios", 100),
                ("\(old) + interval '27 days'", "android", 1000), (last, "ios", 7),
                ("\(edge) - interval '1 day'", "other", 3),
                (edge, "ios", 20), ("\(edge) + interval '1 day'", "ios", 40), ("now()", "ios", 5),
            ] { try await count(app, "x", day, "page", platform, number) }
            try await count(app, "x", "\(old) + interval '1 day'", "redirect", "ios", 9)
            let before = try await totals(app)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await store.keepMonths() } }
                try await group.waitForAll()
            }
            try await store.keepMonths()
            #expect(try await totals(app) == before)
            let kept = try await app.db.write.query(
                Statement(
                    text: """
                        SELECT concat_ws(' ', event, platform, count, CASE
                            WHEN day = (\(old))::date THEN 'old' WHEN extract(day FROM day) = 1 AND day < (\(edge))::date THEN 'month' ELSE 'recent' END)
                        FROM click_counts WHERE link = 'x' ORDER BY 1
                        """)
            ) { try $0.next(as: String.self) }
            #expect(
                kept == [
                    "page android 1000 old", "page ios 111 old", "page ios 20 recent", "page ios 40 recent",
                    "page ios 5 recent", "page ios 7 month", "page other 3 month", "redirect ios 9 old",
                ])
            #expect(
                try await app.count("click_counts WHERE link LIKE 'l-%' AND extract(day FROM day) = 1") == 700
            )
            try await app.verify()
        }
    }

    @Test func `days of which single clicks are kept stay, even if nobody could drop those`() async throws {
        try await run(days: 2) { app, _ in
            var policy = app.app.config.clicks
            policy.countDays = 31
            let store = ClickStore(db: app.db, policy: policy)
            try await store.keepDays()
            try await app.db.write.run(
                "CREATE TABLE clicks_20200115 PARTITION OF clicks FOR VALUES FROM ('2020-01-15') TO ('2020-01-16')"
            )
            try await app.db.write.run(
                "INSERT INTO clicks (link, day, at, event, platform) VALUES ('x', '2020-01-15', now(), 'page', 'ios')"
            )
            for day in ["2019-12-30", "2020-01-15", "2020-02-02"] {
                try await count(app, "x", "'\(day)'", "page", "ios", 1)
            }
            try await store.keepMonths()
            let days = try await app.db.write.query("SELECT day::text FROM click_counts ORDER BY day") {
                try $0.next(as: String.self)
            }
            #expect(days == ["2019-12-01", "2020-01-15", "2020-02-02"])
            try await app.verify()
        }
    }
}
