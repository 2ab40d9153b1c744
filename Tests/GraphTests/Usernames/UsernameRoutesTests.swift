import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting

/// The rules of usernames over HTTP: one test for each sentence of "Usernames" in docs/rules.md.
@Suite(.inTurns) struct UsernameRoutesTests {
    private let day = 24

    @Test func `rule 6: a rename changes the name at once, and keeps the old one in the history`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.rename("u-ann", to: "Anna")
            #expect(answer.status == 200)
            #expect(answer["username"] == "Anna")
            let history =
                try await app.get("/v1/me/usernames", as: "u-ann").json["usernames"] as? [[String: Any]]
            #expect(history?.map { $0["username"] as? String } == ["Anna", "ann"])
            #expect(history?.map { $0["to"] == nil } == [true, false])
        }
    }

    @Test func `rule 9: the current name is no change, and another spelling of it is free`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let before = try await app.footprint()
            #expect(try await app.rename("u-ann", to: "ann").status == 200)
            #expect(try await app.footprint() == before)
            for spelling in ["ANN", "Ann", "aNN"] {
                #expect(try await app.rename("u-ann", to: spelling)["username"] == spelling)
            }
            #expect(try await app.count("username_periods") == 1)
            #expect(try await app.count("usernames") == 1)
            #expect(try await app.get("/users/aNN?invitedBy=u-ann").status == 200)
        }
    }

    @Test func `rules 4 and 5: one correction within a day is free, then one change in 14 days`() async throws
    {
        try await TestApp.run { app in
            try await app.signUp("first", uid: "u")
            #expect(try await app.rename("u", to: "second").status == 200)
            #expect(try await app.rename("u", to: "third").status == 200)
            #expect(try await app.rename("u", to: "fourth").status == 200)
            let refused = try await app.rename("u", to: "fifth")
            #expect(refused.status == 429)
            #expect(refused.code == "username_cooldown")
            let seconds = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect((13 * 86_400...14 * 86_400).contains(seconds))
            try await app.age("u", hours: 14 * day)
            #expect(try await app.rename("u", to: "fifth").status == 200)
        }
    }

    @Test func `rule 6: the old name is held for its owner for 90 days, who may return at any time`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            try await app.rename("u-ann", to: "anna")
            try await app.age("u-ann", hours: 89 * day)
            #expect(try await app.rename("u-bob", to: "ann").code == "username_taken")
            try await app.rename("u-ann", to: "annie")
            #expect(try await app.rename("u-ann", to: "ann").status == 200)
            #expect(try await app.rename("u-ann", to: "annie").status == 200)
            try await app.age("u-ann", hours: 91 * day)
            #expect(try await app.rename("u-bob", to: "ann").status == 200)
        }
    }

    @Test func `rule 7: at most three names are held, and the one left longest ago is released first`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("name1", uid: "u")
            for number in 2...5 {
                try await app.rename("u", to: "name\(number)")
                try await app.age("u", hours: 15 * day)
            }
            #expect(try await app.get("/v1/usernames/name1", as: "u-x")["available"] == "1")
            for number in 2...5 {
                #expect(try await app.get("/v1/usernames/name\(number)", as: "u-x")["reason"] == "taken")
            }
            #expect(try await app.get("/users/name1?invitedBy=u").status == 302)
        }
    }

    @Test func `rule 8: after sever old links lead nowhere, and after a later forward they redirect`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna", oldLinks: "sever")
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 404)
            let history =
                try await app.get("/v1/me/usernames", as: "u-ann").json["usernames"] as? [[String: Any]]
            #expect(history?.last?["severed"] as? Bool == true)
            try await app.rename("u-ann", to: "ann")
            try await app.rename("u-ann", to: "anna", oldLinks: "forward")
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 302)
        }
    }

    @Test func `rule 3: availability says what a sign-up would`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for (name, uid, reason) in [
                ("free_name", "u-x", nil), ("ann", "u-x", "taken"), ("ANN", "u-x", "taken"),
                ("ann", "u-ann", nil),
                ("admin", "u-x", "reserved"), ("x", "u-x", "too_short"),
                ("%E3%81%82%E3%81%84%E3%81%86", "u-x", "characters"),
            ] {
                let answer = try await app.get("/v1/usernames/\(name)", as: uid)
                #expect(answer.status == 200)
                #expect(answer["reason"] == reason, "\(name)")
                #expect(answer["available"] == (reason == nil ? "1" : "0"))
            }
        }
    }

    @Test func `rule 3: of concurrent renames to one name exactly one succeeds`() async throws {
        try await TestApp.run { app in
            for round in 0..<50 {
                let uid = try await app.signUp("user\(round)")
                let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<6 {
                        group.addTask { try await app.rename(uid, to: "user\(round)_\(number)").status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { [200, 429].contains($0) }, "\(answers)")
            }
            #expect(try await app.count("usernames WHERE state = 'active'") == 50)
            #expect(try await app.count("username_periods WHERE valid_to IS NULL") == 50)
            #expect(
                try await app.count(
                    "users WHERE (lower(username), id) IN (SELECT name_key, user_id FROM usernames WHERE state = 'active')"
                ) == 50)
            try await app.verify()
        }
    }
}
