import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

/// Which versions call, counted by day, and no user.
@Suite(.inTurns) struct VersionCountTests {
    static func count(
        _ version: String, _ action: UpdatePolicy.Action = .none, day: String = "2026-10-01",
        app: String = "com.example.app"
    ) -> VersionCount {
        VersionCount(day: day, app: app, platform: .ios, version: version, action: action)
    }

    private static func service(_ app: TestApp) -> VersionCountService {
        VersionCountService(
            queue: app.app.versionCounts, store: VersionCountStore(db: app.db), active: app.app.active,
            named: { app.app.policies.latest?.rules.releases ?? [] }, logger: TestApp.quiet)
    }

    private static func rows(_ db: Database) async throws -> [String] {
        try await db.read.query(
            "SELECT concat_ws(' ', app, platform, version, action, count) FROM client_versions ORDER BY 1"
        ) { try $0.next() }
    }

    @Test func `a call counts once for its app, platform, version and answer, and for nobody else`()
        async throws
    {
        try await PolicyRoutesTests.run { app, key in
            for query in [
                "ios&version=3.9.0&os=17&installationId=i-1&app=com.example.app", "ios&version=03.9&os=17",
                "ios&version=3.9&os=15", "ios&version=5.2", "ios&version=5.2-beta", "ios",
                "android&version=9",
                "ios&version=5.2&app=com.stranger", "android&version=9&app=com.stranger",
            ] {
                #expect(try await app.get("/v1/policy?platform=\(query)", headers: key).status == 200)
            }
            #expect(try await app.get("/v1/policy?platform=x", headers: key).status == 400)
            #expect(try await Self.rows(app.db) == [])
            try await Self.service(app).flush()
            let expected = [
                "com.example.app android 9.0 none 1", "com.example.app ios 3.9 hard 2",
                "com.example.app ios 3.9 soft 1",
                "com.example.app ios 5.2 none 1", "com.example.app ios unreadable none 2",
                "other android 9.0 none 1",
                "other ios 5.2 none 1",
            ]
            #expect(try await Self.rows(app.db) == expected)
            let columns = try await app.db.read.query(
                "SELECT attname::text FROM pg_attribute WHERE attrelid = 'client_versions'::regclass AND attnum > 0"
            ) { try $0.next(as: String.self) }
            #expect(columns == ["app", "day", "platform", "version", "action", "count"])
            let metrics = app.app.metrics.text()
            for (answer, number) in ["hard": 2, "soft": 1, "unreadable": 2, "block": 0] {
                #expect(
                    metrics.contains(#"kith_policy_answers_total{answer="\#(answer)"} \#(number)"#),
                    "\(answer)")
            }
        }
    }

    @Test func `installations divide by the first number of their system, of any version`() async throws {
        try await PolicyRoutesTests.run { app, key in
            for query in [
                "ios&version=5.2&os=17.1&installationId=a", "ios&version=5.2&os=17.2&installationId=b",
                "ios&version=5.2&os=18&installationId=c", "ios&version=5.1&os=17&installationId=d",
                "ios&version=5.1&os=9999999999999999999999&installationId=e",
                "ios&version=5.1&os=41&installationId=f",
                "ios&version=5.1&os=x&installationId=g", "android&version=5.2&os=17&installationId=h",
            ] {
                #expect(try await app.get("/v1/policy?platform=\(query)", headers: key).status == 200)
            }
            try await Self.service(app).flush()
            for _ in 0..<2 { try await app.count() }
            let viewer = try await app.keyed()
            for (query, wanted) in [
                ("by=os&platform=ios", ["17": 3, "18": 1]), ("by=version&os=17", ["5.2": 3, "5.1": 1]),
                ("by=os&version=5.2", ["17": 3, "18": 1]),
            ] {
                let answer = try await app.get(
                    "/v1/admin/numbers/versions.installations?\(query)", headers: viewer)
                let series = (answer.json["series"] as? [[String: Any]] ?? []).reduce(into: [String: Int]()) {
                    $0[$1["value"] as? String ?? ""] = ($1["counts"] as? [Int])?.reduce(0, +)
                }
                #expect(series == wanted, "\(query): \(answer.text)")
            }
            let calls = try await app.get("/v1/admin/numbers/versions.calls?by=os", headers: viewer)
            #expect(calls.status == 400 && calls["field"] == "by")
        }
    }

    @Test func `servers that flush at once lose no count`() async throws {
        try await TestApp.run { app in
            let store = VersionCountStore(db: app.db)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for server in 0..<8 {
                    group.addTask {
                        let queue = VersionCountQueue()
                        let service = VersionCountService(
                            queue: queue, store: store, active: app.app.active, named: { [] },
                            logger: TestApp.quiet)
                        for round in 0..<20 {
                            for number in 0..<50 {
                                queue.add(Self.count("1.\((number * 7 + server) % 50)", .soft))
                            }
                            if round % 2 == 0 { try await service.flush() }
                        }
                        try await service.flush()
                    }
                }
                try await group.waitForAll()
            }
            let found = try await app.db.read.first(
                "SELECT sum(count)::bigint, count(*) FROM client_versions"
            ) {
                try [$0.next(as: Int64.self), $0.next(as: Int64.self)]
            }
            #expect(found == [8 * 20 * 50, 50])
        }
    }

    @Test func `counts wait while the database does not take them`() async throws {
        try await TestApp.run { app in
            let service = Self.service(app)
            try await app.db.write.run("ALTER TABLE client_versions RENAME TO gone")
            service.queue.add(Self.count("1.0"), VersionCalls(number: 3))
            await #expect(throws: PostgresError.self) { try await service.flush() }
            service.queue.add(Self.count("1.0"))
            try await app.db.write.run("ALTER TABLE gone RENAME TO client_versions")
            try await service.flush()
            #expect(try await Self.rows(app.db) == ["com.example.app ios 1.0 none 4"])
        }
    }

    @Test func `of made-up versions a day keeps two hundred, and the real ones`() async throws {
        try await TestApp.run { app in
            let service = Self.service(app)
            for number in 0..<6_000 {
                service.queue.add(Self.count("1.0"))
                service.queue.add(Self.count("7.\(number)"))
            }
            try await service.flush()
            service.queue.add(Self.count("8.0"))
            service.queue.add(Self.count("1.0"))
            try await service.flush()
            service.queue.add(Self.count("8.0", day: "2026-10-02"))
            try await service.flush()
            let rows = try await Self.rows(app.db)
            #expect(rows.contains("com.example.app ios 1.0 none 6001"))
            #expect(rows.filter { $0.contains(" 8.0 ") }.count == 1, "the next day has room again")
            #expect(
                try await app.count("client_versions WHERE day = '2026-10-01' AND version <> 'other'") == 201)
            #expect(try await app.count("client_versions") == 203)
            let sum = try await app.db.read.first("SELECT sum(count)::bigint FROM client_versions") {
                try $0.next(as: Int64.self)
            }
            #expect(sum == 12_003)
        }
    }

    @Test func `made-up versions push out neither usual ones nor those that a policy names`() async throws {
        try await PolicyRoutesTests.run { app, _ in
            let service = Self.service(app)
            let yesterday = ["1.0": 5, "1.1": 4, "unreadable": 1]
            for (version, number) in yesterday {
                service.queue.add(Self.count(version), VersionCalls(number: number))
            }
            try await service.flush()
            // More than the queue has room for, before any real one, and so again.
            let day = "2026-10-02"
            service.queue.add(Self.count("1.0", day: day))
            try await service.flush()
            for round in 0..<2 {
                for number in 0..<6_000 { service.queue.add(Self.count("7.\(round).\(number)", day: day)) }
                // 5.2 and 4.0 are a target and a bound of policies.
                for version in ["1.1", "5.2", "4.0", "unreadable", "8.0"] {
                    service.queue.add(Self.count(version, day: day))
                }
                try await service.flush()
            }
            let rows = try await app.db.read.query(
                "SELECT concat_ws(' ', version, count) FROM client_versions WHERE day = '2026-10-02'"
            ) { try $0.next(as: String.self) }
            #expect(
                Set(["1.0 1", "1.1 2", "5.2 2", "4.0 2", "unreadable 2"]).isSubset(of: rows), "\(rows)")
            #expect(!rows.contains { $0.hasPrefix("8.0 ") })
            #expect(rows.filter { $0.hasPrefix("7.") }.count == VersionCount.mostVersions)
            let sum = try await app.db.read.first(
                "SELECT sum(count)::bigint FROM client_versions WHERE day = '2026-10-02'"
            ) { try $0.next(as: Int64.self) }
            #expect(sum == 12_011)
        }
    }

    @Test func `a release that comes when made-up versions have all places has one of its own`() async throws
    {
        try await TestApp.run { app in
            let service = Self.service(app)
            for number in 0..<300 { service.queue.add(Self.count("7.\(number)")) }
            try await service.flush()
            for round in 0..<10 {
                for number in 0..<150 { service.queue.add(Self.count("8.\(round).\(number)")) }
                service.queue.add(Self.count("9.1"), VersionCalls(number: 7))
                try await service.flush()
            }
            let rows = try await Self.rows(app.db)
            // The first fourteen calls, which might have been anything, are among the others.
            #expect(rows.contains("com.example.app ios 9.1 none 56"), "\(rows.suffix(5))")
            #expect(!rows.contains { $0.contains(" 8.") })
            #expect(rows.count == VersionCount.mostVersions + 2)
        }
    }

    @Test func `calls that could not be written make no version frequent when they come again`() {
        let queue = VersionCountQueue()
        let calls = [Self.count("7.7"): VersionCalls(number: 1)]
        for round in 1...60 {
            let found = queue.frequent(with: calls)
            #expect(found.releases.isEmpty == (round < 60), "\(round)")
            if round > 40 { queue.remember(found.sums) }
        }
    }

    @Test func `of versions that were usual the most frequent fifty keep their places`() async throws {
        try await TestApp.run { app in
            let store = VersionCountStore(db: app.db)
            var counts: [VersionCount: Int] = [:]
            for number in 0..<60 { counts[Self.count("1.\(number)")] = number + 1 }
            counts[Self.count("2.0", app: "com.other")] = 1
            counts[Self.count("3.0", day: "2026-09-20")] = 1000
            try await store.add(counts)
            let place = VersionCount.Place(day: "2026-10-03", app: "com.example.app", platform: .ios)
            let usual = try await store.usual(before: [place])
            #expect(Set(usual.map(\.version)) == Set((10..<60).map { "1.\($0)" }))
            #expect(try await store.usual(before: []) == [])
        }
    }

    @Test func `old days go`() async throws {
        try await TestApp.run { app in
            let store = VersionCountStore(db: app.db)
            let today = String(JSON.timestamp(.now).prefix(10))
            try await store.add([Self.count("1.0", day: "2020-01-01"): 1, Self.count("1.0", day: today): 1])
            try await store.forgetOld()
            #expect(try await app.count("client_versions") == 1)
        }
    }

    @Test func `a server that is stopped writes what it counted`() async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let db = try Database(Database.Configuration(url: url))
        let key = try await APIKeyStore(db: db).create(name: "app", scope: .client)
        let server = try await KithServer.start(["KITH_DATABASE_URL": url])
        for _ in 0..<25 {
            let answer = try await server.call(
                "GET", "/v1/policy?platform=ios&version=1.2", key: key, for: nil)
            #expect(answer.status == 200 && answer.text.contains(#""action":"none""#), "\(answer.text)")
        }
        server.process.terminate()
        #expect(await server.exit().status == 0)
        #expect(try await Self.rows(db) == [" ios 1.2 none 25"])
        await db.close()
    }

    @Test func `operators see the counts of some days, of all apps or one`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed(.admin)
            try await VersionCountStore(db: app.db).add([
                Self.count("1.0"): 3, Self.count("1.1", .soft, day: "2026-10-02"): 2,
                Self.count("1.0", day: "2026-10-02", app: "com.other"): 1,
                VersionCount(
                    day: "2026-10-02", app: "com.other", platform: .android, version: "9.0", action: .block):
                    4,
            ])
            func counts(_ query: String) async throws -> [String] {
                let answer = try await app.get(
                    "/v1/admin/client-versions?from=2026-10-01&to=2026-10-02&\(query)", headers: admin)
                let counts = try #require(answer.json["counts"] as? [[String: Any]])
                return counts.map { count in
                    ["day", "version", "action", "count"].map { "\(count[$0] ?? "")" }.joined(separator: " ")
                }
            }
            #expect(
                try await counts("") == [
                    "2026-10-01 1.0 none 3", "2026-10-02 1.1 soft 2", "2026-10-02 9.0 block 4",
                    "2026-10-02 1.0 none 1",
                ])
            #expect(try await counts("app=com.other&platform=ios") == ["2026-10-02 1.0 none 1"])
            #expect(try await counts("platform=android") == ["2026-10-02 9.0 block 4"])
            for (query, field) in [
                ("from=2026-10-02&to=2026-10-01", "from"), ("from=2020-01-01&to=2026-10-01", "from"),
                ("to=2026-02-30", "to"),
                ("from=yesterday", "from"), ("platform=web", "platform"),
            ] {
                let answer = try await app.get("/v1/admin/client-versions?\(query)", headers: admin)
                #expect(answer.status == 400 && answer["field"] == field, "\(query) \(answer.text)")
            }
            let days = try await app.get("/v1/admin/client-versions", headers: admin)
            #expect(days["to"] == String(JSON.timestamp(.now).prefix(10)))
        }
    }
}
