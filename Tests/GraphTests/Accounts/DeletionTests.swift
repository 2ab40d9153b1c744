import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Web

/// Deletion of an account.
@Suite(.inTurns) struct DeletionTests {
    @Test func `deletion ends every relationship on both sides, and forgets it`() async throws {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            try await app.age("u-ann", hours: 25)
            try await app.rename("u-ann", to: "anna")
            try await app.age("u-ann", hours: 25)
            let extra = try #require(
                try await app.post("/v1/invites", as: "u-ann", ["label": "Party"])["code"])
            let personal = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            _ = try await app.call(.delete, "/v1/suggestions/u-gus", as: "u-ann")
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            for uid in TestApp.uidsAroundAnn where uid != "u-ann" {
                for (path, body) in try await app.seen(by: uid, others: TestApp.uidsAroundAnn)
                where path != "batch" && !path.contains("u-ann") {
                    let isOwnAct =
                        path == "/v1/requests?direction=outgoing" && ["u-ian", "u-dee"].contains(uid)
                        || path == "/v1/blocks" && uid == "u-bea"
                    #expect(body.contains("u-ann") == isOwnAct, "\(uid) \(path) \(body)")
                    #expect(!body.contains(AccountStore.noName) && !body.contains("anna"), "\(uid) \(path)")
                }
            }
            for path in [
                "/users/anna?invitedBy=u-ann", "/users/ann?invitedBy=u-ann", "/users/anna", "/\(extra)",
                "/\(personal)",
            ] {
                #expect(try await app.get(path).status == 404, "\(path)")
            }
            #expect(try await app.get("/v1/me", as: "u-ann").code == "account_deleted")
            let left = try await app.db.read.first(
                """
                SELECT (SELECT count(*) FROM relationships WHERE since IS NOT NULL AND other_uid = 'u-ann'),
                       (SELECT count(*) FROM signups WHERE user_id = user_id('u-ann')),
                       (SELECT count(*) FROM signups WHERE inviter_uid = 'u-ann'),
                       (SELECT count(*) FROM username_periods WHERE user_id = user_id('u-ann')),
                       (SELECT count(*) FROM dismissals),
                       (SELECT count(*) FROM invites
                        WHERE owner_id = user_id('u-ann') AND (label IS NOT NULL OR revoked_at IS NULL)),
                       (SELECT count(*) FROM acceptances),
                       (SELECT count(*) FROM usernames WHERE name_key IN ('ann', 'anna') AND state = 'reserved')
                """
            ) { row in try (0..<8).map { _ in try row.next(as: Int.self) } }
            #expect(left == [0, 0, 0, 0, 0, 0, 1, 2])
            try await app.verify()
        }
    }

    @Test func `nobody gets the uid of a deleted user, nor, for a year, the names that were used`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            try await app.age("u-ann", hours: 25)
            try await app.rename("u-ann", to: "anna")
            try await app.age("u-ann", hours: 25)
            try await app.setStatus("deleted", of: "u-ann")
            for name in ["ann", "anna", "other"] {
                let again = try await app.post("/v1/signup", as: "u-ann", ["username": name])
                #expect((again.status, again.code) == (403, "account_deleted"))
            }
            for name in ["ann", "anna", "ANNA"] {
                #expect(try await app.get("/v1/usernames/\(name)", as: "u-bob")["available"] == "0")
                #expect(try await app.rename("u-bob", to: name).code == "username_taken")
                let taken = try await app.post("/v1/signup", as: "u-new", ["username": name])
                #expect(taken.code == "username_taken")
            }
            for (days, status) in [(364, 409), (2, 200)] {
                try await app.db.write.run(
                    """
                    UPDATE usernames SET held_until = tests.earlier(held_until, \(24 * Double(days)))
                    WHERE state = 'reserved'
                    """)
                #expect(try await app.rename("u-bob", to: "ann").status == status)
            }
            let imported = try await app.importUsers("uid,username\nu-cat,anna\n")
            #expect(imported.imported == 1, "\(imported)")
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 404)
            try await app.verify()
        }
    }

    @Test func `names that were hardly used are free at once, without an owner`() async throws {
        try await TestApp.run { app in
            for round in 0..<5 {
                let uid = try await app.signUp("burnt\(round)")
                for number in 0..<3 {
                    #expect(try await app.rename(uid, to: "burnt\(round)_\(number)").status == 200)
                }
                try await app.setStatus("deleted", of: uid)
            }
            #expect(try await app.count("usernames WHERE state = 'released' AND user_id IS NULL") == 20)
            #expect(try await app.count("usernames") == 20)
            try await app.signUp("burnt0", uid: "u-new")
            try await app.verify()
        }
    }

    @Test func `an operator frees a reserved or held name, but none that somebody has`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.age("u-ann", hours: 25)
            try await app.setStatus("deleted", of: "u-ann")
            try await app.signUp("bob")
            try await app.rename("u-bob", to: "bert")
            func release(_ name: String...) async throws -> KithCommand.Outcome {
                try await KithCommand(
                    ["username", "release"] + name, ["KITH_DATABASE_URL": app.app.config.database.url]
                ).run()
            }
            for (name, said) in [
                ("ANN", "released"), ("ann", "already free"), ("bob", "released"),
                ("nobody_yet", "nobody ever had"),
            ] {
                let outcome = try await release(name)
                #expect(outcome.status == 0 && outcome.output.contains(said), "\(outcome)")
            }
            let active = try await release("bert")
            #expect(active.status == 1 && active.error.contains("somebody has"), "\(active)")
            #expect(try await release().status == 2)
            for name in ["ann", "bob"] { try await app.signUp(name, uid: "u-\(name)-new") }
            #expect(try await app.get("/users/bob?invitedBy=u-bob").status == 302)
            try await app.verify()
        }
    }

    /// The contents of the whole database, as text.
    private func dump(_ app: TestApp) async throws -> String {
        var text = ""
        for table in [
            "users", "signups", "usernames", "username_periods", "relationships", "invites", "invite_uses",
            "invites_by_owner", "acceptances", "dismissals", "offer_codes", "purchases", "exposures",
            "conversions", "referrals", "reward_actions", "reward_signals", "rewards", "reward_postings",
        ] {
            text +=
                try await app.db.read.first(
                    Statement(text: "SELECT coalesce(string_agg(t::text, ' '), '') FROM \(table) t")
                ) { try $0.next(as: String.self) } ?? ""
        }
        return text
    }

    @Test func `rows written for an account while it is deleted are deleted, too`() async throws {
        try await TestApp.run { app in
            try await app.signUp("pal")
            let calls: [@Sendable (String, Int) async throws -> TestApp.Answer] = [
                { uid, number in
                    try await app.post(
                        "/v1/invites", as: uid, headers: [.idempotencyKey: "hidden-key-\(number)"],
                        ["label": "hidden party"])
                },
                { uid, number in
                    try await app.call(.delete, "/v1/suggestions/hidden-crush-\(number)", as: uid)
                },
                { uid, number in try await app.rename(uid, to: "other\(uid.dropFirst(4))_\(number)") },
                { uid, number in
                    try await app.call(
                        .patch, "/v1/me", as: uid, body: ["displayName": "Hidden \(number)"])
                },
                { uid, _ in
                    try await app.post("/v1/invites/accept", as: uid, TestApp.link("pal", "u-pal"))
                },
                { uid, _ in try await app.get("/v1/me/invite", as: uid) },
                { uid, _ in try await app.call(.delete, "/v1/me", as: uid) },
            ]
            for round in 0..<15 {
                let uid = try await app.signUp("gone\(round)")
                let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                    for number in 0..<3 {
                        for call in calls { group.addTask { try await call(uid, number) } }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status < 500 }, "\(answers.map(\.text))")
            }
            #expect(try await app.count("users WHERE status = 'deleted'") == 15)
            #expect(try await !dump(app).contains(/(?i)hidden/))
            #expect(
                try await app.count(
                    "usernames WHERE user_id IN (SELECT id FROM users WHERE status = 'deleted')") == 0)
            try await app.verify()
        }
    }

    @Test func `a repeated sign-up of a deleted user's invitee shows an invite that leads to nobody`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("kim", invite: TestApp.link("ann", "u-ann"))
            try await app.setStatus("deleted", of: "u-ann")
            let replay = try await app.post("/v1/signup", as: "u-kim", ["username": "kim"])
            let fresh = try await app.post(
                "/v1/signup", as: "u-lee", ["username": "lee", "invite": TestApp.link("ann", "u-ann")]
            )
            #expect(replay.status == 200)
            for key in ["outcome", "reason", "friendship", "inviter"] {
                #expect(replay["invite.\(key)"] == fresh["invite.\(key)"], "\(key)")
            }
            #expect(replay["invite.reason"] == "not_found")
        }
    }

    @Test func `in every answer a deleted user looks to others like one who never existed`() async throws {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            try await app.setStatus("deleted", of: "u-ann")
            try await app.signUp("zoe")
            for uid in ["u-zoe", "u-gus", "u-ozu", "u-bob"] {
                for (method, path) in [
                    (HTTPRequest.Method.get, "/v1/users/§"), (.get, "/v1/friends/§/mutual"),
                    (.get, "/v1/friends/§/path"), (.put, "/v1/friends/§"),
                    (.get, "/v1/requests?direction=outgoing"),
                    (.delete, "/v1/friends/§"), (.put, "/v1/blocks/§"), (.get, "/v1/blocks"),
                    (.delete, "/v1/blocks/§"),
                ] {
                    var answers: [String] = []
                    for other in ["u-ann", "u-non"] {
                        let answer = try await app.call(method, path.replacing("§", with: other), as: uid)
                        answers.append(
                            "\(answer.status) "
                                + answer.text.replacing(answer["requestId"] ?? "-", with: "").replacing(
                                    other, with: "§"))
                    }
                    if path.contains("§") { #expect(answers[0] == answers[1], "\(uid) \(method) \(path)") }
                    if method == .get, !path.contains("§") {
                        let lists = try await app.get(path, as: uid).json.values.compactMap {
                            $0 as? [[String: Any]]
                        }
                        let shapes = lists.flatMap { $0 }.filter {
                            ["u-ann", "u-non"].contains($0["uid"] as? String)
                        }.map { $0.keys.sorted() }
                        #expect(shapes.count == 2 && shapes[0] == shapes[1], "\(uid) \(path)")
                    }
                }
            }
            try await app.verify()
        }
    }

    @Test func `delta sync reports a deletion to friends and users who were asked, and to nobody else`()
        async throws
    {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            var cursors: [String: String] = [:]
            for uid in TestApp.uidsWhoSeeAnn { cursors[uid] = try await app.changes(as: uid, after: nil).1 }
            try await app.numberChanges()
            let before = try await app.numbers()
            try await app.setStatus("deleted", of: "u-ann")
            let after = try await app.numbers()
            // Rows of those who saw nothing of Ann do not change.
            let changed = after.keys.filter { before[$0] != after[$0] }
            #expect(Set(changed) == TestApp.uidsWhoSeeAnn)
            for uid in TestApp.uidsWhoSeeAnn {
                #expect(try await app.changes(as: uid, after: cursors[uid]).0["u-ann"] == "none", "\(uid)")
            }
        }
    }

    @Test
    func `a suspended user cannot delete their account, and one who never signed up has nothing to delete`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").code == "account_suspended")
            #expect(try await app.call(.delete, "/v1/me", as: "u-new").code == "not_signed_up")
        }
    }
}
