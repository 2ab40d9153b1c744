import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Operations
@testable import Web

/// Who had a name, and who were friends, at a time.
@Suite(.inTurns) struct AsOfTests {
    private func name(_ app: TestApp, _ name: String, _ at: Date?, _ admin: HTTPFields) async throws
        -> TestApp.Answer
    {
        let query = at.map { "?at=\(Self.exact($0))" } ?? ""
        return try await app.asked("/v1/admin/usernames/\(name)\(query)", admin)
    }

    private func friends(
        _ app: TestApp, _ at: Date?, _ admin: HTTPFields, _ one: String = "u-ann", _ other: String = "u-bob"
    ) async throws -> TestApp.Answer {
        let query = at.map { "?at=\(Self.exact($0))" } ?? ""
        return try await app.asked("/v1/admin/friends/\(one)/\(other)\(query)", admin)
    }

    /// With microseconds.
    private static func exact(_ date: Date) -> String {
        let micros = date.microsecondsSince1970
        let second = JSON.timestamp(Date(microsecondsSince1970: micros - micros % 1_000_000)).prefix(19)
        return "\(second).\(String(micros % 1_000_000 + 1_000_000).dropFirst())Z"
    }

    private func times(_ app: TestApp, _ statement: Statement) async throws -> [Date] {
        try await app.db.read.query(statement) { try $0.next() }
    }

    @Test func `a name is whose it was from the first moment of a period to before its last`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.signUp("ann0", uid: "u-ann")
            try await app.age("u-ann", hours: 24 * 200)
            try await app.rename("u-ann", to: "ann1")
            try await app.age("u-ann", hours: 24 * 100)
            try await app.signUp("ann0", uid: "u-new")
            let starts = try await times(
                app, "SELECT valid_from FROM username_periods WHERE name_key = 'ann0' ORDER BY valid_from")
            let end = try #require(
                try await times(app, "SELECT valid_to FROM username_periods WHERE valid_to IS NOT NULL").first
            )
            let tick = 0.000_001
            for (at, answer, uid) in [
                (starts[0] - tick, "unknown", nil), (starts[0], "user", "u-ann"),
                (end - tick, "user", "u-ann"),
                (end, "unknown", nil), (starts[1] - tick, "unknown", nil), (starts[1], "user", "u-new"),
            ] as [(Date, String, String?)] {
                let found = try await name(app, "ann0", at, admin)
                #expect((found["answer"], found["user.uid"]) == (answer, uid), "\(found.text)")
                #expect((found["now.state"], found["now.owner.uid"]) == ("active", "u-new"))
            }
            for pasted in ["ANN0", "@ann0", "%40Ann0"] {
                #expect(try await name(app, pasted, nil, admin)["user.uid"] == "u-new")
            }
            #expect(try await name(app, "ann1", nil, admin)["user.uid"] == "u-ann")
        }
    }

    @Test func `a name that is held, reserved or never had says so, and who is behind it`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.signUp("ann0", uid: "u-ann")
            try await app.rename("u-ann", to: "ann1")
            let held = try await name(app, "ann0", nil, admin)
            #expect((held["answer"], held["now.state"], held["now.owner.uid"]) == ("nobody", "held", "u-ann"))
            try await app.age("u-ann", hours: 48)
            try await app.setStatus("deleted", of: "u-ann")
            let reserved = try await name(app, "ann1", nil, admin)
            #expect((reserved["answer"], reserved["now.state"]) == ("nobody", "reserved"))
            #expect(reserved["now.owner"] == nil && reserved["now.heldUntil"] != nil)
            let before = try await name(app, "ann1", Date() - 3600, admin)
            #expect((before["answer"], before["user"]) == ("unknown", nil))
            let never = try await name(app, "never", nil, admin)
            #expect((never["answer"], never["now.state"]) == ("nobody", "never"))
        }
    }

    @Test func `two were friends from the moment of the event to the moment of the next`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            _ = try await app.act(.unwant, "u-bob", on: "u-ann")
            try await app.befriend("u-bob", "u-ann")
            _ = try await app.act(.block, "u-ann", on: "u-bob")
            let log = try await times(
                app,
                "SELECT DISTINCT at FROM outbox WHERE type IN ('friend.created', 'friend.ended') ORDER BY at")
            try #require(log.count == 4)
            let tick = 0.000_001
            for isNumbered in [false, true] {
                if isNumbered { try await EventStore(db: app.db).number() }
                for (at, answer) in [
                    (log[0] - tick, "not_friends"), (log[0], "friends"), (log[1] - tick, "friends"),
                    (log[1], "not_friends"), (log[2] - tick, "not_friends"), (log[2], "friends"),
                    (log[3] - tick, "friends"), (log[3], "not_friends"),
                ] {
                    for (one, other) in [("u-ann", "u-bob"), ("u-bob", "u-ann")] {
                        let found = try await friends(app, at, admin, one, other)
                        #expect(found["answer"] == answer, "\(at) \(one): \(found.text)")
                    }
                }
                #expect(try await friends(app, log[2], admin)["since"] == JSON.timestamp(log[2]))
                #expect(try await friends(app, nil, admin)["friendsSince"] == nil)
            }
        }
    }

    @Test func `a suspension ends no friendship, and a deletion does`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            for uid in ["u-ann", "u-bob"] { try await app.setStatus("suspended", of: uid) }
            #expect(try await friends(app, nil, admin)["answer"] == "friends")
            let both = Date()
            for uid in ["u-ann", "u-bob"] { try await app.setStatus("active", of: uid) }
            _ = try await app.act(.unwant, "u-ann", on: "u-bob")
            #expect(try await friends(app, both, admin)["answer"] == "friends")
            try await app.befriend("u-ann", "u-bob")
            let again = Date()
            try await app.setStatus("deleted", of: "u-bob")
            #expect(try await friends(app, again, admin)["answer"] == "friends")
            #expect(try await friends(app, nil, admin)["answer"] == "not_friends")
        }
    }

    @Test func `before the log begins it is unknown, but for a friendship that stands`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "bob", "kim"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-kim")
            try await app.db.write.run("UPDATE users SET created_at = now() - interval '90 days'")
            try await app.db.write.run(
                "UPDATE relationships SET since = now() - interval '60 days' WHERE since IS NOT NULL")
            let month = Date() - 30 * 86_400
            let found = try await friends(app, month, admin)
            #expect(found["answer"] == "unknown", "\(found.text)")
            let begins = try #require(found["knownFrom"].flatMap { Date(rfc3339: $0) })
            #expect(begins > month && begins <= Date())
            #expect(try await friends(app, begins + 0.001, admin)["answer"] == "not_friends")
            let stands = try await friends(app, month, admin, "u-ann", "u-kim")
            #expect(stands["answer"] == "friends" && stands["since"] != nil)
            #expect(try await friends(app, Date() - 100 * 86_400, admin)["answer"] == "not_friends")
        }
    }

    @Test(
        arguments: [
            ("usernames/ann?at=yesterday", 400, "at"), ("usernames/ann?at=2026-02-30T00:00:00Z", 400, "at"),
            ("usernames/ann?at=2026-11-21", 400, "at"), ("usernames/ann?at=9999-01-01T00:00:00Z", 400, "at"),
            ("usernames/ann?at=2026-11-21T09:30:00", 400, "at"), ("usernames/ann?at=%00", 400, "at"),
            ("usernames/ann?at=a&at=b", 400, "at"), ("usernames/%FF", 400, "username"),
            ("usernames/%0A", 400, "username"),
            ("friends/u-ann/u-ann", 400, "other"), ("friends/u-ann/u-bob?at=1", 400, "at"),
            ("friends/u-ann/%0A", 404, nil),
            ("friends/u-ann/u-nobody", 404, nil), ("friends/%FF/u-bob", 404, nil),
            ("usernames/ann?at=0000-01-01T00:00:00Z", 400, "at"),
            ("usernames/ann?at=2020-11-21T09:30:00.123456789%2B09:00", 200, nil),
            ("usernames/ann?at=2020-11-21T09:30:00-09:30", 200, nil),
            ("usernames/ann?at=1700-01-01T00:00:00Z", 200, nil),
        ] as [(String, Int, String?)])
    func `a time, a name or a user that is none is refused by its name`(
        path: String, status: Int, field: String?
    ) async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let answer = try await app.get("/v1/admin/\(path)", headers: app.keyed())
            #expect((answer.status, answer["field"]) == (status, field), "\(answer.text)")
        }
    }
}

/// The pure rule.
@Suite struct FriendshipAsOfTests {
    private func day(_ number: Double) -> Date { Date(timeIntervalSince1970: number * 86_400) }

    private func answer(at day: Double, since: Double? = nil, _ changes: [(Double, Bool)] = [])
        -> FriendshipAsOf.Answer
    {
        FriendshipAsOf(
            since: since.map(self.day), bothSince: self.day(10),
            changes: changes.map { .init(at: self.day($0.0), areFriends: $0.1) }, logBegins: self.day(100)
        ).answer(at: self.day(day))
    }

    @Test func `what the log does not say is unknown before it begins, and was as it stayed afterwards`() {
        #expect(answer(at: 5) == .notFriends)
        #expect(answer(at: 50) == .unknown)
        #expect(answer(at: 100) == .notFriends)
        #expect(answer(at: 50, since: 50) == .friends(since: day(50)))
        #expect(answer(at: 49, since: 50) == .unknown)
        #expect(answer(at: 150, [(200, false)]) == .friends(since: nil))
        #expect(answer(at: 50, [(200, false)]) == .unknown)
        #expect(answer(at: 150, [(200, true)]) == .notFriends)
        #expect(answer(at: 250, [(200, true), (200, true)]) == .friends(since: day(200)))
        #expect(answer(at: 350, [(200, true), (300, false), (300, false)]) == .notFriends)
        #expect(answer(at: 450, [(200, true), (300, false), (400, true)]) == .friends(since: day(400)))
    }
}
