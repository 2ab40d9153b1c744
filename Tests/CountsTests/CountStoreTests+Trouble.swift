import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts

/// Sums while somebody else counts, while a source fails, and after somebody wrote what nobody can read.
extension CountStoreTests {
    @Test func `what another server is counting waits for it, and for ten seconds if that server ends`()
        async throws
    {
        try await TestApp.run { app in
            let counting = Counting(CountStore(db: app.db), [NumberSource(last: 5)])
            try await app.db.write.run(
                "UPDATE count_positions SET held_until = now() + interval '10 seconds'")
            try await counting.countAll()
            #expect(try await app.count("counts") == 0)
            try await app.db.write.run("UPDATE count_positions SET held_until = now() - interval '1 second'")
            try await counting.countAll()
            #expect(try await app.count("counts") == 3)
            #expect(
                try await app.count("count_positions WHERE source = 'events' AND held_until IS NULL") == 1)
        }
    }

    @Test func `who could not count a part leaves it to others at once`() async throws {
        try await TestApp.run { app in
            let counting = Counting(CountStore(db: app.db), [NumberSource(last: 5)])
            try await app.db.write.run(
                "ALTER TABLE counts ADD CONSTRAINT no_numbers CHECK (measure <> 'numbers')")
            await #expect(throws: UncountedSource.self) { try await counting.countAll() }
            try await app.db.write.run("ALTER TABLE counts DROP CONSTRAINT no_numbers")
            try await counting.countAll()
            #expect(try await app.count("counts") == 3)
        }
    }

    @Test func `who fails once their hold is over does not release that of the next`() async throws {
        try await TestApp.run { app in
            let counting = Counting(CountStore(db: app.db), [NumberSource(last: 5)])
            let held = "count_positions WHERE source = 'events' AND held_until > now()"
            try await app.db.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE counts IN ACCESS EXCLUSIVE MODE")
                let failing = Task { try await counting.countAll() }
                try await waitUntil("the source is held") { try await app.count(held) == 1 }
                try await app.db.write.run(
                    "UPDATE count_positions SET held_until = now() + interval '1 hour'")
                try await session.script(
                    "ALTER TABLE counts ADD CONSTRAINT no_numbers CHECK (measure <> 'numbers')")
                try await session.script("COMMIT")
                await #expect(throws: UncountedSource.self) { try await failing.value }
            }
            #expect(try await app.count(held) == 1)
        }
    }

    /// A source that cannot be read.
    private struct BrokenSource: CountSource {
        static let name = "clicks"

        func next(after position: Int64) async throws -> CountedPart? { throw PostgresError.overloaded }
    }

    @Test func `a source that cannot be counted does not stop the others, and is named`() async throws {
        try await TestApp.run { app in
            let counting = Counting(CountStore(db: app.db), [BrokenSource(), NumberSource(last: 30)])
            let error = await #expect(throws: UncountedSource.self) { try await counting.countAll() }
            let sums = try await app.count("counts")
            #expect(error?.name == "clicks" && sums == 3)
        }
    }

    @Test(arguments: [
        "parts = '[]'", #"parts = '{"platform":{"ios":"x"}}'"#, "members = '\\x07'", "members = ''",
    ])
    func `a sum that nobody can read keeps its count, and its parts begin anew`(broken: String) async throws {
        try await TestApp.run { app in
            let told = Mutex<[Tally.Key]>([])
            let store = CountStore(db: app.db) { keys in told.withLock { $0 += keys } }
            try await app.db.write.run(
                "INSERT INTO counts (subject, measure, day, count) VALUES ('', 'numbers', '2026-11-21', 40)")
            try await app.db.write.run(Statement(text: "UPDATE counts SET \(broken)"))
            for _ in 0..<2 { try await Counting(store, [NumberSource(last: 5)]).countAll() }
            #expect(
                try await sums(app) == [
                    #" numbers 2026-11-20 1 {"platform": {"android": 1}}"#,
                    #" numbers 2026-11-21 42 {"platform": {"ios": 1, "android": 1}}"#,
                    #" numbers 2026-11-22 2 {"platform": {"ios": 1, "android": 1}}"#,
                ])
            #expect(told.withLock { $0 } == [Tally.Key("", "numbers", on: "2026-11-21")], "once")
            #expect(try await app.count("counts WHERE members IS NOT NULL") == 0)
        }
    }

    @Test func `a sum that is full stays full, and does not end the server`() async throws {
        try await TestApp.run { app in
            try await app.db.write.run(
                "INSERT INTO counts (subject, measure, day, count) VALUES ('', 'numbers', '2026-11-21', \(DaySum.most))"
            )
            await #expect(throws: PostgresError.self, "no row is fuller") {
                try await app.db.write.run("UPDATE counts SET count = count + 1")
            }
            try await Counting(CountStore(db: app.db), [NumberSource(last: 5)]).countAll()
            #expect(try await app.count("counts WHERE count = \(DaySum.most)") == 1)
            #expect(try await app.count("counts") == 3)
        }
    }

    @Test func `of different ones the count stays if nobody can read who they were`() async throws {
        try await TestApp.run { app in
            let store = CountStore(db: app.db)
            try await app.db.write.run(
                "INSERT INTO counts (subject, measure, day, count, members) VALUES ('', 'people', '2026-11-21', 40, '\\x07')"
            )
            let key = Tally.Key("", "people", on: "2026-11-21")
            let part = CountedPart([Tally(key, member: 7)], end: 5, isFull: false, way: .tellingApart)
            #expect(try await store.add(part, of: "active", from: 0))
            #expect(try await app.count("counts WHERE count = 40 AND octet_length(members) = 9") == 1)
        }
    }

    @Test func `a day that nobody can read goes into its month, with its count`() async throws {
        try await TestApp.run { app in
            let told = Mutex<[Tally.Key]>([])
            let store = CountStore(db: app.db) { keys in told.withLock { $0 += keys } }
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, parts)
                SELECT '', 'numbers', DATE '2020-01-01' + n, 10, '{"platform":{"ios":10}}'::jsonb FROM generate_series(0, 30) AS n
                """)
            try await app.db.write.run("UPDATE counts SET parts = '7' WHERE day = '2020-01-09'")
            try await store.keepMonths(CountPolicy())
            #expect(try await sums(app) == [#" numbers 2020-01-01 310 {"platform": {"ios": 300}}"#])
            #expect(told.withLock { $0 } == [Tally.Key("", "numbers", on: "2020-01-09")])
        }
    }
}
