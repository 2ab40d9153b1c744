import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Operations
@testable import Web

/// What operators do on behalf of users.
@Suite(.inTurns) struct SupportTests {
    @Test func `a user is found by uid, by a name they have or had, and by a code, whatever their status is`()
        async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.signUp("ann0", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            try await app.setStatus("suspended", of: "u-ann")
            for query in ["uid=u-ann", "username=ANN", "username=@ann", "username=%40ann0", "code=\(code)"] {
                let found = try await app.asked("/v1/admin/users?\(query)", admin)
                #expect((found["user.uid"], found["user.status"]) == ("u-ann", "suspended"), "\(query)")
            }
            #expect(try await app.asked("/v1/admin/users?username=ann0", admin)["name.state"] == "held")
            #expect(try await app.asked("/v1/admin/users?code=\(code)", admin)["code.state"] == "inForce")
            for query in ["uid=u-nobody", "username=nobody", "code=0123456789abcdef"] {
                #expect(
                    try await app.get("/v1/admin/users?\(query)", headers: admin).code == "user_not_found")
            }
            for (query, field) in [
                ("", "uid"), ("uid=", "uid"), ("username=%0A", "username"), ("code=x", "code"),
                ("uid=a&username=a", "uid"),
            ] {
                let refused = try await app.get("/v1/admin/users?\(query)", headers: admin)
                #expect((refused.status, refused["field"]) == (400, field), "\(query)")
            }
        }
    }

    @Test func `an operator renames during a cool-down, by the rules for names, and old links lead on`()
        async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.age("u-ann", hours: 48)
            try await app.rename("u-ann", to: "ann1")
            func rename(_ name: String, _ body: Body) async throws -> TestApp.Answer {
                try await app.call(.put, "/v1/admin/users/u-ann/username", headers: admin, body: body)
            }
            #expect(try await app.rename("u-ann", to: "ann2").status == 200)
            #expect(try await app.rename("u-ann", to: "ann3").code == "username_cooldown")
            let renamed = try await rename("ann3", ["username": "Ann3", "reason": "asked by mail"])
            #expect((renamed.status, renamed["username"]) == (200, "Ann3"), "\(renamed.text)")
            #expect(
                try await app.get("/users/ann?invitedBy=u-ann").headers[.location]
                    == "\(TestApp.origin)/users/Ann3?invitedBy=u-ann")
            let severed = try await rename("", ["username": "ann4", "reason": "x", "oldLinks": "sever"])
            #expect(severed.status == 200)
            #expect(try await app.get("/users/ann3?invitedBy=u-ann").status == 404)
            #expect(try await rename("", ["username": "bob", "reason": "x"]).code == "username_taken")
            #expect(try await rename("", ["username": "a", "reason": "x"]).code == "username_invalid")
            for body in [
                ["username": "ann5"], ["username": "ann5", "reason": " "],
                ["username": "ann5", "reason": "a\nb"], ["username": "ann5", "reason": "\u{3164}"],
                ["username": "ann5", "reason": "a\u{202E}b"], ["username": "ann5", "reason": "a\u{2028}b"],
            ] as [Body] {
                let refused = try await rename("", body)
                #expect((refused.status, refused["field"]) == (400, "reason"), "\(body)")
            }
            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await rename("", ["username": "ann5", "reason": "x"]).code == "account_suspended")
            try await app.verify()
        }
    }

    @Test func `an operator takes a link back, once`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.signUp("ann")
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let bare = try await app.call(.delete, "/v1/admin/invites/\(code)", headers: admin)
            #expect((bare.status, bare["field"]) == (400, "reason"))
            for _ in 0..<2 {
                let revoked = try await app.call(
                    .delete, "/v1/admin/invites/\(code)?reason=leaked", headers: admin)
                #expect((revoked.status, revoked["state"]) == (200, "revoked"), "\(revoked.text)")
            }
            #expect(try await app.get("/\(code)").status == 410)
            #expect(try await app.count("audit") == 1)
            let unknown = try await app.call(
                .delete, "/v1/admin/invites/0123456789abcdef?reason=x", headers: admin)
            #expect(unknown.code == "invite_not_found")
        }
    }

    @Test func `the code of a permanent link is not taken back, and the answer says what helps`() async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let path = "/v1/admin/invites/\(code)?reason=leaked"
            let refused = try await app.call(.delete, path, headers: admin)
            #expect((refused.status, refused.code) == (409, "permanent_link"), "\(refused.text)")
            #expect(refused["detail"]?.contains("rotates") == true)
            #expect(refused["detail"]?.contains("invite-freeze") == true)
            #expect(try await app.get("/\(code)").status == 302)
            _ = try await app.post("/v1/me/invite/rotate", as: "u-ann")
            let gone = try await app.call(.delete, path, headers: admin)
            #expect((gone.status, gone["state"]) == (200, "revoked"), "\(gone.text)")
            #expect(try await app.count("audit") == 0)
        }
    }

    @Test func `an operator deletes an account as its user could, once`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            for _ in 0..<2 {
                let deleted = try await app.post(
                    "/v1/admin/users/u-ann/deletion", as: nil, headers: admin, ["reason": "asked by mail"])
                #expect((deleted.status, deleted["status"]) == (200, "deleted"), "\(deleted.text)")
            }
            #expect(try await app.get("/v1/me", as: "u-ann").code == "account_deleted")
            #expect(try await app.friends("u-bob").isEmpty)
            #expect(try await app.count("audit") == 1)
            let bare = try await app.post("/v1/admin/users/u-bob/deletion", as: nil, headers: admin)
            #expect((bare.status, bare["field"]) == (400, "reason"))
            try await app.verify()
        }
    }

    @Test func `an operator deletes a suspended account, and nobody who lost sight of it is told again`()
        async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.makeAnnInEveryRelation()
            try await app.befriend("u-gus", "u-ann")
            try await app.setStatus("suspended", of: "u-ann")
            let away = Date()
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").code == "account_suspended")
            let told = try await app.told {
                for _ in 0..<2 {
                    let deleted = try await app.post(
                        "/v1/admin/users/u-ann/deletion", as: nil, headers: admin, ["reason": "asked by mail"]
                    )
                    #expect((deleted.status, deleted["status"]) == (200, "deleted"), "\(deleted.text)")
                    #expect(deleted["statusReason"] == nil)
                }
            }
            #expect(told == ["user.deleted u-ann:"])
            #expect(try await app.get("/v1/me", as: "u-ann").code == "account_deleted")
            for uid in TestApp.uidsAroundAnn where uid != "u-ann" {
                #expect(try await !app.friends(uid).contains("u-ann"), "\(uid)")
            }
            #expect(
                try await app.count(
                    "relationships WHERE other_uid = 'u-ann' AND (since IS NOT NULL OR they_want OR they_away)"
                ) == 0)
            let at = PercentEncoding.encode(JSON.timestamp(away))
            let friends = "/v1/admin/friends/u-ann/u-fay"
            #expect(try await app.asked("\(friends)?at=\(at)", admin)["answer"] == "friends")
            for other in ["u-fay", "u-ian"] {
                let now = try await app.asked("/v1/admin/friends/u-ann/\(other)", admin)
                #expect(now["answer"] == "not_friends", "\(other)")
            }
            #expect(try await app.count("audit") == 1)
            try await app.verify()
        }
    }

    /// ann invited bob and cat, bob invited dan, dan invited eve, who is no friend of Dan any more; zed
    /// stands alone.
    private func populate(_ app: TestApp) async throws {
        for name in ["ann", "zed"] { try await app.signUp(name) }
        for (name, inviter) in [("bob", "ann"), ("cat", "ann"), ("dan", "bob"), ("eve", "dan")] {
            try await app.signUp(name, invite: TestApp.link(inviter, "u-\(inviter)"))
        }
        try await app.act(.unwant, "u-eve", on: "u-dan")
        try await app.befriend("u-cat", "u-zed")
        try await app.befriend("u-bob", "u-cat")
    }

    @Test
    func
        `undoing a branch counts first, then freezes it and parts invitees from their inviters, and no others`()
        async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await populate(app)
            func undo(dry: Bool) async throws -> TestApp.Answer {
                try await app.post(
                    "/v1/admin/users/u-ann/undo-invites", as: nil, headers: admin,
                    ["reason": "ring", "dryRun": dry])
            }
            let before = try await app.footprint()
            let counted = try await undo(dry: true)
            #expect(
                (counted["users"], counted["friendships"], counted["ended"]) == ("4", "3", "0"),
                "\(counted.text)")
            #expect(counted["unfrozen"] == "5")
            #expect(try await app.footprint() == before)
            #expect(try await app.count("audit") == 0)
            let done = try await undo(dry: false)
            #expect((done["frozen"], done["ended"], done["friendships"]) == ("5", "3", "0"), "\(done.text)")
            #expect(done["unfrozen"] == "0")
            let kept = try await app.db.read.query("SELECT details FROM audit WHERE act = 'undo_invites'") {
                try $0.next(as: String.self)
            }
            #expect(kept == [#"{"friendships":"3","unfrozen":"5","users":"4"}"#], "what it began with")
            for uid in ["u-ann", "u-dan"] { #expect(try await app.friends(uid).isEmpty) }
            #expect(try await app.friends("u-cat").sorted() == ["u-bob", "u-zed"])
            #expect(try await app.get("/users/dan?invitedBy=u-dan").status == 200)
            #expect(try await app.post("/v1/invites", as: "u-dan").code == "inviting_frozen")
            let again = try await undo(dry: false)
            #expect((again["frozen"], again["ended"]) == ("0", "0"))
            try await app.verify()
        }
    }

    @Test func `undoing goes on where it broke off, also for suspended and deleted users`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            try await app.setStatus("suspended", of: "u-ann")
            try await app.setStatus("deleted", of: "u-dan")
            var undoing = InviteUndoing(
                trees: InviteTreeStore(db: app.db), friends: FriendStore(db: app.db), limits: FriendLimits())
            undoing.most = 1
            let ann = User.ID(of: User.UID(stored: "u-ann"))
            let reason = try #require(OperatorReason("ring"))
            let act = OperatorAct(by: AuditActor(.key, "k"), kind: .undoInvites, user: ann, reason: reason)
            for left in [1, 0, 0] {
                let count = try #require(try await undoing.undo(ann, act, reason: reason))
                #expect(count.friendships == left)
            }
            try await app.setStatus("active", of: "u-ann")
            #expect(try await app.friends("u-ann").isEmpty)
            try await app.verify()
        }
    }
}
