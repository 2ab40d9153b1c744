import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// The files of `bench/pgbench` contain the statements exactly as the product sends them.
@Suite(.inTurns) struct BenchStatementsTests {
    @Test func `bench/pgbench has exactly the statements of the product`() async throws {
        let database = try await TestPostgres.shared.migratedDatabase()
        let proxy = try Proxy(to: database)
        defer { proxy.close() }
        try await TestApp.run(configure: { $0.database.url = proxy.url(instead: database) }) { app in
            // In the order of their ids.
            let people = ["one", "two", "three", "four"].sorted { Self.id("u-\($0)") < Self.id("u-\($1)") }
            for name in people where name != people[2] { try await app.signUp(name) }
            try await expectPairs(File(proxy: proxy), app, people)
            try await expectReads(File(proxy: proxy), app, people[0])
        }
    }

    private func expectPairs(_ file: File, _ app: TestApp, _ people: [String]) async throws {
        let (low, high, newcomer, inviter) = (people[0], people[1], people[2], people[3])
        try await file.expect(
            "befriend.sql", "Two become friends: low asks, high accepts. low has the smaller user id.",
            names: { _ in Self.pair(low, high) }
        ) {
            try await app.befriend("u-\(low)", "u-\(high)")
        }
        var names = [
            Self.id("u-\(newcomer)"): "id", "u-\(newcomer)": "uid", newcomer: "name",
            Self.id("u-\(inviter)"): "inviter_id", inviter: "inviter_name",
        ]
        try await file.expect(
            "signup.sql",
            "One sign-up by the permanent link of a user. The row with the smaller user id comes first.",
            names: { $0.hasPrefix("SELECT change_relationship") ? Self.pair(newcomer, inviter) : names }
        ) {
            let invite = TestApp.link(inviter, "u-\(inviter)")
            let answer = try await app.post(
                "/v1/signup", as: "u-\(newcomer)", ["username": newcomer, "invite": invite])
            names[try #require(answer["link.code"])] = "code"
        }
    }

    private func expectReads(_ file: File, _ app: TestApp, _ name: String) async throws {
        let id = Self.id("u-\(name)")
        try await file.expect(
            "landing.sql",
            "The read of a landing page: :id is that of `invitedBy`, :name the folded name in the path.",
            names: { _ in [id: "id", name: "name"] }
        ) {
            // A program, whose visit does not count.
            _ = try await app.get(
                "/users/\(name)?invitedBy=u-\(name)", headers: [.userAgent: "Twitterbot/1.0"])
        }
        // The first page of a process also reads the key of cursors.
        _ = try await app.get("/v1/friends?limit=50", as: "u-\(name)")
        // The planner would optimize a NULL cursor away: an id that no row exceeds does the same work.
        try await file.expect(
            "friends.sql", "A page of friends: :id lists 50.", names: { _ in [id: "id"] },
            null: ["uuid": "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]
        ) {
            _ = try await app.get("/v1/friends?limit=50", as: "u-\(name)")
        }
    }

    private static func pair(_ low: String, _ high: String) -> [String: String] {
        [
            id("u-\(low)"): "low_id", "u-\(low)": "low_uid", id("u-\(high)"): "high_id",
            "u-\(high)": "high_uid",
        ]
    }

    static func id(_ uid: String) -> String { "\(User.ID(of: User.UID(stored: uid)).uuid)".lowercased() }

    /// The statements of one call, as the text of a file of `bench/pgbench`.
    private struct File {
        let proxy: Proxy

        func expect(
            _ name: String, _ about: String, names: (String) -> [String: String],
            null: [String: String] = [:],
            _ call: () async throws -> Void
        ) async throws {
            let before = proxy.sent.map(\.count)
            try await call()
            let sent = proxy.sent.enumerated().flatMap { index, sent in
                sent.dropFirst(index < before.count ? before[index] : 0)
            }.filter { !$0.sql.contains(/^SET |^DEALLOCATE |set_config|pg_backend_pid/) }
            var text =
                "-- \(about)\n-- The product's own statements, written by BenchStatementsTests.swift.\n"
            for statement in sent { text += try statement.text(names(statement.sql), null: null) + ";\n" }
            let path = "bench/pgbench/\(name)"
            if ProcessInfo.processInfo.environment["KITH_TEST_WRITE_BENCH"] != nil {
                let file = RepositoryFile.root.appending(path: path)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
            #expect(
                try RepositoryFile.read(path) == text,
                """
                The product sends other statements than \(name) has. Write it anew: KITH_TEST_WRITE_BENCH=1 swift test \
                --filter BenchStatementsTests
                """)
        }
    }
}

extension SentStatement {
    /// The SQL with its values; named ones as `:name`.
    fileprivate func text(_ names: [String: String], null: [String: String]) throws -> String {
        var sql = sql
        for (index, value) in values.enumerated().reversed() {
            let (text, type) = try value.read()
            let isPlain = type == "bool" || type == "int8"
            let literal = text.map { text in
                names[text].map { ":\($0)" } ?? (isPlain ? text : "'\(text.replacing("'", with: "''"))'")
            }
            let cast = literal != nil && isPlain ? "" : type.map { "::\($0)" } ?? ""
            let isOfOne = literal != nil && ["text[]", "uuid[]"].contains(type)
            let written = literal.map { isOfOne ? "ARRAY[\($0)]" : $0 } ?? null[type ?? ""] ?? "NULL"
            sql = sql.replacing("$\(index + 1)", with: written + cast)
        }
        return sql
    }
}

extension SentStatement.Value {
    struct Unreadable: Error { let oid: UInt32 }

    /// A value as text, or the only element of an array, with the name of its type.
    fileprivate func read() throws -> (text: String?, type: String?) {
        let types: [UInt32: String] = [
            16: "bool", 20: "int8", 25: "text", 701: "float8", 1009: "text[]", 1016: "int8[]",
            1184: "timestamptz",
            2950: "uuid", 2951: "uuid[]",
        ]
        guard let bytes else { return (nil, types[oid]) }
        func integer(_ bytes: some Sequence<UInt8>) -> Int64 {
            Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
        switch oid {
        case 16: return (bytes == [1] ? "true" : "false", types[oid])
        case 20: return ("\(integer(bytes))", types[oid])
        case 25: return (String(decoding: bytes, as: UTF8.self), types[oid])
        case 701: return ("\(Double(bitPattern: UInt64(bitPattern: integer(bytes))))", types[oid])
        case 1184 where integer(bytes) % 86_400_000_000 == 0:
            // Microseconds since 2000: pgbench would take the colons of a time for variables.
            let date = Date(timeIntervalSince1970: 946_684_800 + Double(integer(bytes)) / 1_000_000)
            return (date.formatted(.iso8601.year().month().day()), types[oid])
        case 1009 where integer(bytes[12..<16]) == 1, 2951 where integer(bytes[12..<16]) == 1:
            let element = Self(oid: oid == 1009 ? 25 : 2950, bytes: Array(bytes[24...]))
            return (try element.read().text, types[oid])
        case 1016:
            // One dimension: 20 bytes, then each element with its length.
            let items = stride(from: 20, to: bytes.count, by: 12).map {
                "\(integer(bytes[($0 + 4)..<($0 + 12)]))"
            }
            return ("{\(items.joined(separator: ","))}", types[oid])
        case 2950:
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            let groups = [digits[..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10...]]
            return (groups.map { $0.joined() }.joined(separator: "-"), types[oid])
        default: throw Unreadable(oid: oid)
        }
    }
}
