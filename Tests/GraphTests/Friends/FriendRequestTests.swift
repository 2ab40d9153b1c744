import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// Requests: their lists, what they show, and declines.
@Suite(.inTurns) struct FriendRequestTests {
    @Test
    func
        `a request is in one's outgoing and the other's incoming list, newest first, with friends in common`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 5)
            let (ann, bob, cat) = (people[0], people[1], people[2])
            for common in people[3...4] {
                try await app.befriend(ann, common)
                try await app.befriend(cat, common)
            }
            try await app.act(.want, bob, on: ann)
            try await app.act(.want, cat, on: ann)
            #expect(try await app.requests("incoming", ann) == [cat, bob])
            let incoming = try await app.list("/v1/requests", "requests", "mutualFriends", as: ann)
            #expect(incoming == ["2", "0"])
            #expect(
                try await app.list("/v1/requests?direction=outgoing", "requests", "username", as: cat) == [
                    "p0"
                ])
            #expect(
                try await app.list("/v1/requests?direction=outgoing", "requests", "mutualFriends", as: cat)
                    == ["2"])
        }
    }

    @Test(arguments: [
        ("/v1/requests", "requests", "heard_at"),
        ("/v1/requests?direction=outgoing", "requests", "asked_at"), ("/v1/blocks", "blocks", "blocked_at"),
    ])
    func `requests and blocks of one instant are sorted by key, and each comes once`(
        path: String, entries: String, column: String
    ) async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 10)
            let (ann, others) = (people[0], people[1...])
            for uid in others {
                switch column {
                case "heard_at": try await app.act(.want, uid, on: ann)
                case "asked_at": try await app.act(.want, ann, on: uid)
                default: try await app.act(.block, ann, on: uid)
                }
            }
            try await app.db.write.run(
                Statement(
                    text: """
                        UPDATE relationships SET \(column) = '2026-01-01T00:00:00.123456Z' WHERE \(column) IS NOT NULL
                        """))
            let inOrder = others.sorted {
                User.ID(of: User.UID(stored: $0)) < User.ID(of: User.UID(stored: $1))
            }
            #expect(try await app.list(path, entries, as: ann, limit: 2) == inOrder)
        }
    }

    @Test(arguments: ["incoming", "outgoing"])
    func `pages of requests neither repeat nor skip any while others come and go`(direction: String)
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 32)
            let ann = people[0]
            func ask(_ uid: String) async throws {
                if direction == "incoming" {
                    try await app.act(.want, uid, on: ann)
                } else {
                    try await app.act(.want, ann, on: uid)
                }
            }
            func take(_ uid: String) async throws {
                // Ann either cancels or declines it.
                try await app.act(.unwant, ann, on: uid)
            }
            for uid in people[1...20] { try await ask(uid) }
            var page = 0
            let path = "/v1/requests?direction=\(direction)"
            let seen = try await app.list(path, "requests", as: ann, limit: 5) { seen in
                // The request shown last, on which the cursor rests, is removed; a new one arrives.
                if let last = seen.last, page < 2 { try await take(last) }
                try await ask(people[21 + page])
                page += 1
            }
            #expect(seen == people[1...20].reversed())
        }
    }

    private func letPass(days: Int, _ app: TestApp) async throws {
        try await app.db.write.run(
            "UPDATE relationships SET quiet_until = tests.earlier(quiet_until, \(24 * Double(days)))")
    }

    @Test func `a decline is silent, and hides requests for 7 days, then for 30`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            let (ann, bob) = (people[0], people[1])
            try await app.act(.want, bob, on: ann)
            for days in [7, 30, 30] {
                try await app.act(.unwant, ann, on: bob)
                #expect(
                    try await app.relationships(ann, [bob]) + app.relationships(bob, [ann]) == [
                        "none", "outgoing",
                    ])
                #expect(try await app.requests("outgoing", bob) == [ann])
                try await letPass(days: days - 1, app)
                try await app.act(.unwant, bob, on: ann)
                try await app.act(.want, bob, on: ann)
                #expect(try await app.requests("incoming", ann) == [], "before \(days) days")
                try await letPass(days: 1, app)
                #expect(try await app.requests("incoming", ann) == [], "until they ask again")
                try await app.act(.want, bob, on: ann)
                #expect(try await app.requests("incoming", ann) == [bob], "after \(days) days")
            }
        }
    }

    @Test
    func `a user who declined and then asks becomes a friend at once, and the count of declines restarts`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 2)
            let (ann, bob) = (people[0], people[1])
            try await app.act(.want, bob, on: ann)
            try await app.act(.unwant, ann, on: bob)
            #expect(try await app.act(.want, ann, on: bob)["relationship"] == "friends")
            try await app.act(.unwant, bob, on: ann)
            try await app.act(.want, bob, on: ann)
            #expect(try await app.requests("incoming", ann) == [bob])
        }
    }

    @Test func `a request to a uid that signs up later is waiting for them`() async throws {
        try await TestApp.run { app in
            let ann = try await app.people("p", 1)[0]
            #expect(try await app.act(.want, ann, on: "u-later")["relationship"] == "outgoing")
            try await app.signUp("later")
            #expect(try await app.requests("incoming", "u-later") == [ann])
            #expect(try await app.act(.want, "u-later", on: ann)["relationship"] == "friends")
        }
    }

    @Test func `a request by an ask link can be accepted and declined`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try #require(
                try await app.post("/v1/invites", as: "u-ann", ["friendship": "ask"])["code"])
            for name in ["bob", "cat"] { try await app.signUp(name, invite: ["code": code]) }
            #expect(try await app.requests("incoming", "u-ann") == ["u-cat", "u-bob"])
            #expect(try await app.act(.want, "u-ann", on: "u-bob")["relationship"] == "friends")
            #expect(try await app.act(.unwant, "u-ann", on: "u-cat")["relationship"] == "none")
            #expect(try await app.requests("incoming", "u-ann") == [])
        }
    }

    @Test func `blocks are listed newest first, with names, even of users who block back`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 4)
            for uid in people.dropFirst() { try await app.act(.block, people[0], on: uid) }
            try await app.act(.block, people[3], on: people[0])
            #expect(
                try await app.list("/v1/blocks", "blocks", as: people[0], limit: 2)
                    == people.dropFirst().reversed())
            #expect(
                try await app.list("/v1/blocks", "blocks", "username", as: people[0]) == ["p3", "p2", "p1"])
            try await app.act(.unblock, people[0], on: people[2])
            #expect(try await app.list("/v1/blocks", "blocks", as: people[0]) == [people[3], people[1]])
        }
    }
}
