import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// Users whose invites are frozen.
extension InviteTreeTests {
    @Test func `a frozen user and all below them invite nobody, but others do`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            var codes: [String: [String]] = [:]
            for name in ["ann", "bob", "dan", "cat"] {
                codes[name] = [
                    try #require(try await app.get("/v1/me/invite", as: "u-\(name)")["code"]),
                    try #require(try await app.post("/v1/invites", as: "u-\(name)")["code"]),
                ]
            }
            let done = try await freeze(app, "u-bob")
            #expect((done.status, done["users"]) == (200, "3"))
            for name in ["bob", "dan"] {
                let links =
                    [TestApp.link(name, "u-\(name)"), ["username": name]]
                    + (codes[name] ?? []).map { ["code": $0] }
                for (number, link) in links.enumerated() {
                    let answer = try await app.post(
                        "/v1/signup", as: "u-\(name)\(number)",
                        ["username": "\(name)\(number)", "invite": link])
                    #expect(answer.status == 201)
                    #expect((answer["invite.outcome"], answer["invite.reason"]) == ("ignored", "not_found"))
                    for call in ["resolve", "accept"] {
                        let answer = try await app.post("/v1/invites/\(call)", as: "u-zed", link)
                        #expect((answer.status, answer.code) == (404, "invite_not_found"), "\(link)")
                    }
                }
                #expect(try await app.post("/v1/invites", as: "u-\(name)").code == "inviting_frozen")
            }
            #expect(try await app.post("/v1/invites", as: "u-ann").status == 201)
            let joined = try await app.post(
                "/v1/signup", as: "u-fox", ["username": "fox", "invite": TestApp.link("cat", "u-cat")]
            )
            #expect(joined["invite.outcome"] == "accepted")
            #expect(try await app.count("acceptances") == 5)
            #expect(try await app.get("/v1/me", as: "u-bob")["counts.friends"] == "2")
        }
    }

    @Test func `the page of a frozen user shows them without an invite`() async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let profile = try await app.get("/users/ann?invitedBy=u-nobody")
            let (invite, ask) = try await (app.get("/users/ann?invitedBy=u-ann"), app.get("/users/ann"))
            #expect(invite.bytes != profile.bytes && ask.bytes != profile.bytes)
            _ = try await freeze(app, "u-ann")
            for path in [
                "/users/ann?invitedBy=u-ann", "/users/ann", "/users/ann?invitedBy=u-ann&code=\(code)",
            ] {
                let page = try await app.get(path)
                #expect((page.status, page.bytes) == (200, profile.bytes), "\(path)")
            }
            let renamed = try await app.get("/users/old?invitedBy=u-ann")
            #expect(renamed.headers[.location] == "\(TestApp.origin)/users/ann?invitedBy=u-ann")
            #expect(try await app.get("/\(code)").status == 302)
            let past = try await app.post("/v1/invites/resolve", as: "u-zed", TestApp.link("old", "u-ann"))
            #expect(past.code == "invite_not_found")
            _ = try await unfreeze(app, "u-ann")
            #expect(try await app.get("/users/ann?invitedBy=u-ann").bytes == invite.bytes)
            #expect(try await app.get("/users/ann").bytes == ask.bytes)
        }
    }

    @Test func `freezing again changes only the reason, and lifting it lifts it for all below`() async throws
    {
        try await TestApp.run { app in
            try await populate(app)
            #expect(try await freeze(app, "u-dan", "First")["users"] == "2")
            #expect(try await freeze(app, "u-bob", "Second")["users"] == "1")
            let before = try await tree(app, "u-bob")
            #expect(try await freeze(app, "u-bob", "Third")["users"] == "0")
            let after = try await tree(app, "u-bob")
            #expect((before["frozen.reason"], after["frozen.reason"]) == ("Second", "Third"))
            #expect(before["frozen.at"] == after["frozen.at"])
            #expect(try await tree(app, "u-dan")["frozen.reason"] == "First")
            let above = try await tree(app, "u-ann")
            #expect(above["frozen"] == nil)
            let children = above.json["invitees"] as? [[String: Any]] ?? []
            let reasons = children.map { ($0["frozen"] as? [String: Any])?["reason"] as? String }
            #expect(reasons == [nil, "Third"])
            #expect(try await unfreeze(app, "u-bob")["users"] == "3")
            #expect(try await unfreeze(app, "u-bob")["users"] == "0")
            #expect(try await app.count("users WHERE frozen_at IS NOT NULL") == 0)
            #expect(try await app.post("/v1/invites", as: "u-eve").status == 201)
            #expect(try await freeze(app, "u-nobody").code == "user_not_found")
            #expect(try await unfreeze(app, "u-nobody").code == "user_not_found")
        }
    }

    @Test func `a big branch is frozen in parts`() async throws {
        try await TestApp.run { app in
            try await app.db.withConnection { try await $0.script(Self.chain) }
            let trees = InviteTreeStore(db: app.db, branch: 7)
            let root = User.ID(of: User.UID(stored: "c1"))
            #expect(try await trees.freeze(root, reason: try #require(OperatorReason("x"))) == 150)
            #expect(try await app.count("users WHERE frozen_at IS NULL") == 0)
            #expect(try await trees.unfreeze(root) == 150)
        }
    }

    @Test func `a user who signs up while a branch is being frozen is frozen, too, or not invited`()
        async throws
    {
        try await TestApp.run { app in
            for round in 0..<6 {
                let root = try await app.signUp("root\(round)")
                let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                    for chain in 0..<6 {
                        group.addTask {
                            var (name, uid) = ("root\(round)", root)
                            var last: TestApp.Answer?
                            for step in 0..<4 {
                                let new = "r\(round)_c\(chain)_s\(step)"
                                let code = try await app.get("/v1/me/invite", as: uid)["code"] ?? ""
                                let invite =
                                    chain % 2 == 0 ? TestApp.link(name, uid) : ["code": code]
                                last = try await app.post(
                                    "/v1/signup", as: "u-\(new)",
                                    ["username": new, "invite": invite])
                                (name, uid) = (new, "u-\(new)")
                            }
                            return try #require(last)
                        }
                    }
                    group.addTask {
                        try await waitUntil("some have signed up") {
                            try await app.count("signups") >= 25 * round + 1 + 3 * round
                        }
                        return try await freeze(app, root)
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status < 300 }, "\(answers.map(\.text))")
                #expect(try await below(root, app).isSubset(of: frozen(app)))
            }
            let outcomes = try await app.db.read.query("SELECT outcome, count(*) FROM signups GROUP BY 1") {
                try ($0.next(as: String.self), $0.next(as: Int.self))
            }
            #expect(Set(outcomes.map(\.0)).isSuperset(of: ["accepted", "ignored"]), "no race was run")
            try await app.verify()
        }
    }

    private func frozen(_ app: TestApp) async throws -> Set<User.ID> {
        try await Set(
            app.db.read.query("SELECT id FROM users WHERE frozen_at IS NOT NULL") { try User.ID($0.next()) })
    }

    /// The user, those whom they invited, and so on.
    private func below(_ root: String, _ app: TestApp) async throws -> Set<User.ID> {
        let all = try await app.db.read.query("SELECT inviter_id, invitee_id FROM acceptances") {
            try (inviter: User.ID($0.next()), invitee: User.ID($0.next()))
        }
        let invitees = Dictionary(grouping: all, by: \.inviter)
        var found: Set<User.ID> = []
        var waiting = [User.ID(of: User.UID(stored: root))]
        while let next = waiting.popLast() {
            guard found.insert(next).inserted else { continue }
            waiting += invitees[next, default: []].map(\.invitee)
        }
        return found
    }

    @Test func `freezing waits for a sign-up that locks its inviter, and freezes it, too`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("kim")
            let (ann, kim) = (User.ID(of: User.UID(stored: "u-ann")), User.ID(of: User.UID(stored: "u-kim")))
            let freezing = try await app.db.transaction { signUp in
                try await signUp.run("SELECT FROM users WHERE id = \(ann) FOR NO KEY UPDATE")
                let freezing = Task { try await freeze(app, "u-ann")["users"] }
                try await app.untilSomebodyWaits()
                try await signUp.run(InviteStore.attribute(kim, to: ann, code: nil))
                return freezing
            }
            #expect(try await freezing.value == "2")
            #expect(try await app.post("/v1/invites", as: "u-kim").code == "inviting_frozen")
        }
    }
}
