import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel

/// Sums in the database: each thing once, whoever counts it.
@Suite(.inTurns) struct CountStoreTests {
    /// Numbers from 1 on, as a source. Each is a tally of a day.
    struct NumberSource: CountSource {
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

    func sums(_ app: TestApp) async throws -> [String] {
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
            #expect(app.db.statistics.bulk.errors["KT"] == nil, "nothing that PostgreSQL would log")
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

    /// Numbers of a source that has as many as one likes, and that notes when it was asked.
    private struct EndlessSource: CountSource {
        static let name = "clicks"
        let asked: Asked

        func next(after position: Int64) async throws -> CountedPart? {
            guard asked.note("clicks") < 20 else { return nil }
            return CountedPart(
                [Tally(.init("", "numbers", on: "2026-11-20"))], end: position + 1, isFull: true)
        }
    }

    private struct ShortSource: CountSource {
        static let name = "active"
        let asked: Asked

        func next(after position: Int64) async throws -> CountedPart? {
            asked.note("active")
            return nil
        }
    }

    private final class Asked: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        @discardableResult
        func note(_ name: String) -> Int {
            names.withLock { names in
                names.append(name)
                return names.count
            }
        }
    }

    @Test func `a source of which very much waits does not keep the others waiting`() async throws {
        try await TestApp.run { app in
            let asked = Asked()
            let sources: [any CountSource] = [EndlessSource(asked: asked), ShortSource(asked: asked)]
            try await Counting(CountStore(db: app.db), sources).countAll()
            #expect(asked.all.prefix(3) == ["clicks", "active", "clicks"] && asked.all.count == 20)
        }
    }

    /// What somebody does to the sums after a part has read them and before it is written.
    @Test(arguments: [
        ("DELETE FROM counts", ["x numbers 2026-11-21 1"]),
        ("UPDATE counts SET count = count + 5", ["x numbers 2026-11-21 9"]),
        (
            "INSERT INTO counts (subject, measure, day, count) VALUES ('y', 'numbers', '2026-11-21', 5)",
            ["x numbers 2026-11-21 4", "y numbers 2026-11-21 6"]
        ),
    ])
    func `what changed while it was counted is read again, so that nothing comes back or is lost`(
        change: String, counted: [String]
    ) async throws {
        try await TestApp.run { app in
            let store = CountStore(db: app.db)
            try await app.db.write.run(
                "INSERT INTO counts (subject, measure, day, count) VALUES ('x', 'numbers', '2026-11-21', 3)")
            let subjects = counted.map { String($0.prefix(1)) }
            let part = CountedPart(
                subjects.map { Tally(.init($0, "numbers", on: "2026-11-21")) }, end: 5,
                // It runs in the middle of the transaction, as if somebody else had been faster.
                taking: [(Statement(text: change), nil)], isFull: false)
            #expect(try await !store.add(part, of: "events", from: 0))
            try await app.db.write.run(Statement(text: change))
            let again = CountedPart(part.tallies, end: 5, isFull: false)
            #expect(try await store.add(again, of: "events", from: 0))
            #expect(try await sums(app) == counted)
        }
    }

    @Test func `sums of a deleted account do not begin anew`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            _ = try await app.call(.delete, "/v1/me", as: "u-ann")
            let store = CountStore(db: app.db)
            for (uid, isCounted) in [("u-ann", false), ("u-bob", true)] {
                let id = User.ID(of: User.UID(stored: uid)).uuid.uuidString.lowercased()
                let part = CountedPart(
                    [Tally(.init(id, "invites.sign_ups", on: "2026-11-21"))], end: 5, isFull: false)
                #expect(try await store.add(part, of: "events", from: 0) == isCounted)
            }
        }
    }

    @Test(
        arguments: [
            ([], []), ([5], [[5]]), ([50], [[50]]), ([4, 6, 1], [[4, 6], [1]]),
            ([9, 50, 1, 2], [[9], [50], [1, 2]]),
        ] as [([Int64], [[Int64]])])
    func `months are merged some at a time, so that little is read at once`(sizes: [Int64], parts: [[Int64]])
    {
        let months = sizes.map { CountStore.Month(subject: "", measure: "", first: "", bytes: $0) }
        #expect(CountStore.Month.parts(of: months, mostBytes: 10).map { $0.map(\.bytes) } == parts)
    }

    @Test func `the size of a month is that of all its sums`() async throws {
        try await TestApp.run { app in
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, members)
                SELECT 'x', 'visitors', DATE '2020-01-01' + n, 1, decode(repeat('00', 10000), 'hex') FROM generate_series(0, 40) AS n
                """)
            let months = try await CountStore(db: app.db).months(before: "2026-01-01")
            let sizes = Dictionary(uniqueKeysWithValues: months.map { ($0.first, $0.bytes / 10_000) })
            #expect(sizes == ["2020-01-01": 31, "2020-02-01": 10])
        }
    }

    @Test func `of a level a month keeps what was last`() async throws {
        try await TestApp.run { app in
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                SELECT '', measure, DATE '2020-01-01' + n, 10 + n
                FROM generate_series(0, 30) AS n, unnest(ARRAY['people.accounts', 'people.sign_ups']) AS measure
                """)
            try await CountStore(db: app.db).keepMonths(CountPolicy(), levels: ["people.accounts"])
            #expect(
                try await sums(app) == [" people.accounts 2020-01-01 40", " people.sign_ups 2020-01-01 775"])
        }
    }

    @Test func `a month that somebody forgets while it is merged stays forgotten`() async throws {
        try await TestApp.run { app in
            let store = CountStore(db: app.db)
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                SELECT 'ann', 'invites.page', DATE '2020-01-01' + n, 1 FROM generate_series(0, 30) AS n
                """)
            let deletion = try await app.db.withConnection { session in
                try await session.script("BEGIN; DELETE FROM counts WHERE subject = 'ann'")
                let merging = Task { try await store.keepMonths(CountPolicy()) }
                try await waitUntil("it waits for the deletion") {
                    try await app.count(
                        "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
                        > 0
                }
                try await session.script("COMMIT")
                return merging
            }
            try await deletion.value
            #expect(try await sums(app) == [])
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
