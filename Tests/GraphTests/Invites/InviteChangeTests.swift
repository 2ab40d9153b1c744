import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith

/// `PATCH /v1/invites/{code}`.
@Suite(.inTurns) struct InviteChangeTests {
    private func make(_ app: TestApp, _ body: Body = [:]) async throws -> String {
        try #require(try await app.post("/v1/invites", as: "u-ann", body)["code"])
    }

    private func change(_ app: TestApp, _ code: String, _ body: Body, as uid: String = "u-ann") async throws
        -> TestApp.Answer
    {
        try await app.call(.patch, "/v1/invites/\(code)", as: uid, body: body)
    }

    @Test func `a change sets what it names and leaves the rest`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await make(app, ["label": "Party", "maxUses": 5])
            let changed = try await change(
                app, code, ["note": "Bring cake", "friendship": "ask", "expiresIn": 3600, "maxUses": 9])
            #expect(changed.status == 200)
            #expect(
                (changed["label"], changed["note"], changed["friendship"], changed["maxUses"]) == (
                    "Party", "Bring cake", "ask", "9"
                ))
            #expect(changed["expiresAt"] != nil)
            let shown = try await app.get("/v1/invites/\(code)", as: "u-ann")
            #expect(shown.bytes == changed.bytes)
            #expect(try await change(app, code, [:]).bytes == changed.bytes)
            try await app.verify()
        }
    }

    @Test(
        arguments: [
            (["label": ""], "label"), (["note": ""], "note"), (["maxUses": 0], "maxUses"),
            (["expiresIn": 0], "expiresAt"),
        ] as [(Body, String)])
    func `an empty text and 0 remove`(body: Body, member: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await make(app, ["label": "a", "note": "b", "maxUses": 1, "expiresIn": 60])
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann")[member] != nil)
            let changed = try await change(app, code, body)
            #expect(changed.status == 200 && changed[member] == nil)
        }
    }

    @Test func `beyond a lowered limit, links can be changed, but not revived`() async throws {
        try await TestApp.run(configure: { $0.invites.links = 2 }) { app in
            try await app.signUp("ann")
            let code = try await make(app)
            let dead = try await make(app, ["maxUses": 1])
            try await app.signUp("bob", invite: ["code": dead])
            try await app.db.write.batch([
                "INSERT INTO invites (code, owner_id, kind) SELECT 'more' || n, user_id('u-ann'), 'custom' FROM generate_series(1, 3) n",
                "INSERT INTO invites_by_owner (owner_id, code, kind) SELECT owner_id, code, kind FROM invites WHERE code LIKE 'more%'",
            ])
            for body: Body in [["friendship": "ask"], ["expiresIn": 60], ["label": "x"], ["maxUses": 1]] {
                #expect(try await change(app, code, body).status == 200)
            }
            #expect(try await change(app, dead, ["label": "x"]).status == 200)
            #expect(try await change(app, dead, ["maxUses": 2]).code == "link_limit")
        }
    }

    /// As an encoder sends it that writes all members.
    @Test func `null changes nothing`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await make(
                app, ["label": "a", "note": "b", "maxUses": 1, "expiresIn": 60, "friendship": "ask"])
            let before = try await app.get("/v1/invites/\(code)", as: "u-ann")
            let changed = try await change(
                app, code,
                ["label": nil, "note": nil, "maxUses": nil, "expiresIn": nil, "friendship": nil])
            #expect((changed.status, changed.bytes) == (200, before.bytes))
        }
    }

    @Test func `white space around label and note is dropped`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let made = try await app.post("/v1/invites", as: "u-ann", ["label": " x ", "note": "y "])
            #expect((made.status, made["label"], made["note"]) == (201, "x", "y"))
            let changed = try await change(app, made["code"] ?? "", ["label": "z\u{3000}"])
            #expect((changed.status, changed["label"], changed["note"]) == (200, "z", "y"))
        }
    }

    @Test func `a link cannot allow fewer uses than it has had`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await make(app)
            for name in ["bob", "cat"] { try await app.signUp(name, invite: ["code": code]) }
            let refused = try await change(app, code, ["label": "x", "maxUses": 1])
            #expect((refused.status, refused.code, refused["field"]) == (409, "uses_exceeded", "maxUses"))
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann")["label"] == nil)
            #expect(try await change(app, code, ["maxUses": 2]).status == 200)
            #expect(try await app.get("/\(code)").status == 410)
        }
    }

    @Test func `an expired link may be revived, within the limit of links, and a revoked one may not`()
        async throws
    {
        try await TestApp.run(configure: { $0.invites.links = 1 }) { app in
            try await app.signUp("ann")
            let code = try await make(app)
            try await app.db.write.run("UPDATE invites SET expires_at = now() WHERE code = \(code)")
            #expect(try await app.get("/\(code)").status == 410)
            let other = try await make(app)
            let refused = try await change(app, code, ["expiresIn": 0])
            #expect((refused.status, refused.code) == (409, "link_limit"))
            #expect(try await app.get("/\(code)").status == 410)
            _ = try await app.call(.delete, "/v1/invites/\(other)", as: "u-ann")
            #expect(try await change(app, code, ["expiresIn": 0]).status == 200)
            #expect(try await app.get("/\(code)").status == 302)
            #expect(try await change(app, other, ["label": "old"])["revokedAt"] != nil)
            #expect(try await app.get("/\(other)").status == 410)
            try await app.verify()
        }
    }

    @Test func `only the owner changes a link, and only a custom one`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            let code = try await make(app, ["label": "mine"])
            let personal = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            for (code, uid) in [
                (code, "u-bob"), (personal, "u-ann"), ("0000000000000000", "u-ann"), ("x", "u-ann"),
            ] {
                let refused = try await change(app, code, ["label": "x"], as: uid)
                #expect((refused.status, refused.code) == (404, "invite_not_found"))
            }
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann")["label"] == "mine")
        }
    }

    @Test(
        arguments: [
            (["label": 1], "label"), (["note": true], "note"), (["note": "a\nb"], "note"),
            (["note": " "], "note"),
            (["note": "\u{202E}a"], "note"), (["note": .init(String(repeating: "x", count: 141))], "note"),
            (["label": .init(String(repeating: "x", count: 101))], "label"), (["maxUses": -1], "maxUses"),
            (["maxUses": 1_000_001], "maxUses"), (["maxUses": "1"], "maxUses"),
            (["expiresIn": -1], "expiresIn"),
            (["expiresIn": 315_360_001], "expiresIn"), (["friendship": ""], "friendship"),
            (["friendship": "off"], "friendship"),
            (["code": "x"], "code"),
        ] as [(Body, String)])
    func `bad input names its field and changes nothing`(body: Body, field: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try await make(app, ["label": "a"])
            let before = try await app.get("/v1/invites/\(code)", as: "u-ann").bytes
            let refused = try await change(app, code, body)
            #expect(refused.status == 400 && refused["field"] == field, "\(refused.text)")
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann").bytes == before)
        }
    }

    @Test func `a change meets a use at the same instant, and the link is never used too often`() async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for name in ["bob", "cat", "dan"] { try await app.signUp(name) }
            for _ in 0..<10 {
                let code = try await make(app, ["maxUses": 3])
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for name in ["bob", "cat", "dan"] {
                        group.addTask {
                            try await app.post("/v1/invites/accept", as: "u-\(name)", ["code": code]).status
                        }
                    }
                    group.addTask { try await change(app, code, ["maxUses": 1]).status }
                    for try await status in group { #expect([200, 404, 409, 410].contains(status)) }
                }
                try await app.verify()
            }
        }
    }
}
