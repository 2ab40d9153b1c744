import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Kith

/// The table "Sign-up and invite" over HTTP, a test a row.
@Suite(.inTurns) struct SignupRoutesTests {
    private func signUp(_ app: TestApp, _ name: String, _ invite: Body) async throws -> TestApp.Answer {
        try await app.post("/v1/signup", as: "u-\(name)", ["username": name, "invite": invite])
    }

    private func extraLink(_ app: TestApp, _ body: Body = [:], of uid: String = "u-ann") async throws
        -> String
    {
        try #require(try await app.post("/v1/invites", as: uid, body)["code"])
    }

    @Test func `row 1: a first sign-up by a link makes friends of both at once`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await signUp(app, "bob", TestApp.link("ann", "u-ann"))
            #expect(answer.status == 201)
            #expect(answer["user.username"] == "bob")
            #expect(answer["invite.outcome"] == "accepted")
            #expect(answer["invite.friendship"] == "friends")
            #expect(answer["invite.inviter.uid"] == "u-ann")
            for (one, other) in [("u-ann", "u-bob"), ("u-bob", "u-ann")] {
                #expect(try await app.get("/v1/users/\(other)", as: one)["relationship"] == "friends")
            }
            #expect(try await app.count("acceptances") == 1)
        }
    }

    @Test(arguments: [
        ["username": "old", "invitedBy": "u-ann"], ["username": "ANN", "invitedBy": "u-ann"],
        ["url": "https://join.example.com/users/old?a=1&invitedBy=u-ann"],
    ])
    func `row 1: name and uid prove it, also by a past name`(invite: Body) async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            #expect(try await signUp(app, "bob", invite)["invite.friendship"] == "friends")
        }
    }

    @Test func `row 1: a code proves it, of the permanent link and of an extra one`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let personal = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let extra = try await extraLink(app)
            #expect(
                try await signUp(app, "bob", ["code": personal.uppercased()])["invite.friendship"]
                    == "friends")
            #expect(try await signUp(app, "cat", ["code": extra])["invite.friendship"] == "friends")
            let short: Body = ["url": "\(TestApp.origin)/\(extra)"]
            #expect(try await signUp(app, "dan", short)["invite.friendship"] == "friends")
            let long: Body = ["url": "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(extra)"]
            #expect(try await signUp(app, "eve", long)["invite.friendship"] == "friends")
            #expect(try await app.get("/v1/invites/\(extra)", as: "u-ann")["uses"] == "3")
        }
    }

    @Test func `row 1: where the link asks, a request is left`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await extraLink(app, ["friendship": "ask"])
            let answer = try await signUp(app, "bob", ["code": code])
            #expect(answer["invite.outcome"] == "accepted")
            #expect(answer["invite.friendship"] == "requested")
            #expect(try await app.get("/v1/users/u-ann", as: "u-bob")["relationship"] == "outgoing")
            #expect(try await app.get("/v1/users/u-bob", as: "u-ann")["relationship"] == "incoming")
            #expect(try await signUp(app, "cat", ["username": "ann"])["invite.friendship"] == "requested")
        }
    }

    @Test func `row 2: a replay gets the same body with 200, and writes nothing`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let first = try await signUp(app, "bob", TestApp.link("ann", "u-ann"))
            try await app.rename("u-ann", to: "anna")
            let before = try await app.footprint()
            let second = try await signUp(app, "bob", TestApp.link("ann", "u-ann"))
            let bare = try await app.post("/v1/signup", as: "u-bob", ["username": "bob"])
            #expect((first.status, second.status) == (201, 200))
            #expect(second.bytes == first.bytes && bare.bytes == first.bytes)
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `row 2: of many at the same instant one is 201, and all get the same body`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for _ in 0..<24 {
                    group.addTask { try await signUp(app, "bob", TestApp.link("ann", "u-ann")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 201 }.count == 1)
            #expect(answers.allSatisfy { $0.status == 201 || $0.status == 200 })
            #expect(Set(answers.map(\.bytes)).count == 1)
            #expect(try await app.count("relationships") == 2)
            #expect(try await app.count("acceptances") == 1)
            try await app.verify()
        }
    }

    @Test func `row 3: the same uid with another name is a conflict`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let before = try await app.footprint()
            let answer = try await app.post("/v1/signup", as: "u-ann", ["username": "other"])
            #expect(answer.status == 409)
            #expect(answer.code == "already_signed_up")
            #expect(try await app.footprint() == before)
        }
    }

    @Test(arguments: [
        ("ann", 409, "username_taken"), ("ANN", 409, "username_taken"), ("held", 409, "username_taken"),
        ("admin", 422, "username_invalid"), ("a", 422, "username_invalid"),
        ("9lives", 422, "username_invalid"),
        ("a__b", 422, "username_invalid"), ("über", 422, "username_invalid"),
        ("a b", 422, "username_invalid"),
        ("", 422, "username_invalid"), ("abcdefghijklmnopqrstuvwxyzabcde", 422, "username_invalid"),
    ])
    func `row 4: a name that cannot be had writes nothing, and the invite is still good`(
        name: String, status: Int, code: String
    ) async throws {
        try await TestApp.run { app in
            try await app.signUp("held", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            let link = try await extraLink(app, ["maxUses": 1])
            let before = try await app.footprint()
            let body: Body = ["username": name, "invite": ["code": link]]
            let answer = try await app.post("/v1/signup", as: "u-bob", body)
            #expect(answer.status == status)
            #expect(answer.code == code)
            #expect(answer["field"] == "username")
            #expect(try await app.footprint() == before)
            #expect(try await signUp(app, "bob", ["code": link])["invite.outcome"] == "accepted")
        }
    }

    @Test(arguments: [
        (["code": "0123456789abcdef"], "not_found"), (["code": "nonsense"], "not_found"),
        (["url": "https://elsewhere.example.com/users/ann?invitedBy=u-ann"], "not_found"),
        (["url": "not a url at all"], "not_found"),
        (["username": "ann", "invitedBy": "nobody"], "not_found"),
        (["username": "cat", "invitedBy": "u-ann"], "not_found"),
        (["username": "gone", "invitedBy": "u-gone"], "not_found"),
        (["username": "bob", "invitedBy": "u-bob"], "self"),
    ])
    func `row 5: an invite that leads to nobody is ignored, and the sign-up succeeds`(
        invite: Body, reason: String
    ) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("cat")
            try await app.signUp("gone")
            try await app.setStatus("suspended", of: "u-gone")
            let answer = try await signUp(app, "bob", invite)
            #expect(answer.status == 201)
            #expect(answer["invite.outcome"] == "ignored")
            #expect(answer["invite.reason"] == reason)
            #expect(answer["invite.friendship"] == "none")
            #expect(try await app.count("acceptances") == 0)
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test(arguments: ["expired", "revoked", "exhausted"])
    func `row 5: an expired, revoked or exhausted link is ignored with its reason`(reason: String)
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await extraLink(app, ["maxUses": 1, "expiresIn": 3600])
            switch reason {
            case "expired":
                try await app.db.write.run("UPDATE links SET expires_at = now() - interval '1 second'")
            case "revoked": _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            default: _ = try await signUp(app, "first", ["code": code])
            }
            let answer = try await signUp(app, "bob", ["code": code])
            #expect(answer.status == 201)
            #expect(answer["invite.reason"] == reason)
        }
    }

    @Test func `row 5: a full circle of friends is a limit, and the sign-up succeeds`() async throws {
        try await TestApp.run(configure: { $0.friends.friends = 2 }) { app in
            try await app.signUp("ann")
            for name in ["bob", "cat"] {
                #expect(
                    try await signUp(app, name, TestApp.link("ann", "u-ann"))["invite.friendship"]
                        == "friends")
            }
            let answer = try await signUp(app, "dan", TestApp.link("ann", "u-ann"))
            #expect(answer.status == 201)
            #expect(answer["invite.outcome"] == "ignored")
            #expect(answer["invite.reason"] == "limit_reached")
            #expect(try await app.get("/v1/friends/count", as: "u-ann")["count"] == "2")
        }
    }

    @Test func `row 5: the limit holds when many sign up at once`() async throws {
        try await TestApp.run(configure: { $0.friends.friends = 5 }) { app in
            try await app.signUp("ann")
            try await withThrowingDiscardingTaskGroup { group in
                for number in 0..<30 {
                    group.addTask {
                        _ = try await signUp(app, "friend\(number)", TestApp.link("ann", "u-ann"))
                    }
                }
            }
            #expect(try await app.get("/v1/friends/count", as: "u-ann")["count"] == "5")
            #expect(try await app.count("users") == 31)
            #expect(try await app.count("acceptances") == 5)
            try await app.verify()
        }
    }

    @Test func `row 5: a code beside another's uid is nobody's invite`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("eve")
            let code = try await extraLink(app, of: "u-eve")
            let url: Body = ["url": "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)"]
            #expect(try await signUp(app, "bob", url)["invite.reason"] == "not_found")
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `row 6: one who has an account accepts, is never attributed, and may repeat it`() async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let invite: Body = ["code": code]
            let first = try await app.post("/v1/invites/accept", as: "u-bob", invite)
            let before = try await app.footprint()
            let second = try await app.post("/v1/invites/accept", as: "u-bob", invite)
            #expect(first.status == 200)
            #expect(first["friendship"] == "friends")
            #expect(first["attributed"] == "0")
            #expect(second.bytes == first.bytes)
            #expect(try await app.footprint() == before)
            #expect(try await app.count("acceptances") == 0)
        }
    }

    @Test(arguments: [
        TestApp.link("ann", "u-ann"), ["username": "ann", "invitedBy": "u-ann"], ["username": "ann"],
    ])
    func `row 6: a name, with or without its uid, only asks for one who has an account`(invite: Body)
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat", "dan"] { try await app.signUp(name) }
            for _ in 1...2 {
                let asked = try await app.post("/v1/invites/accept", as: "u-bob", invite)
                #expect((asked.status, asked["friendship"]) == (200, "requested"))
            }
            #expect(try await app.friends("u-ann") == [])
            #expect(try await app.requests("incoming", "u-ann") == ["u-bob"])
            // Two wants make friends, here too; and friends stay so.
            try await app.act(.want, "u-ann", on: "u-cat")
            for _ in 1...2 {
                #expect(
                    try await app.post("/v1/invites/accept", as: "u-cat", invite)["friendship"] == "friends")
            }
            try await app.act(.block, "u-ann", on: "u-dan")
            #expect(
                try await app.post("/v1/invites/accept", as: "u-dan", invite)["friendship"] == "requested")
            try await app.verify()
        }
    }

    @Test func `row 6: a tap on a short link carries the code, and so the owner's yes`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let short = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let long = try #require(try await app.get("/\(short)").headers[.location])
            let answer = try await app.post("/v1/invites/accept", as: "u-bob", ["url": long])
            #expect((answer.status, answer["friendship"]) == (200, "friends"))
        }
    }

    @Test func `row 7: a link is never used more often than it allows`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await extraLink(app, ["maxUses": 7])
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let answer = try await signUp(app, "guest\(number)", ["code": code])
                        return try #require(
                            answer["invite.reason"] ?? answer["invite.outcome"], "\(answer.text)")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == "accepted" }.count == 7)
            #expect(outcomes.filter { $0 == "exhausted" }.count == 33)
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann")["uses"] == "7")
            #expect(try await app.count("link_uses") == 7)
            #expect(try await app.count("acceptances") == 7)
            try await app.verify()
        }
    }

    @Test func `username rule 3: two who want one name: one gets it, a thousand times`() async throws {
        try await TestApp.run { app in
            for round in 0..<500 {
                async let one = app.post("/v1/signup", as: "a\(round)", ["username": "name\(round)"])
                async let two = app.post("/v1/signup", as: "b\(round)", ["username": "Name\(round)"])
                let answers = try await [one, two]
                #expect(answers.map(\.status).sorted() == [201, 409])
                #expect(answers.compactMap(\.code) == ["username_taken"])
            }
            for round in 0..<500 {
                async let one = app.rename(try await winner(app, round), to: "next\(round)")
                async let two = app.post("/v1/signup", as: "c\(round)", ["username": "next\(round)"])
                let answers = try await [one, two]
                #expect(answers.filter { $0.status < 300 }.count == 1)
                #expect(answers.compactMap(\.code) == ["username_taken"])
            }
            #expect(try await app.count("usernames WHERE state = 'active'") == app.count("users"))
            try await app.verify()
        }
    }

    private func winner(_ app: TestApp, _ round: Int) async throws -> String {
        try await app.get("/v1/me", as: "a\(round)").status == 200 ? "a\(round)" : "b\(round)"
    }

    @Test func `what one statement of a sign-up refuses leaves nothing behind`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.db.write.run(
                "ALTER TABLE signups ADD CONSTRAINT broken CHECK (username <> 'bob') NOT VALID")
            let before = try await app.footprint()
            #expect(try await signUp(app, "bob", TestApp.link("ann", "u-ann")).status == 500)
            #expect(try await app.footprint() == before)
        }
    }
}
