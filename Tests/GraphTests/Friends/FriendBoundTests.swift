import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith

/// Every kind of row that a user can make has a limit.
@Suite(.inTurns) struct FriendBoundTests {
    @Test func `beyond the limit the oldest dismissal is forgotten`() async throws {
        try await TestApp.run(configure: { $0.friends.dismissals = 3 }) { app in
            let ann = try await app.people("p", 1)[0]
            for number in [1, 2, 3, 1, 4, 5] {
                #expect(try await app.call(.delete, "/v1/suggestions/u-\(number)", as: ann).status == 204)
            }
            let export = try await app.get("/v1/me/export", as: ann)
            let dismissed = export.json["dismissed"] as? [[String: Any]] ?? []
            #expect(Set(dismissed.compactMap { $0["uid"] as? String }) == ["u-5", "u-4", "u-3"])
        }
    }

    @Test func `of many concurrent blocks only as many as the limit are made`() async throws {
        try await TestApp.run(configure: { $0.friends.blocks = 5 }) { app in
            let ann = try await app.people("p", 1)[0]
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for number in 0..<20 { group.addTask { try await app.act(.block, ann, on: "u-\(number)") } }
                return try await group.reduce(into: [TestApp.Answer]()) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 5)
            #expect(answers.filter { $0.status == 409 && $0.code == "block_limit" }.count == 15)
            let blocked = try await app.list("/v1/blocks", "blocks", as: ann)
            try #require(blocked.count == 5)
            #expect(try await app.act(.block, ann, on: blocked[0]).status == 200, "again is no new one")
            try await app.act(.unblock, ann, on: blocked[0])
            #expect(try await app.act(.block, ann, on: "u-more").status == 200)
        }
    }

    @Test func `asking and cancelling, blocking and unblocking leave a bounded number of rows`() async throws
    {
        try await TestApp.run(configure: { $0.friends.ended = 5 }) { app in
            let people = try await app.people("p", 2)
            let first = try #require(try await app.get("/v1/me/changes", as: people[0])["next"])
            for number in 0..<20 {
                let (begin, end): (FriendAction, FriendAction) =
                    number % 2 == 0 ? (.want, .unwant) : (.block, .unblock)
                try await app.act(begin, people[0], on: "u-nobody\(number)")
                try await app.act(end, people[0], on: "u-nobody\(number)")
            }
            #expect(try await app.count("relationships") == 10)
            let late = try await app.get("/v1/me/changes?after=\(first)", as: people[0])
            #expect((late.status, late.code) == (410, "reload_required"))
            let anew = try await app.get("/v1/me/changes", as: people[0])
            #expect((anew.json["changes"] as? [Any])?.isEmpty == true)
            let next = try #require(anew["next"])
            try await app.act(.want, people[0], on: people[1])
            for number in 20..<24 {
                try await app.act(.block, people[0], on: "u-nobody\(number)")
                try await app.act(.unblock, people[0], on: "u-nobody\(number)")
            }
            let changes = try await app.get("/v1/me/changes?after=\(next)", as: people[0])
            #expect((changes.json["changes"] as? [Any])?.count == 5, "\(changes.text)")
            try await app.verify()
        }
    }

    @Test func `asking many users and cancelling leaves the caller at most the bounded number of rows`()
        async throws
    {
        try await TestApp.run(configure: { $0.friends.ended = 3 }) { app in
            let people = try await app.people("p", 12)
            for other in people.dropFirst() {
                try await app.act(.want, people[0], on: other)
                try await app.act(.unwant, people[0], on: other)
            }
            let ann = User.ID(of: User.UID(stored: people[0])).uuid
            #expect(try await app.count("relationships WHERE user_id = '\(ann)'") == 3)
            for other in [people[1], people[11]] {
                try await app.befriend(other, people[0])
                #expect(try await app.relationship(people[0], other) == "friends")
            }
            try await app.verify()
            try await app.setStatus("deleted", of: people[0])
            #expect(try await app.count("relationships WHERE user_id = '\(ann)'") == 0)
            try await app.verify()
        }
    }

    @Test func `a client that was not told of an end that is forgotten reloads once`() async throws {
        try await TestApp.run(configure: { $0.friends.ended = 1 }) { app in
            let ann = try await app.people("p", 1)[0]
            let old = try #require(try await app.get("/v1/me/changes", as: ann)["next"])
            for number in 0..<2 {
                try await app.act(.want, ann, on: "u-nobody\(number)")
                try await app.act(.unwant, ann, on: "u-nobody\(number)")
            }
            let late = try await app.get("/v1/me/changes?after=\(old)", as: ann)
            #expect((late.status, late.code) == (410, "reload_required"))
            let next = try #require(try await app.get("/v1/me/changes", as: ann)["next"])
            #expect(try await app.get("/v1/me/changes?after=\(next)", as: ann).status == 200)
        }
    }

    @Test func `the other side learns of an end before its row is deleted, too`() async throws {
        try await TestApp.run(configure: { $0.friends.ended = 1 }) { app in
            let people = try await app.people("p", 3)
            try await app.befriend(people[0], people[1])
            let next = try #require(try await app.get("/v1/me/changes", as: people[1])["next"])
            try await app.act(.unwant, people[0], on: people[1])
            for number in 0..<3 {
                try await app.act(.block, people[0], on: "u-nobody\(number)")
                try await app.act(.unblock, people[0], on: "u-nobody\(number)")
            }
            let changes = try await app.get("/v1/me/changes?after=\(next)", as: people[1])
            #expect(
                (changes.json["changes"] as? [[String: Any]])?.first?["relationship"] as? String == "none")
            try await app.befriend(people[0], people[1])
            #expect(try await app.friends(people[1]) == [people[0]])
            try await app.verify()
        }
    }

    @Test
    func `ends with friends who delete their accounts are kept up to the limit, even if nobody else acts`()
        async throws
    {
        try await TestApp.run(configure: { $0.friends.ended = 2 }) { app in
            let ann = try await app.signUp("ann")
            for number in 0..<6 {
                let uid = try await app.signUp("gone\(number)", invite: TestApp.link("ann", ann))
                #expect(try await app.call(.delete, "/v1/me", as: uid).status == 204)
            }
            #expect(try await app.count("relationships") == 2)
            try await app.verify()
        }
    }

    @Test func `a decline is forgotten after the longest quiet time, if nobody asks again`()
        async throws
    {
        try await TestApp.run(configure: { $0.friends.ended = 1 }) { app in
            let people = try await app.people("p", 6)
            for uid in people.dropFirst() {
                try await app.act(.want, uid, on: people[0])
                try await app.act(.unwant, people[0], on: uid)
                if uid != people[5] { try await app.act(.unwant, uid, on: people[0]) }
            }
            func declines(days: Int) async throws -> Int {
                let hours = 24 * Double(days)
                try await app.db.write.run(
                    """
                    UPDATE relationships SET touched_at = tests.earlier(touched_at, \(hours)),
                                             quiet_until = tests.earlier(quiet_until, \(hours))
                    """)
                for action in [FriendAction.block, .unblock] {
                    try await app.act(action, people[0], on: "u-x")
                }
                return try await app.count("relationships WHERE declines > 0")
            }
            #expect(try await declines(days: 29) == 5)
            #expect(try await declines(days: 2) == 1, "who still asks is not forgotten")
            #expect(try await app.relationship(people[5], people[0]) == "outgoing")
            #expect(try await app.requests("incoming", people[0]) == [])
            try await app.verify()
        }
    }

    /// A block or a decline keeps its row, which must not change the number of ends kept.
    @Test func `the number of kept ends does not reveal blocks`() async throws {
        let answers = Mutex<[[Int]]>([])
        for action in [FriendAction?.none, .block, .unwant] {
            try await TestApp.run(configure: { $0.friends.ended = 3 }) { app in
                let people = try await app.people("p", 2)
                var statuses: [Int] = []
                let first = try #require(try await app.get("/v1/me/changes", as: people[0])["next"])
                try await app.act(.want, people[0], on: people[1])
                if let action { try await app.act(action, people[1], on: people[0]) }
                try await app.act(.unwant, people[0], on: people[1])
                for number in 0..<5 {
                    try await app.act(.want, people[0], on: "u-nobody\(number)")
                    try await app.act(.unwant, people[0], on: "u-nobody\(number)")
                    statuses.append(
                        try await app.get("/v1/me/changes?after=\(first)", as: people[0]).status)
                }
                answers.withLock { [statuses] in $0.append(statuses) }
                if action == .block { #expect(try await app.relationship(people[1], people[0]) == "blocked") }
                try await app.verify()
            }
        }
        #expect(answers.withLock { $0 } == Array(repeating: [200, 200, 410, 410, 410], count: 3))
    }

    @Test func `forgetting ends locks none that is kept`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 8)
            for uid in people[1...] {
                try await app.befriend(people[0], uid)
                try await app.act(.unwant, people[0], on: uid)
            }
            let me = User.ID(of: User.UID(stored: people[0]))
            let free = try await app.db.transaction { session in
                try await session.run("SELECT forget_ends(\(me), 5)")
                return try await app.db.write.run(
                    "SELECT 1 FROM relationships WHERE user_id = \(me) FOR UPDATE SKIP LOCKED")
            }
            #expect(free == 5)
        }
    }
}
