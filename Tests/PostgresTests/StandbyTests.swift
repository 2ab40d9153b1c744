import EmbeddedPostgres
import Synchronization
import TestSupport
import Testing

@testable import Postgres

/// Reads that a standby may answer.
@Suite(.inTurns) struct StandbyTests {
    /// A `Database` on the primary that may ask the standby; `told` collects the troubles told of standbys.
    private func with(
        _ pair: StandbyPair, readURL: String? = nil, maxAge: Duration = .seconds(60),
        _ body: (Database, _ told: Told) async throws -> Void
    ) async throws {
        var configuration = Database.Configuration(url: pair.primary.url())
        configuration.standbys = .init(url: readURL ?? pair.standby.url(), maxAge: maxAge)
        let told = Told()
        let database = try Database(configuration) { told.note($0) }
        database.watchStandbys()
        do { try await body(database, told) } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    final class Told: Sendable {
        private let troubles = Mutex<[String?]>([])

        func note(_ event: Database.Event) {
            guard case .standby(_, let trouble) = event else { return }
            troubles.withLock { $0.append(trouble) }
        }

        var last: String? { troubles.withLock { $0.last ?? "nothing" } }
    }

    private func isOnStandby(_ database: Database, after: WALPosition? = nil) async throws -> Bool {
        try await database.allowingStandbys(within: .seconds(60), after: after) {
            try await database.read.first("SELECT pg_is_in_recovery()") { try $0.next(as: Bool.self) }
                ?? false
        }
    }

    @Test func `a read goes to the standby only if it may, and only once the standby has what it must find`()
        async throws
    {
        try await StandbyPair.run { pair in
            try await with(pair) { (database, told) async throws in
                try await waitUntil("it is used") { try await isOnStandby(database) }
                try await waitUntil("that is told") { told.last == nil }
                let plain = try await database.read.first("SELECT pg_is_in_recovery()") {
                    try $0.next(as: Bool.self)
                }
                #expect(plain == false)

                try await pair.onStandby("SELECT pg_wal_replay_pause()")
                try await database.write.run("CREATE TABLE new AS SELECT 1")
                let position = try #require(try await database.position())
                #expect(try await isOnStandby(database), "it is fresh enough")
                #expect(try await !isOnStandby(database, after: position))
                try await pair.onStandby("SELECT pg_wal_replay_resume()")
                try await waitUntil("it has it") { try await isOnStandby(database, after: position) }
                let found = try await database.allowingStandbys(within: .seconds(60), after: position) {
                    try await database.lists.run("SELECT * FROM new")
                }
                #expect(found == 1)
            }
        }
    }

    @Test func `a caller whom the primary answered first finds no older state later`() async throws {
        try await StandbyPair.run { pair in
            try await with(pair) { (database, _) async throws in
                try await waitUntil("it is used") { try await isOnStandby(database) }
                try await pair.onStandby("SELECT pg_wal_replay_pause()")
                try await database.write.run("CREATE TABLE new AS SELECT 1")
                let position = try #require(try await database.position())
                func isStandby() async throws -> Bool? {
                    try await database.read.first("SELECT pg_is_in_recovery()") { try $0.next(as: Bool.self) }
                }
                try await database.allowingStandbys(within: .seconds(60), after: position) {
                    #expect(try await isStandby() == false)
                    try await pair.onStandby("SELECT pg_wal_replay_resume()")
                    try await waitUntil("it has it") { try await isOnStandby(database, after: position) }
                    #expect(try await isStandby() == false)
                }
            }
        }
    }

    @Test func `a caller whose standby is lost asks the primary, not another standby that may be behind it`()
        async throws
    {
        try await StandbyPair.run { pair in
            let other = try await EmbeddedPostgres.start(following: pair.primary)
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await loseOne(of: pair, and: other)) } catch {
                outcome = .failure(error)
            }
            await other.end()
            try outcome.get()
        }
    }

    private func loseOne(of pair: StandbyPair, and other: EmbeddedPostgres) async throws {
        let hosts = try [pair.standby, other].map { server in
            String(try #require(server.url().firstMatch(of: /host=([^&]*)/)).1)
        }
        let both = pair.standby.url().replacing(
            "host=\(hosts[0])&port=5432", with: "host=\(hosts[0]),\(hosts[1])&port=5432,5432")
        try await with(pair, readURL: both) { (database, _) async throws in
            try await waitUntil("both may be used") {
                database.statistics.standbys?.standbys.allSatisfy { $0.age != nil } == true
            }
            try await waitUntil("one is used") { try await isOnStandby(database) }
            func socket() async throws -> String? {
                try await database.read.first(
                    "SELECT current_setting('unix_socket_directories') WHERE pg_is_in_recovery()"
                ) { try $0.next(as: String.self) }
            }
            try await database.allowingStandbys(within: .seconds(60)) {
                let first = try #require(try await socket())
                let (lost, kept) = first == hosts[0] ? (pair.standby, hosts[1]) : (other, hosts[0])
                try await lost.kill()
                try await waitUntil("others ask the other standby") {
                    try await database.allowingStandbys(within: .seconds(60)) { try await socket() } == kept
                }
                #expect(try await socket() == nil)
            }
        }
    }

    @Test func `an idle primary makes no standby look late, not even at the start of a page of its log`()
        async throws
    {
        try await StandbyPair.run { pair in
            try await pair.onPrimary("SELECT pg_switch_wal()")
            try await with(pair) { (database, _) async throws in
                try await waitUntil("it is used") { try await isOnStandby(database) }
                let position = try #require(try await database.position())
                try await waitUntil("it has everything") {
                    try await isOnStandby(database, after: position)
                }
            }
        }
    }

    @Test func `a lost standby fails no read, and is used again once it is back`() async throws {
        try await StandbyPair.run { pair in
            try await with(pair) { (database, told) async throws in
                try await waitUntil("it is used") { try await isOnStandby(database) }
                try await withThrowingTaskGroup { (group) async throws in
                    for _ in 0..<4 {
                        group.addTask { while !Task.isCancelled { _ = try await isOnStandby(database) } }
                    }
                    try await pair.standby.kill()
                    try await waitUntil("it is left") { told.last != nil }
                    let answered = database.statistics.standbys?.answered
                    for _ in 0..<100 { #expect(try await !isOnStandby(database)) }
                    #expect(database.statistics.standbys?.answered == answered)
                    try await pair.standby.start()
                    try await waitUntil("it is used again") { try await isOnStandby(database) }
                    group.cancelAll()
                    while let ended = await group.nextResult() {
                        if case .failure(let error) = ended, error is PostgresError { throw error }
                    }
                }
            }
        }
    }

    @Test func `a standby that stops to replay is left after the time allowed`() async throws {
        try await StandbyPair.run { pair in
            try await with(pair, maxAge: .seconds(3)) { (database, told) async throws in
                try await waitUntil("it is used") { try await isOnStandby(database) }
                try await pair.onStandby("SELECT pg_wal_replay_pause()")
                try await database.write.run("CREATE TABLE new AS SELECT 1")
                try await waitUntil("it is left") { told.last?.contains("behind") == true }
                try await pair.onStandby("SELECT pg_wal_replay_resume()")
                try await waitUntil("it is used again") { told.last == nil }
            }
        }
    }

    @Test func `a promoted standby is left`() async throws {
        try await StandbyPair.run { pair in
            try await with(pair) { (database, told) async throws in
                try await waitUntil("it is used") { try await isOnStandby(database) }
                try await pair.onStandby("SELECT pg_promote()")
                try await waitUntil("it is left") { told.last?.contains("promoted") == true }
                #expect(try await !isOnStandby(database))
            }
        }
    }

    @Test func `what is no standby of the database, or does not say how far it is, is not used`() async throws
    {
        try await StandbyPair.run { pair in
            try await pair.onPrimary("CREATE DATABASE other")
            try await pair.onPrimary("CREATE ROLE plain LOGIN")
            try await pair.onPrimary("REVOKE EXECUTE ON FUNCTION pg_last_wal_replay_lsn FROM PUBLIC")
            let cases = [
                (pair.primary.url(), "no standby"), (pair.standby.url(database: "other"), "another database"),
                (pair.standby.url().replacing("user=postgres", with: "user=plain"), "may not ask"),
            ]
            for (url, word) in cases {
                try await with(pair, readURL: url) { (database, told) async throws in
                    try await waitUntil(word) { told.last?.contains(word) == true }
                    #expect(try await !isOnStandby(database))
                }
            }
        }
    }

    @Test func `of two standbys the one that is well answers`() async throws {
        try await StandbyPair.run { pair in
            let standby = pair.standby.url()
            let host = try #require(standby.firstMatch(of: /host=([^&]*)/)).1
            let both = standby.replacing("host=\(host)&port=5432", with: "host=/nowhere,\(host)&port=1,5432")
            try await with(pair, readURL: both) { (database, _) async throws in
                #expect(database.standbyCount == 2)
                try await waitUntil("it is used") { try await isOnStandby(database) }
                let names = database.statistics.standbys?.standbys.map(\.name)
                #expect(names == ["/nowhere:1", "\(host):5432"])
            }
        }
    }
}

/// What is known of a standby, without a server.
struct PrimaryHistoryTests {
    private func position(_ timeline: Int64, _ byte: Int64) -> WALPosition {
        WALPosition(timeline: timeline, byte: byte)
    }

    @Test func `a position of a later timeline is later, and its text reads back`() {
        #expect(position(1, 900) < position(2, 100))
        #expect(position(2, 100) < position(2, 101))
        #expect(WALPosition("\(position(3, 0x16b3748))") == position(3, 0x16b3748))
        for text in ["", "-", "1", "1-", "-1-5", "1-5-6", "x-1", "1-fffffffffffffffff", "primary"] {
            #expect(WALPosition(text) == nil, "\(text)")
        }
    }
}
