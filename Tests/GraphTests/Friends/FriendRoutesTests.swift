import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Web

@Suite(.inTurns) struct FriendRoutesTests {
    @Test(arguments: ["count", "changes", "mutual", "config"])
    func `a uid that is also a word of the API works like any other`(
        word: String
    )
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "cat"] { try await app.signUp(name) }
            try await app.signUp("bob", uid: word)
            #expect(try await app.act(.want, "u-ann", on: word)["relationship"] == "outgoing")
            #expect(try await app.act(.want, word, on: "u-ann")["relationship"] == "friends")
            try await app.befriend("u-ann", "u-cat")
            #expect(try await app.get("/v1/friends/\(word)/mutual", as: "u-cat")["count"] == "1")
            #expect(try await app.get("/v1/friends/\(word)/path", as: "u-cat")["degrees"] == "2")
            #expect(try await app.get("/v1/users/\(word)", as: "u-cat")["username"] == "bob")
            #expect(try await app.act(.unwant, "u-ann", on: word)["relationship"] == "none")
            #expect(try await app.act(.block, "u-ann", on: word)["relationship"] == "blocked")
            #expect(try await app.act(.want, word, on: word).code == "self_relationship")
            let wrong = try await app.post("/v1/friends/\(word)", as: "u-ann")
            #expect((wrong.status, wrong.headers[.allow]) == (405, "DELETE, PUT"))
        }
    }

    private func names(_ answer: TestApp.Answer) -> [String] {
        (answer.json["friends"] as? [[String: Any]] ?? []).compactMap { $0["username"] as? String }
    }

    @Test func `friends are listed newest first, by pages that never repeat or skip`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for number in 0..<25 {
                try await app.signUp("friend\(number)", invite: TestApp.link("ann", "u-ann"))
            }
            let all = try await app.list("/v1/friends", "friends", "username", as: "u-ann", limit: 10)
            #expect(all == (0..<25).reversed().map { "friend\($0)" })
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "25")
        }
    }

    @Test func `friends of one instant are sorted by key, and each comes once`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for number in 0..<9 {
                try await app.signUp("friend\(number)", invite: TestApp.link("ann", "u-ann"))
            }
            try await app.db.write.run("UPDATE relationships SET since = '2026-01-01T00:00:00.123456Z'")
            let all = try await app.list("/v1/friends", "friends", "username", as: "u-ann", limit: 2)
            let inOrder = (0..<9).map { "friend\($0)" }.sorted {
                User.ID(of: User.UID(stored: "u-\($0)")) < User.ID(of: User.UID(stored: "u-\($1)"))
            }
            #expect(all == inOrder)
        }
    }

    @Test func `a suspended friend is not in the list nor in the count`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for name in ["bob", "cat"] { try await app.signUp(name, invite: TestApp.link("ann", "u-ann")) }
            try await app.setStatus("suspended", of: "u-bob")
            #expect(names(try await app.get("/v1/friends", as: "u-ann")) == ["cat"])
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "1")
        }
    }

    @Test(arguments: [
        "limit=0", "limit=501", "limit=x", "after=zzz", "after=%00", "order=age", "limit=1&limit=2",
    ])
    func `an invalid query is a 400 that names the field`(query: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get("/v1/friends?\(query)", as: "u-ann")
            #expect(answer.status == 400)
            #expect(answer["field"] == String(query.prefix { $0 != "=" }))
        }
    }

    @Test func `a friend who leaves or joins between two pages makes no other repeat or vanish`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 40)
            let ann = people[0]
            for uid in people[1...30] { try await app.befriend(ann, uid) }
            var newcomers = people[31...]
            let seen = try await app.list("/v1/friends", "friends", as: ann, limit: 7) { seen in
                // The entry on which the cursor rests is removed.
                if let last = seen.last { try await app.act(.unwant, ann, on: last) }
                try await app.befriend(ann, newcomers.removeFirst())
            }
            #expect(seen == people[1...30].reversed())
        }
    }

    @Test
    func `friends by name are in the order of folded usernames, even while others leave and rename`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "Delta", "alpha", "Bravo", "echo", "charlie", "Foxtrot"] {
                try await app.signUp(name)
            }
            for name in ["Delta", "alpha", "Bravo", "echo", "charlie", "Foxtrot"] {
                try await app.befriend("u-ann", "u-\(name)")
            }
            let order = ["alpha", "Bravo", "charlie", "Delta", "echo", "Foxtrot"]
            #expect(
                try await app.list("/v1/friends?order=name", "friends", "username", as: "u-ann", limit: 2)
                    == order)
            let first = try await app.get("/v1/friends?order=name&limit=2", as: "u-ann")
            try await app.act(.unwant, "u-ann", on: "u-Bravo")
            try await app.rename("u-alpha", to: "zulu")
            let rest = try await app.get(
                "/v1/friends?order=name&limit=3&after=\(try #require(first["next"]))", as: "u-ann")
            #expect(names(rest) == ["charlie", "Delta", "echo"])
        }
    }

    @Test(arguments: [
        ("a", ["alpha", "Alps"]), ("AL", ["alpha", "Alps"]), ("alph ", ["alpha"]), ("x", []), ("%", []),
        ("_", []),
    ])
    func `search finds friends by a prefix of the username, in any case`(prefix: String, found: [String])
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "alpha", "Alps", "bravo", "alien"] { try await app.signUp(name) }
            for name in ["alpha", "Alps", "bravo"] { try await app.befriend("u-ann", "u-\(name)") }
            let path = "/v1/friends?prefix=\(PercentEncoding.encode(prefix))"
            #expect(try await app.list(path, "friends", "username", as: "u-ann", limit: 1) == found)
        }
    }

    @Test func `a cursor works only unchanged, and only for its list and user`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 6)
            for uid in people[1...4] {
                try await app.befriend(people[0], uid)
                try await app.befriend(people[5], uid)
            }
            let cursor = try #require(try await app.get("/v1/friends?limit=2", as: people[0])["next"])
            #expect(try await app.get("/v1/friends?limit=2&after=\(cursor)", as: people[0]).status == 200)
            let other = try await app.get("/v1/friends?limit=2&after=\(cursor)", as: people[5])
            #expect((other.status, other["field"]) == (400, "after"))
            for list in [
                "/v1/friends?order=name", "/v1/friends?prefix=p", "/v1/requests?", "/v1/blocks?",
                "/v1/invites?",
                "/v1/friends/u-p1/mutual?", "/v1/me/changes?",
            ] {
                let answer = try await app.get("\(list)&after=\(cursor)", as: people[0])
                #expect((answer.status, answer["field"]) == (400, "after"), "\(list)")
            }
            for place in cursor.indices {
                var changed = cursor
                changed.replaceSubrange(place...place, with: cursor[place] == "A" ? "B" : "A")
                let answer = try await app.get("/v1/friends?limit=2&after=\(changed)", as: people[0])
                #expect((answer.status, answer["field"]) == (400, "after"))
            }
        }
    }

    @Test func `up to 100 users are looked up at once, in order, including those who do not exist`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 5)
            try await app.befriend(people[0], people[1])
            try await app.act(.want, people[0], on: people[2])
            try await app.act(.want, people[3], on: people[0])
            try await app.act(.block, people[0], on: people[4])
            let asked = [people[4], "u-none", people[3], people[2], people[1], people[1], people[0]]
            let expected = ["blocked", "none", "incoming", "outgoing", "friends", "friends", "none"]
            #expect(try await app.relationships(people[0], asked) == expected)
            #expect(try await app.relationships(people[0], (0..<100).map { "u-\($0)" }).count == 100)
            let bodies: [Body] = [
                #"{"uids":[]}"#, ["uids": [""]], #"{"uids":["a\u0007"]}"#, ["uids": [1]], ["uids": "a"], [:],
                ["uids": (0...100).map { "u-\($0)" }],
            ]
            for body in bodies {
                let answer = try await app.post("/v1/users", as: people[0], body)
                #expect(
                    (answer.status, answer["field"]) == (400, "uids"),
                    "\(body.json.prefix(40)) \(answer.text)")
            }
        }
    }
}

/// Uids that look alike.
extension FriendRoutesTests {
    @Test func `two uids that are canonically equivalent in Unicode are two users`() async throws {
        try await TestApp.run { app in
            let (one, other) = ("caf\u{E9}", "cafe\u{301}")
            try await app.signUp("one", uid: one)
            try await app.signUp("other", uid: other)
            try await app.befriend(one, other)
            let key = try await app.keyed(.server)
            var headers = key
            headers[.kithUser] = PercentEncoding.encode(other)
            #expect(try await app.get("/v1/me", headers: headers)["username"] == "other")
        }
    }
}
