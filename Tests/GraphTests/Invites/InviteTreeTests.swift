import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// The tree of invites, and freezing.
@Suite(.inTurns) struct InviteTreeTests {
    func admin(_ app: TestApp) async throws -> HTTPFields {
        [.authorization: "Bearer \(try await APIKeyStore(db: app.db).create(name: "t", scope: .admin))"]
    }

    func tree(_ app: TestApp, _ uid: String, _ query: String = "") async throws -> TestApp.Answer {
        try await app.get("/v1/admin/users/\(uid)/invitees\(query)", headers: admin(app))
    }

    func freeze(_ app: TestApp, _ uid: String, _ reason: String = "Spam ring") async throws
        -> TestApp.Answer
    {
        try await app.call(
            .put, "/v1/admin/users/\(uid)/invite-freeze", headers: admin(app), body: ["reason": reason])
    }

    func unfreeze(_ app: TestApp, _ uid: String) async throws -> TestApp.Answer {
        try await app.call(.delete, "/v1/admin/users/\(uid)/invite-freeze", headers: admin(app))
    }

    /// ann invited bob and cat, bob invited dan, dan invited eve; zed stands alone.
    func populate(_ app: TestApp) async throws {
        for name in ["ann", "zed"] { try await app.signUp(name) }
        for (name, inviter) in [("bob", "ann"), ("cat", "ann"), ("dan", "bob"), ("eve", "dan")] {
            try await app.signUp(name, invite: TestApp.link(inviter, "u-\(inviter)"))
        }
    }

    func uids(_ answer: TestApp.Answer) -> [String] {
        (answer.json["invitees"] as? [[String: Any]] ?? []).compactMap { $0["uid"] as? String }
    }

    func invited(_ answer: TestApp.Answer) -> [Int] {
        (answer.json["invitees"] as? [[String: Any]] ?? []).compactMap { $0["invited"] as? Int }
    }

    func levels(_ answer: TestApp.Answer) -> [Int] {
        (answer.json["below"] as? [[String: Int]] ?? []).map { $0["users"] ?? 0 }
    }

    @Test func `a user sees whom they invited, newest first, by pages, and their relationship to each`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for number in 0..<7 { try await app.signUp("new\(number)", invite: TestApp.link("ann", "u-ann")) }
            _ = try await app.call(.delete, "/v1/friends/u-new3", as: "u-ann")
            _ = try await app.call(.put, "/v1/blocks/u-new4", as: "u-ann")
            func all(_ field: String) async throws -> [String] {
                try await app.list("/v1/me/invitees", "invitees", field, as: "u-ann", limit: 3)
            }
            #expect(try await all("username") == (0..<7).reversed().map { "new\($0)" })
            #expect(
                try await all("relationship")
                    == ["friends", "friends", "blocked", "none", "friends", "friends", "friends"])
            #expect(try await app.get("/v1/me/invitees", as: "u-new0").text.contains(#""invitees":[]"#))
        }
    }

    @Test func `lists of invited users leave out suspended and deleted ones, and every page is full`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            for name in ["gone", "left", "foe", "kim"] {
                try await app.signUp(name, invite: ["code": code])
            }
            try await app.setStatus("suspended", of: "u-gone")
            try await app.setStatus("deleted", of: "u-left")
            _ = try await app.call(.put, "/v1/blocks/u-ann", as: "u-foe")
            for (path, entries) in [
                ("/v1/me/invitees", "invitees"), ("/v1/invites/\(code)/joined", "joined"),
            ] {
                var pages = 0
                let all = try await app.list(path, entries, as: "u-ann", limit: 1) {
                    pages += 1
                    #expect($0.count == pages, "\(path)")
                }
                #expect(all == ["u-kim", "u-foe"], "\(path)")
            }
            #expect(try await app.get("/v1/invites/\(code)", as: "u-ann")["uses"] == "4")
        }
    }

    @Test func `an operator walks the tree, with counts by depth`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let top = try await tree(app, "u-ann")
            #expect(levels(top) == [2, 1, 1])
            #expect((top["total"], top["complete"], top["status"]) == ("4", "1", "active"))
            #expect(uids(top) == ["u-cat", "u-bob"])
            let first = try await tree(app, "u-ann", "?limit=1")
            #expect(uids(first) == ["u-cat"])
            #expect(invited(try await tree(app, "u-ann")) == [0, 1])
            let next = try #require(first["next"])
            let second = try await tree(app, "u-ann", "?limit=1&after=\(next)")
            #expect(uids(second) == ["u-bob"] && second["next"] == nil)
            #expect(try await tree(app, "u-bob", "?after=\(next)").status == 400)
            let bob = try await tree(app, "u-bob")
            #expect((bob["invitedBy"], levels(bob), uids(bob)) == ("u-ann", [1, 1], ["u-dan"]))
            let alone = try await tree(app, "u-zed")
            #expect((alone["total"], alone["invitedBy"], uids(alone)) == ("0", nil, []))
            #expect(try await tree(app, "u-nobody").code == "user_not_found")
        }
    }

    @Test func `a deleted account is counted in the tree, without a name`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            try await app.setStatus("deleted", of: "u-bob")
            let top = try await tree(app, "u-ann")
            #expect(levels(top) == [2, 1, 1])
            let bob = try #require(
                (top.json["invitees"] as? [[String: Any]])?.first { $0["uid"] as? String == "u-bob" })
            #expect(bob["status"] as? String == "deleted" && bob["username"] == nil)
            #expect(uids(try await tree(app, "u-bob")) == ["u-dan"])
        }
    }

    @Test func `a tree is counted down to a limit, and says so`() async throws {
        try await TestApp.run { app in
            try await app.db.withConnection { try await $0.script(Self.chain) }
            let top = try await tree(app, "c1")
            #expect(levels(top).count == InviteTree.maxDepth)
            #expect((top["total"], top["complete"]) == ("100", "0"))
            let lower = try await tree(app, "c51")
            #expect((lower["total"], lower["complete"]) == ("99", "1"))
            #expect(try await freeze(app, "c1")["users"] == "150")
        }
    }

    /// c1 invited c2, who invited c3, and so on.
    static let chain = """
        INSERT INTO users (id, uid, username) SELECT user_id('c' || n), 'c' || n, 'c' || n FROM generate_series(1, 150) n;
        INSERT INTO acceptances (invitee_id, inviter_id)
            SELECT user_id('c' || (n + 1)), user_id('c' || n) FROM generate_series(1, 149) n;
        """
}
