import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts

/// Sums in the database: each thing once, whoever counts it.
@Suite(.inTurns) struct CountStoreTests {
    /// Numbers from 1 on, as a source. Each is a tally of a day.
    private struct NumberSource: CountSource {
        static let name = "events"
        var last: Int64
        var most = 7

        func next(after position: Int64) async throws -> CountedPart? {
            let part = Array((position + 1)...max(last, position + 1)).filter { $0 <= last }.prefix(most)
            guard let end = part.last else { return nil }
            return CountedPart(
                part.map { number in
                    Tally(
                        .init("", "numbers", on: "2026-11-2\(number % 3)"),
                        parts: [.platform: number % 2 == 0 ? "ios" : "android"])
                }, end: end, isFull: part.count == most)
        }
    }

    private func sums(_ app: TestApp) async throws -> [String] {
        try await app.db.write.query(
            "SELECT concat_ws(' ', subject, measure, day, count, parts) FROM counts ORDER BY 1"
        ) { try $0.next() }
    }

    @Test func `eight servers that count at once count each thing once`() async throws {
        try await TestApp.run { app in
            let store = CountStore(db: app.db)
            await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await Counting(store, [NumberSource(last: 300)]).countAll() }
                }
            }
            try await Counting(store, [NumberSource(last: 300)]).countAll()
            #expect(
                try await sums(app)
                    == (20...22).map {
                        #" numbers 2026-11-\#($0) 100 {"platform": {"ios": 50, "android": 50}}"#
                    })
        }
    }

    @Test func `what was counted before its rows could be taken away is not counted`() async throws {
        try await TestApp.run { (app) async throws in
            let store = CountStore(db: app.db)
            let tally = Tally(.init("", "numbers", on: "2026-11-21"))
            let gone: Statement = "DELETE FROM dismissals"
            func part(_ taking: [(statement: Statement, rows: Int)] = []) -> CountedPart {
                CountedPart([tally], end: 5, taking: taking, isFull: false)
            }
            #expect(try await !store.add(part([(gone, 1)]), of: "events", from: 0))
            #expect(try await !store.add(part(), of: "events", from: 4))
            #expect(try await sums(app) == [])
            #expect(try await store.position(of: "events") == 0)
            #expect(try await store.add(part([(gone, 0)]), of: "events", from: 0))
            #expect(try await !store.add(part(), of: "events", from: 0), "a second time")
            #expect(try await sums(app) == [" numbers 2026-11-21 1"])
        }
    }

    @Test func `different ones are counted over several parts`() async throws {
        try await TestApp.run { app in
            let store = CountStore(db: app.db)
            let key = Tally.Key("x", "visitors", on: "2026-11-21")
            let people = (0..<700).map { _ in UUID() }
            for (place, some) in [people[..<300], people[200..<600], people[600...]].enumerated() {
                let tallies = some.map { Tally(key, member: $0.firstBits) }
                let part = CountedPart(tallies, end: Int64(place + 1), isFull: false)
                #expect(try await store.add(part, of: "clicks", from: Int64(place)))
            }
            let sum = try await app.db.read.first("SELECT count, parts::text, members FROM counts") {
                try DaySum(row: &$0)
            }
            #expect(sum?.count == 800)
            #expect(abs((sum?.members?.count ?? 0) - 700) < 20)
        }
    }

    @Test func `days of long ago become months, with the same totals, however many servers merge them`()
        async throws
    {
        try await TestApp.run { app in
            let store = CountStore(db: app.db)
            let policy = CountPolicy(days: 31)
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, parts)
                SELECT 'link ' || n, 'links.page', date_trunc('month', now())::date - 150 + d, 1 + d % 3,
                       ('{"platform":{"ios":' || 1 + d % 3 || '}}')::jsonb
                FROM generate_series(1, 70) AS n, generate_series(0, 150) AS d
                """)
            func totals() async throws -> [String] {
                try await app.db.write.query(
                    """
                    SELECT concat_ws(' ', subject, date_trunc('month', day)::date, sum(count),
                                     sum((parts -> 'platform' ->> 'ios')::int))
                    FROM counts GROUP BY subject, date_trunc('month', day) ORDER BY 1
                    """
                ) { try $0.next() }
            }
            let before = try await totals()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await store.keepMonths(policy) } }
                try await group.waitForAll()
            }
            try await store.keepMonths(policy)
            #expect(try await totals() == before)
            let old = "day < date_trunc('month', now() - interval '31 days')::date"
            #expect(try await app.count("counts WHERE \(old) AND extract(day FROM day) <> 1") == 0)
            #expect(try await app.count("counts WHERE NOT (\(old)) AND extract(day FROM day) <> 1") > 0)
        }
    }
}
