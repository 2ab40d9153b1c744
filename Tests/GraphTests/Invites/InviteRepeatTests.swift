import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph

/// A link is accepted again because the answer was lost, or because the app sends every link that opens it to
/// `POST /v1/invites/accept`.
@Suite(.inTurns) struct InviteRepeatTests {
    private func accept(_ app: TestApp, _ code: String, as uid: String) async throws -> TestApp.Answer {
        try await app.post("/v1/invites/accept", as: uid, ["code": code])
    }

    private func issue(_ app: TestApp, _ draft: Body) async throws -> String {
        try #require(try await app.post("/v1/invites", as: "u-ann", draft)["code"])
    }

    private static let ways = ["used up", "revoked", "expired", "alive"]

    private func kill(_ code: String, _ way: String, _ app: TestApp) async throws {
        switch way {
        case "revoked":
            #expect(try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann").status == 200)
        case "expired":
            try await app.db.write.run("UPDATE invites SET expires_at = now() WHERE code = \(code)")
        default: break
        }
    }

    @Test(arguments: Self.ways, ["auto", "ask"])
    func `row 8: a user who has used a link gets the same answer again, even if the link is dead`(
        way: String, friendship: String
    ) async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            let uses = way == "used up" ? 1 : 3
            let code = try await issue(app, ["maxUses": uses, "friendship": friendship])
            let first = try await accept(app, code, as: "u-bob")
            #expect(
                (first.status, first["friendship"]) == (200, friendship == "auto" ? "friends" : "requested"))
            try await kill(code, way, app)
            let before = try await app.footprint()
            let again = try await accept(app, code, as: "u-bob")
            #expect((again.status, again.bytes) == (200, first.bytes))
            let url = "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)"
            let byURL = try await app.post("/v1/invites/accept", as: "u-bob", ["url": url])
            #expect((byURL.status, byURL.bytes) == (200, first.bytes))
            #expect(try await app.footprint() == before)
            if way != "alive" { #expect(try await accept(app, code, as: "u-cat").status == 410) }
            // With somebody else's name and uid, the code counts for nothing.
            let forged = "\(TestApp.origin)/users/cat?invitedBy=u-cat&code=\(code)"
            let asked = try await app.post("/v1/invites/accept", as: "u-bob", ["url": forged])
            #expect((asked["inviter.uid"], asked["friendship"]) == ("u-cat", "requested"))
            try await app.verify()
        }
    }

    @Test(arguments: Self.ways, ["auto", "ask"])
    func `resolve tells those who used a link what accepting it again makes`(
        way: String, friendship: String
    ) async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat", "dan"] { try await app.signUp(name) }
            let uses = way == "used up" ? 1 : 3
            let code = try await issue(app, ["maxUses": uses, "friendship": friendship])
            _ = try await accept(app, code, as: "u-bob")
            try await app.befriend("u-ann", "u-cat")
            try await kill(code, way, app)
            for uid in ["u-bob", "u-cat", "u-dan"] {
                let resolved = try await app.post("/v1/invites/resolve", as: uid, ["code": code])
                let accepted = try await accept(app, code, as: uid)
                #expect(
                    (resolved.status, resolved.code, resolved["friendship"])
                        == (accepted.status, accepted.code, accepted["friendship"]), "\(uid)")
            }
            // One who left may come back by a link that works.
            try await app.act(.unwant, "u-bob", on: "u-ann")
            let resolved = try await app.post("/v1/invites/resolve", as: "u-bob", ["code": code])
            let accepted = try await accept(app, code, as: "u-bob")
            let result = way != "alive" ? "none" : friendship == "auto" ? "friends" : "requested"
            #expect(resolved["friendship"] == result && accepted["friendship"] == result)
            let counted = try await app.get("/v1/invites/\(code)", as: "u-ann")["uses"]
            #expect(counted == (way == "alive" ? "2" : "1"))
            try await app.verify()
        }
    }

    @Test func `resolve tells that an invite of one who asked the caller makes friends`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            let code = try await issue(app, ["friendship": "ask"])
            let invites: [(String, Body)] = [
                ("u-bob", ["code": code]), ("u-cat", TestApp.link("ann", "u-ann")),
            ]
            for (uid, invite) in invites {
                try await app.act(.want, "u-ann", on: uid)
                let resolved = try await app.post("/v1/invites/resolve", as: uid, invite)
                #expect((resolved["relationship"], resolved["friendship"]) == ("incoming", "friends"))
                let accepted = try await app.post("/v1/invites/accept", as: uid, invite)
                #expect(accepted["friendship"] == "friends")
            }
        }
    }

    @Test func `a name that is not the inviter's leads nowhere, whatever the code`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.rename("u-ann", to: "anna", oldLinks: "sever")
            let code = try await issue(app, [:])
            for name in ["bob", "nobody", "ann"] {
                let path = "/users/\(name)?invitedBy=u-ann&code=\(code)"
                #expect(try await app.get(path).status == 404)
                let invite: Body = ["url": .some(TestApp.origin + path)]
                for call in ["/v1/invites/resolve", "/v1/invites/accept"] {
                    let answer = try await app.post(call, as: "u-bob", invite)
                    #expect((answer.status, answer.code) == (404, "invite_not_found"), "\(name) \(call)")
                }
                let answer = try await app.post(
                    "/v1/signup", as: "u-\(name)-2", ["username": .some("\(name)_2"), "invite": invite])
                #expect((answer["invite.outcome"], answer["invite.reason"]) == ("ignored", "not_found"))
            }
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `row 8: a user who signed up by a link of one use may also accept it`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await issue(app, ["maxUses": 1])
            try await app.signUp("bob", invite: ["code": code])
            let answer = try await accept(app, code, as: "u-bob")
            #expect((answer.status, answer["friendship"]) == (200, "friends"))
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann")["uses"] == "1")
        }
    }

    @Test
    func `row 8: a friend who accepts a link uses none of its uses, and gets an answer even if it is dead`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            let code = try await issue(app, ["maxUses": 1])
            #expect(try await accept(app, code, as: "u-bob")["friendship"] == "friends")
            let shown = try await app.get("/v1/invites/\(code)", as: "u-ann")
            #expect(shown["uses"] == "0")
            #expect(try await app.list("/v1/invites/\(code)/joined", "joined", as: "u-ann").isEmpty)
            let new = try await app.post(
                "/v1/signup", as: "u-cat", ["username": "cat", "invite": ["code": code]])
            #expect(new["invite.outcome"] == "accepted")
            #expect(try await accept(app, code, as: "u-bob")["friendship"] == "friends")
            try await app.verify()
        }
    }

    @Test func `row 8: two concurrent calls of one user use a link once, and both are answered`() async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for round in 0..<20 {
                let (guest, code) = try await (app.signUp("bob\(round)"), issue(app, ["maxUses": 1]))
                async let one = accept(app, code, as: guest)
                async let two = accept(app, code, as: guest)
                for answer in try await [one, two] {
                    #expect((answer.status, answer["friendship"]) == (200, "friends"))
                }
            }
            #expect(try await app.count("invites WHERE uses = 1") == 20)
            try await app.verify()
        }
    }

    @Test func `row 8: a link that asked and no longer does makes friends of one who used it`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let code = try await issue(app, ["friendship": "ask", "maxUses": 1])
            #expect(try await accept(app, code, as: "u-bob")["friendship"] == "requested")
            _ = try await app.call(
                .patch, "/v1/invites/\(code)", as: "u-ann", body: ["friendship": "auto", "maxUses": 2])
            #expect(try await accept(app, code, as: "u-bob")["friendship"] == "friends")
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann")["uses"] == "1")
            try await app.verify()
        }
    }

    @Test func `row 8: a used link that is revoked by the time of the write is no invite`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let code = try await issue(app, [:])
            #expect(try await accept(app, code, as: "u-bob")["friendship"] == "friends")
            try await app.act(.unwant, "u-bob", on: "u-ann")
            let calling = try await app.db.transaction { meanwhile in
                try await meanwhile.run("UPDATE users SET revision = revision + 1 WHERE uid = 'u-ann'")
                try await meanwhile.run("UPDATE invites SET revoked_at = now() WHERE code = \(code)")
                let calling = Task { try await accept(app, code, as: "u-bob") }
                try await app.untilSomebodyWaits()
                return calling
            }
            let answer = try await calling.value
            #expect((answer.status, answer.code) == (410, "invite_revoked"))
            #expect(try await app.friends("u-ann") == [])
        }
    }

    @Test func `row 8: a used link does not bring back a friendship that its owner ended`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let code = try await issue(app, [:])
            #expect(try await accept(app, code, as: "u-bob")["friendship"] == "friends")
            #expect(try await app.act(.unwant, "u-ann", on: "u-bob").status == 200)
            let again = try await accept(app, code, as: "u-bob")
            #expect((again.status, again["friendship"]) == (200, "requested"))
            #expect(try await app.relationship("u-ann", "u-bob") == "incoming")
        }
    }
}
