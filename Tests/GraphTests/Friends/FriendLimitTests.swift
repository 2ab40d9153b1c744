import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith

/// Limits hold exactly, also when many reach for the last place at once, and errors say whose limit it is.
@Suite(.inTurns) struct FriendLimitTests {
    private func codes(_ answers: [TestApp.Answer]) -> [String: Int] {
        answers.reduce(into: [:]) { $0[$1.code ?? $1["relationship"] ?? "–", default: 0] += 1 }
    }

    private func all(_ uids: [String], _ body: @escaping @Sendable (String) async throws -> TestApp.Answer)
        async throws -> [TestApp.Answer]
    {
        try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
            for uid in uids { group.addTask { try await body(uid) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test
    func `friends: of many who accept at once only as many as fit become friends, the others stay pending`()
        async throws
    {
        try await TestApp.run(configure: { $0.friends.friends = 5 }) { app in
            let people = try await app.people("p", 31)
            let ann = people[0]
            for uid in people.dropFirst() { try await app.act(.want, ann, on: uid) }
            let answers = try await all(Array(people.dropFirst())) { try await app.act(.want, $0, on: ann) }
            #expect(codes(answers) == ["friends": 5, "friend_limit_other": 25])
            #expect(try await app.get("/v1/me", as: ann)["counts.friends"] == "5")
            #expect(try await app.requests("outgoing", ann).count == 25)
            let refused = try #require(answers.first { $0.status != 200 })
            #expect(refused.status == 409)
            try await app.verify()
        }
    }

    @Test func `friends: a caller at their limit is told that it is their own`() async throws {
        try await TestApp.run(configure: { $0.friends.friends = 1 }) { app in
            let people = try await app.people("p", 3)
            try await app.befriend(people[0], people[1])
            try await app.act(.want, people[2], on: people[0])
            let answer = try await app.act(.want, people[0], on: people[2])
            #expect((answer.status, answer.code) == (409, "friend_limit_self"))
            #expect(try await app.relationship(people[0], people[2]) == "incoming")
            try await app.act(.unwant, people[0], on: people[1])
            #expect(try await app.act(.want, people[0], on: people[2])["relationship"] == "friends")
        }
    }

    @Test func `friends: a suspended friend still counts`() async throws {
        try await TestApp.run(configure: { $0.friends.friends = 1 }) { app in
            let people = try await app.people("p", 3)
            try await app.befriend(people[0], people[1])
            try await app.setStatus("suspended", of: people[1])
            try await app.act(.want, people[2], on: people[0])
            #expect(try await app.act(.want, people[0], on: people[2]).code == "friend_limit_self")
        }
    }

    @Test(arguments: ["suspended", "deleted"])
    func `requests sent: a request to a suspended friend counts, like one to a user who never existed`(
        status: String
    )
        async throws
    {
        try await TestApp.run(configure: { $0.friends.requests = 1 }) { app in
            let people = try await app.people("p", 2)
            let (ann, away) = (people[0], people[1])
            try await app.befriend(ann, away)
            try await app.setStatus(status, of: away)
            try await app.act(.want, ann, on: "u-nobody")
            for other in [away, "u-never"] {
                #expect(try await app.act(.want, ann, on: other).code == "request_limit_self")
            }
            try await app.act(.unwant, ann, on: "u-nobody")
            for _ in 0..<2 { #expect(try await app.act(.want, ann, on: away)["relationship"] == "outgoing") }
            #expect(try await app.act(.want, ann, on: "u-never").code == "request_limit_self")
            try await app.verify()
        }
    }

    @Test func `requests sent: of many at once only as many as the limit are sent`() async throws {
        try await TestApp.run(configure: { $0.friends.requests = 7 }) { app in
            let people = try await app.people("p", 31)
            let ann = people[0]
            let answers = try await all(Array(people.dropFirst())) { try await app.act(.want, ann, on: $0) }
            #expect(codes(answers) == ["outgoing": 7, "request_limit_self": 23])
            #expect(try await app.requests("outgoing", ann).count == 7)
            try await app.verify()
        }
    }

    @Test func `requests received: of many at once only as many as the limit arrive`() async throws {
        try await TestApp.run(configure: { $0.friends.requests = 7 }) { app in
            let people = try await app.people("p", 31)
            let ann = people[0]
            let answers = try await all(Array(people.dropFirst())) { try await app.act(.want, $0, on: ann) }
            #expect(codes(answers) == ["outgoing": 7, "request_limit_other": 23])
            #expect(try await app.requests("incoming", ann).count == 7)
            let asked = try await app.requests("incoming", ann)[0]
            #expect(
                try await app.act(.want, asked, on: ann)["relationship"] == "outgoing",
                "asking again is no new one")
            try await app.verify()
        }
    }

    @Test func `a full inbox answers a blocked user like any other`() async throws {
        try await TestApp.run(configure: { $0.friends.requests = 1 }) { app in
            let people = try await app.people("p", 4)
            try await app.act(.block, people[0], on: people[1])
            try await app.act(.want, people[2], on: people[0])
            let blocked = try await app.act(.want, people[1], on: people[0])
            let free = try await app.act(.want, people[3], on: people[0])
            #expect((blocked.status, blocked.code) == (free.status, free.code))
        }
    }

    @Test func `a request repeated after the quiet time shows only if there is room, and nobody can tell`()
        async throws
    {
        try await TestApp.run(configure: { $0.friends.requests = 1 }) { app in
            let people = try await app.people("p", 3)
            try await app.act(.want, people[0], on: people[2])
            try await app.act(.unwant, people[2], on: people[0])
            try await app.act(.want, people[1], on: people[2])
            try await app.db.write.run(
                "UPDATE relationships SET quiet_until = now() - interval '1 second' WHERE declines > 0")
            #expect(try await app.act(.want, people[0], on: people[2])["relationship"] == "outgoing")
            #expect(try await app.requests("incoming", people[2]) == [people[1]])
            try await app.act(.unwant, people[2], on: people[1])
            #expect(try await app.act(.want, people[0], on: people[2])["relationship"] == "outgoing")
            #expect(try await app.requests("incoming", people[2]) == [people[0]])
            try await app.verify()
        }
    }

    @Test func `requests received: a suspended user's request still counts`() async throws {
        try await TestApp.run(configure: { $0.friends.requests = 1 }) { app in
            let people = try await app.people("p", 3)
            try await app.act(.want, people[0], on: people[2])
            try await app.setStatus("suspended", of: people[0])
            #expect(try await app.act(.want, people[1], on: people[2]).code == "request_limit_other")
            try await app.setStatus("active", of: people[0])
            #expect(try await app.requests("incoming", people[2]) == [people[0]])
        }
    }

    @Test func `accepting needs no room for requests`() async throws {
        try await TestApp.run(configure: { $0.friends.requests = 1 }) { app in
            let people = try await app.people("p", 3)
            try await app.act(.want, people[0], on: people[1])
            try await app.act(.want, people[2], on: people[0])
            #expect(try await app.act(.want, people[0], on: people[2])["relationship"] == "friends")
        }
    }

    @Test func `an invite of a user at the limit of friends says whose limit it is`() async throws {
        try await TestApp.run(configure: { $0.friends.friends = 1 }) { app in
            let people = try await app.people("p", 3)
            try await app.befriend(people[0], people[1])
            func invite(of uid: String) async throws -> Body {
                ["code": try await app.get("/v1/me/invite", as: uid)["code"] ?? ""]
            }
            let full = try await app.post("/v1/invites/accept", as: people[2], invite(of: people[0]))
            #expect((full.status, full.code) == (409, "friend_limit_other"))
            let own = try await app.post("/v1/invites/accept", as: people[0], invite(of: people[2]))
            #expect((own.status, own.code) == (409, "friend_limit_self"))
        }
    }
}
