import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Web

/// The copies of a friend's names beside the friendship always equal the friend's own.
@Suite(.inTurns) struct FriendNamesTests {
    @Test(arguments: [
        "Är": ["u-1"], "ÄRG": ["u-1"], "ar": ["u-1"], "o": ["u-2", "u-3"], "Öl": ["u-3"], "x": [],
        "": ["u-1", "u-2", "u-3"],
    ])
    func `a friend with an imported name is found by a prefix`(prefix: String, found: [String])
        async throws
    {
        try await TestApp.run { app in
            _ = try await app.importUsers(
                "uid,username\nu-0,me\nu-1,Ärger\nu-2,Oe\nu-3,Öl\n", keepNames: true)
            for uid in ["u-1", "u-2", "u-3"] { try await app.befriend("u-0", uid) }
            let query = prefix.isEmpty ? "order=name" : "prefix=\(PercentEncoding.encode(prefix))"
            #expect(try await app.list("/v1/friends?\(query)", "friends", as: "u-0") == found)
        }
    }

    /// `username displayName` of each friend, by username.
    private func names(_ app: TestApp, _ uid: String, _ path: String = "/v1/friends?order=name") async throws
        -> [String]
    {
        let friends = try await app.get(path, as: uid).json["friends"] as? [[String: Any]] ?? []
        return friends.map { "\($0["username"] ?? "–") \($0["displayName"] ?? "–")" }
    }

    private func show(_ app: TestApp, _ uid: String, as name: String?) async throws {
        let answer = try await app.call(.patch, "/v1/me", as: uid, body: ["displayName": name])
        try #require(answer.status == 200, "\(answer.text)")
    }

    @Test func `a new name shows in every list at once`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            for (one, other) in [("ann", "bob"), ("ann", "cat"), ("bob", "cat")] {
                try await app.befriend("u-\(one)", "u-\(other)")
            }
            try await app.rename("u-bob", to: "bert")
            #expect(try await names(app, "u-ann") == ["bert –", "cat –"])
            try await app.rename("u-bob", to: "Bert")
            #expect(try await names(app, "u-ann") == ["Bert –", "cat –"])
            try await show(app, "u-bob", as: "Bertie 花")
            for path in ["/v1/friends", "/v1/friends?prefix=be", "/v1/friends/u-cat/mutual"] {
                #expect(try await names(app, "u-ann", path).contains("Bert Bertie 花"), "\(path)")
            }
            try await show(app, "u-bob", as: "")
            #expect(try await names(app, "u-ann") == ["Bert –", "cat –"])
            #expect(try await names(app, "u-bob") == ["ann –", "cat –"])
            try await app.verify()
        }
    }

    @Test
    func `renames before an answer, as a stranger or with a friend away show everywhere`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat", "dan"] { try await app.signUp(name) }
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.befriend("u-ann", "u-cat")
            try await app.befriend("u-ann", "u-dan")
            try await app.act(.unwant, "u-ann", on: "u-cat")
            try await app.setStatus("suspended", of: "u-dan")
            try await show(app, "u-bob", as: "B")
            try await show(app, "u-cat", as: "C")
            try await show(app, "u-ann", as: "A")
            try await app.setStatus("active", of: "u-dan")
            try await app.act(.want, "u-ann", on: "u-bob")
            try await app.befriend("u-ann", "u-cat")
            #expect(try await names(app, "u-ann") == ["bob B", "cat C", "dan –"])
            for uid in ["u-bob", "u-cat", "u-dan"] { #expect(try await names(app, uid) == ["ann A"]) }
            try await app.verify()
        }
    }

    @Test func `names that change while friendships are made end up current`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 24)
            for round in 0..<6 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, uid) in people.enumerated() {
                        let other = people[(place + 1 + round) % people.count]
                        group.addTask { try await app.act(.want, uid, on: other) }
                        group.addTask { try await app.act(.want, other, on: uid) }
                        group.addTask { try await show(app, uid, as: "\(round) of \(uid)") }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(try await names(app, people[0]).count == 12)
            #expect(try await names(app, people[0]).allSatisfy { $0.contains(" 5 of u-p") })
            #expect(try await app.deadlocks() == 0)
            try await app.verify()
        }
    }

    @Test func `names and accounts change while many sign up by the user's link`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<16 {
                    group.addTask {
                        for number in 0..<8 {
                            let name = "p\(worker)_\(number)"
                            let answer = try await app.post(
                                "/v1/signup", as: "u-\(name)",
                                ["username": name, "invite": TestApp.link("ann", "u-ann")])
                            #expect(answer.status == 201, "\(answer.text)")
                        }
                    }
                }
                group.addTask {
                    for round in 0..<3 {
                        try await show(app, "u-ann", as: "Ann \(round)")
                        try await app.setStatus("suspended", of: "u-ann")
                        try await app.setStatus("active", of: "u-ann")
                    }
                    try await app.rename("u-ann", to: "anna")
                }
                try await group.waitForAll()
            }
            try await app.verify()
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            try await app.verify()
        }
    }

    @Test func `friends can rename and delete their accounts at the same instant`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 30)
            for (place, uid) in people.enumerated() {
                for other in people[..<place] { try await app.befriend(uid, other) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, uid) in people.enumerated() {
                    group.addTask {
                        switch place % 3 {
                        case 0: _ = try await app.call(.delete, "/v1/me", as: uid)
                        case 1: try await app.rename(uid, to: "new\(place)")
                        default: try await show(app, uid, as: "New \(place)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await app.deadlocks() == 0)
            #expect(try await names(app, people[1]).count == 19)
            #expect(try await names(app, people[1]).allSatisfy { $0.contains("ew") })
            try await app.verify()
        }
    }

    @Test func `the schema accepts no friendship without a name, and no copied profile without a friendship`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            try await app.act(.want, "u-cat", on: "u-ann")
            for (change, other) in [
                ("other_username = NULL", "u-bob"), ("other_username = 'cat'", "u-cat"),
                ("other_display_name = 'Cat'", "u-cat"), ("other_avatar_url = 'https://a/b'", "u-cat"),
                ("other_metadata = '{}'", "u-cat"),
            ] {
                let update = Statement(
                    text: "UPDATE relationships SET \(change) WHERE other_uid = '\(other)'")
                await #expect(throws: PostgresError.self, "\(change)") { try await app.db.write.run(update) }
            }
        }
    }
}
