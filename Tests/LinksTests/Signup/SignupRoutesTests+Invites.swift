import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith

/// Rows 5 to 8: invites that lead to nobody, and callers who have an account.
extension SignupRoutesTests {
    private static let invitesToNobody: [(Body, String)] = [
        (["code": "0123456789abcdef"], "not_found"), (["code": "nonsense"], "not_found"),
        (["url": "https://elsewhere.example.com/users/ann?invitedBy=u-ann"], "not_found"),
        (["url": "not a url at all"], "not_found"),
        (["username": "ann", "invitedBy": "nobody"], "not_found"),
        (["username": "cat", "invitedBy": "u-ann"], "not_found"),
        (["username": "gone", "invitedBy": "u-gone"], "not_found"),
        (["username": "bob", "invitedBy": "u-bob"], "self"),
    ]

    @Test(arguments: invitesToNobody)
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
                try await app.db.write.run("UPDATE invites SET expires_at = now() - interval '1 second'")
            case "revoked": _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            default: _ = try await signUp(app, "first", ["code": code])
            }
            let answer = try await signUp(app, "bob", ["code": code])
            #expect(answer.status == 201)
            #expect(answer["invite.reason"] == reason)
        }
    }

    @Test func `row 5: an inviter at the limit of friends is ignored, and the sign-up succeeds`() async throws
    {
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
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "2")
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
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "5")
            #expect(try await app.count("users") == 31)
            #expect(try await app.count("acceptances") == 5)
            try await app.verify()
        }
    }

    @Test func `row 1: a code beside another user's name and uid counts for nothing`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("eve")
            let code = try await extraLink(app, of: "u-eve")
            let url: Body = ["url": "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)"]
            #expect(try await signUp(app, "bob", url)["invite.inviter.uid"] == "u-ann")
            #expect(try await app.count("invite_uses") == 0)
        }
    }

    @Test func `row 6: a user with an account may accept, repeatedly, and is never attributed`() async throws
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
            #expect(second.bytes == first.bytes)
            #expect(try await app.footprint() == before)
            #expect(try await app.count("acceptances") == 0)
        }
    }

    @Test(arguments: [
        TestApp.link("ann", "u-ann"), ["username": "ann", "invitedBy": "u-ann"], ["username": "ann"],
    ])
    func `row 6: for a user with an account, a name with or without its uid only sends a request`(
        invite: Body
    )
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
            // Two requests make friends here, too, and friends stay friends.
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

    @Test func `row 6: an opened short link carries the code, and so the owner's consent`() async throws {
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
            #expect(try await app.count("invite_uses") == 7)
            #expect(try await app.count("acceptances") == 7)
            try await app.verify()
        }
    }
}
