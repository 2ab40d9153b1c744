import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// Delta sync: a client that follows `changes` knows the same as the lists show.
@Suite(.inTurns) struct FriendChangesTests {
    @Test
    func `the first sync returns everything by pages, the next one only changes, including tombstones`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 30)
            for uid in people[1...9] { try await app.befriend(people[0], uid) }
            for uid in people[10...14] { try await app.act(.want, people[0], on: uid) }
            for uid in people[15...19] { try await app.act(.want, uid, on: people[0]) }
            for uid in people[20...22] { try await app.act(.block, people[0], on: uid) }
            try await app.act(.unwant, people[0], on: people[1])
            var phone = SyncingPhone(app, people[0])
            try await phone.sync(limit: 4)
            #expect(try await phone.known == phone.truth())
            #expect(phone.known.count == 21)
            #expect(phone.names["u-p5"] == "p5")
            #expect(phone.received == 21, "each once, and no tombstone at first")

            phone.received = 0
            try await phone.sync()
            #expect(phone.received == 0)
            try await app.act(.unwant, people[2], on: people[0])
            try await app.act(.want, people[10], on: people[0])
            try await app.act(.unblock, people[0], on: people[20])
            try await app.act(.unwant, people[15], on: people[0])
            try await phone.sync(limit: 2)
            #expect(phone.received == 4)
            #expect(try await phone.known == phone.truth())
        }
    }

    @Test func `syncing returns a friend's new name, spelling and display name`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            var phone = SyncingPhone(app, "u-ann")
            try await phone.sync()
            try await app.rename("u-bob", to: "bobby")
            try await phone.sync()
            #expect(phone.names["u-bob"] == "bobby")
            try await app.rename("u-bob", to: "Bobby")
            try await phone.sync()
            #expect(phone.names["u-bob"] == "Bobby")
            let body: Body = ["displayName": "Bob B."]
            #expect(try await app.call(.patch, "/v1/me", as: "u-bob", body: body).status == 200)
            try await phone.sync()
            #expect(phone.displayNames["u-bob"] == "Bob B.")
            #expect(phone.known["u-bob"] == "friends")
        }
    }

    @Test(arguments: [1, 100])
    func `a new friend who then changes a name comes exactly once`(limit: Int) async throws {
        try await TestApp.run { app in
            for name in ["cat", "fay", "gus"] { try await app.signUp(name) }
            var phone = SyncingPhone(app, "u-cat")
            try await phone.sync()
            for name in ["fay", "gus"] {
                try await app.befriend("u-cat", "u-\(name)")
                let body: Body = ["displayName": "\(name)!"]
                #expect(try await app.call(.patch, "/v1/me", as: "u-\(name)", body: body).status == 200)
            }
            try await app.act(.unwant, "u-cat", on: "u-gus")
            phone.received = 0
            try await phone.sync(limit: limit)
            #expect(phone.received == 2)
            #expect(phone.known == ["u-fay": "friends"])
            #expect(phone.displayNames["u-fay"] == "fay!")
        }
    }

    @Test(arguments: ["suspended": "account_suspended", "deleted": "account_deleted"])
    func `syncing tells suspended and deleted users so, however old the cursor`(status: String, code: String)
        async throws
    {
        try await TestApp.run(configure: { $0.friends.ended = 0 }) { app in
            let people = try await app.people("p", 2)
            let next = try #require(try await app.get("/v1/me/changes", as: people[0])["next"])
            try await app.befriend(people[0], people[1])
            try await app.act(.unwant, people[0], on: people[1])
            let path = "/v1/me/changes?after=\(next)"
            #expect(try await app.get(path, as: people[0]).code == "reload_required")
            try await app.setStatus(status, of: people[0])
            let answer = try await app.get(path, as: people[0])
            #expect((answer.status, answer.code) == (403, code))
        }
    }

    @Test func `a transaction that began earlier and commits later is not missed`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 3)
            var phone = SyncingPhone(app, people[0])
            try await phone.sync()
            let slow = User.UID(stored: people[1])
            try await app.db.transaction { transaction in
                // It begins now, and writes and commits only after others have.
                _ = try await transaction.rows("SELECT pg_current_xact_id()")
                try await app.befriend(people[0], people[2])
                try await phone.sync()
                #expect(phone.known == [people[2]: "friends"])
                for statement in FriendStore.write(
                    .init(uid: User.UID(stored: people[0]), wants: true), .init(uid: slow, wants: true),
                    FriendLimits())
                {
                    _ = try await transaction.rows(statement)
                }
                try await phone.sync()
                #expect(phone.known[people[1]] == nil)
            }
            try await phone.sync()
            #expect(phone.known[people[1]] == "friends")
        }
    }

    @Test(arguments: [500, 2])
    func `a client that syncs while many users act ends with the true state, however few ends are kept`(
        ended: Int
    ) async throws {
        try await TestApp.run(configure: { $0.friends.ended = ended }) { app in
            let people = try await app.people("p", 12)
            var phone = SyncingPhone(app, people[0])
            try await phone.sync()
            let crowd = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for _ in 0..<60 {
                                let action = FriendAction.allCases.randomElement() ?? .want
                                let other = people.dropFirst().randomElement() ?? people[1]
                                let isMine = Bool.random()
                                try await app.act(
                                    action, isMine ? people[0] : other, on: isMine ? other : people[0])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            for _ in 0..<15 { try await phone.sync(limit: 3) }
            try await crowd.value
            // What is written beside an older transaction, of any test on this server, comes after that has
            // ended.
            try await waitUntil("the phone knows the true state") {
                try await phone.sync()
                return try await phone.known == phone.truth()
            }
            #expect((phone.reloads > 0) == (ended == 2))
            try await app.verify()
        }
    }

    @Test func `a cursor of another server, or of a state since lost, asks to reload`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 1)
            let user = User.ID(of: User.UID(stored: people[0]))
            let cursors = Cursors(keys: CursorKeyStore(db: app.db))
            let list = Cursors.List(name: "changes", owner: user.uuid)
            let (_, now, _) = try await FriendSyncStore(db: app.db).changes(of: user, from: nil, limit: 1)
            var (elsewhere, future) = (now, now)
            elsewhere.database = "1.2"
            (future.since, future.until) = (1, 1)
            for position in [elsewhere, future] {
                let after = try #require(try await cursors.text(position.cursor, list))
                let answer = try await app.get("/v1/me/changes?after=\(after)", as: people[0])
                #expect((answer.status, answer.code) == (410, "reload_required"))
            }
        }
    }

    @Test func `after kith restored every client reloads once`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            try await app.befriend(people[0], people[1])
            var phone = SyncingPhone(app, people[0])
            try await phone.sync()
            try await RestoreStore(db: app.db).forgetPhones()
            try await phone.sync()
            #expect((phone.reloads, phone.known) == (1, [people[1]: "friends"]))
            try await phone.sync()
            #expect(phone.reloads == 1)
        }
    }

    @Test func `a database that lost the last transactions asks to reload, although it has the same name`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 3)
            var phone = SyncingPhone(app, people[0])
            try await app.befriend(people[0], people[1])
            try await phone.sync()
            let before = try await app.db.read.first(
                "SELECT changes FROM users WHERE uid = \(people[0])"
            ) { try $0.next(as: Int.self) }
            try await app.befriend(people[0], people[2])
            try await phone.sync()
            // As a backup of before would have it.
            try await app.db.write.run("DELETE FROM relationships WHERE other_uid = \(people[2])")
            try await app.db.write.run("UPDATE users SET changes = \(before ?? 0) WHERE uid = \(people[0])")
            try await phone.sync()
            #expect((phone.reloads, phone.known) == (1, [people[1]: "friends"]))
        }
    }

    @Test func `a visit with nothing new writes nothing`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 3)
            try await app.befriend(people[0], people[1])
            try await app.act(.want, people[0], on: people[2])
            var phone = SyncingPhone(app, people[0])
            try await phone.sync()
            let before = try await app.footprint()
            phone.received = 0
            try await phone.sync()
            #expect(phone.received == 0)
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `syncing returns the new name of a user whose request waits, once`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.act(.want, "u-ann", on: "u-cat")
            try await app.act(.want, "u-ann", on: "u-dan")
            var phone = SyncingPhone(app, "u-ann")
            try await phone.sync()
            try await app.rename("u-bob", to: "bobby")
            try await app.rename("u-cat", to: "catty")
            try await app.signUp("dan")
            phone.received = 0
            try await phone.sync()
            #expect(phone.received == 3)
            #expect(phone.names == ["u-bob": "bobby", "u-cat": "catty", "u-dan": "dan"])
            try await phone.sync()
            #expect(phone.received == 3)
        }
    }
}
