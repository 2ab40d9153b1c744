import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph

/// The table "Sign-up and invite" over HTTP: one test for each row.
@Suite(.inTurns) struct SignupRoutesTests {
    func signUp(_ app: TestApp, _ name: String, _ invite: Body) async throws -> TestApp.Answer {
        try await app.post("/v1/signup", as: "u-\(name)", ["username": name, "invite": invite])
    }

    func extraLink(_ app: TestApp, _ body: Body = [:], of uid: String = "u-ann") async throws
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
    func `row 1: name and uid prove an invite, even by a past name`(invite: Body) async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            #expect(try await signUp(app, "bob", invite)["invite.friendship"] == "friends")
        }
    }

    @Test func `row 1: a code proves an invite: that of the permanent link or of a custom one`()
        async throws
    {
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

    @Test func `row 1: an ask link leaves a request`() async throws {
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

    @Test func `row 1: a newcomer whom the inviter asked before is told of the friendship`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.act(.want, "u-ann", on: "u-bob")
            #expect(try await signUp(app, "bob", ["username": "ann"])["invite.friendship"] == "friends")
            #expect(try await app.friends("u-bob") == ["u-ann"])
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

    @Test func `row 2: a replay has the link as it is by then, which leads to the user`() async throws {
        try await TestApp.run { app in
            let first = try await app.post("/v1/signup", as: "u-bob", ["username": "bob"])
            #expect(first["link.url"] == "https://join.example.com/users/bob?invitedBy=u-bob")
            #expect(try await app.get("/v1/me/invite", as: "u-bob")["code"] == first["link.code"])
            try await app.rename("u-bob", to: "robert", oldLinks: "sever")
            let rotated = try await app.post("/v1/me/invite/rotate", as: "u-bob")
            let second = try await app.post("/v1/signup", as: "u-bob", ["username": "bob"])
            #expect((second.status, second["user.username"]) == (200, "bob"))
            #expect(second["link.url"] == "https://join.example.com/users/robert?invitedBy=u-bob")
            #expect(second["link.code"] == rotated["code"] && second["link.code"] != first["link.code"])
        }
    }

    @Test func `row 2: of many at the same instant one gets 201, and all get the same body`() async throws {
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
    func `row 4: an unavailable name writes nothing, and the invite stays valid`(
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

    @Test func `username rule 3: of two users who want one name exactly one gets it, a thousand times`()
        async throws
    {
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

    @Test func `a sign-up refused by one statement leaves nothing behind`() async throws {
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
