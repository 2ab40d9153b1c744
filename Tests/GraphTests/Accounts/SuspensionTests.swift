import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Suspension and return.
@Suite(.inTurns) struct SuspensionTests {
    @Test func `a suspended user is hidden from everybody, and returns to exactly the former state`()
        async throws
    {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            let admin = try await app.keyed()
            var before: [String: [String: String]] = [:]
            for uid in TestApp.uidsAroundAnn {
                before[uid] = try await app.seen(by: uid, others: TestApp.uidsAroundAnn)
            }
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let put = try await app.call(
                .put, "/v1/admin/users/u-ann/suspension", headers: admin, body: ["reason": "Spam"])
            #expect(put.status == 200)
            #expect((put["status"], put["reason"]) == ("suspended", "Spam"))
            for uid in TestApp.uidsAroundAnn where uid != "u-ann" {
                for (path, body) in try await app.seen(by: uid, others: TestApp.uidsAroundAnn)
                where path != "batch" && !path.contains("u-ann") {
                    let isOwnAct =
                        path == "/v1/requests?direction=outgoing" && ["u-ian", "u-dee"].contains(uid)
                        || path == "/v1/blocks" && uid == "u-bea"
                    #expect(body.contains("u-ann") == isOwnAct, "\(uid) \(path) \(body)")
                    #expect(!body.contains(#""username":"ann""#), "\(uid) \(path)")
                }
                #expect(try await app.get("/v1/users/u-ann", as: uid).status == 404)
                #expect(
                    try await app.post("/v1/invites/resolve", as: uid, TestApp.link("ann", "u-ann")).code
                        == "invite_not_found")
                #expect(
                    try await app.post("/v1/invites/accept", as: uid, ["code": code]).code
                        == "invite_not_found")
            }
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 404)
            #expect(try await app.get("/users/ann").status == 404)
            #expect(try await app.get("/\(code)").status == 404)
            #expect(try await app.get("/v1/me", as: "u-ann").code == "account_suspended")
            let back = try await app.call(.delete, "/v1/admin/users/u-ann/suspension", headers: admin)
            #expect((back.status, back["status"]) == (200, "active"))
            for uid in TestApp.uidsAroundAnn {
                let now = try await app.seen(by: uid, others: TestApp.uidsAroundAnn)
                for (path, body) in now { #expect(body == before[uid]?[path], "\(uid) \(path)") }
            }
            try await app.verify()
        }
    }

    @Test func `a second call without a reason keeps the one that is there, until the user returns`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let (admin, path) = (try await app.keyed(), "/v1/admin/users/u-ann/suspension")
            func suspend(_ body: Body) async throws -> String? {
                try await app.call(.put, path, headers: admin, body: body)["reason"]
            }
            #expect(try await suspend([:]) == nil)
            #expect(try await suspend(["reason": "Spam"]) == "Spam")
            #expect(try await suspend([:]) == "Spam")
            let found = try await app.asked("/v1/admin/users?uid=u-ann", admin)
            #expect(found["user.statusReason"] == "Spam")
            #expect(try await suspend(["reason": "Fraud"]) == "Fraud")
            #expect(try await app.call(.delete, path, headers: admin).status == 200)
            #expect(try await suspend([:]) == nil)
        }
    }

    @Test func `delta sync reports a suspension only to users who could see the relationship`() async throws {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            var cursors: [String: String] = [:]
            for uid in TestApp.uidsWhoSeeAnn { cursors[uid] = try await app.changes(as: uid, after: nil).1 }
            try await app.numberChanges()
            let before = try await app.numbers()
            try await app.setStatus("suspended", of: "u-ann")
            let suspended = try await app.numbers()
            #expect(Set(before.keys.filter { before[$0] != suspended[$0] }) == TestApp.uidsWhoSeeAnn)
            for uid in TestApp.uidsWhoSeeAnn {
                let (found, next) = try await app.changes(as: uid, after: cursors[uid])
                #expect(found["u-ann"] == "none", "\(uid)")
                cursors[uid] = next
            }
            try await app.numberChanges()
            let away = try await app.numbers()
            try await app.setStatus("active", of: "u-ann")
            let back = try await app.numbers()
            #expect(Set(away.keys.filter { away[$0] != back[$0] }) == TestApp.uidsWhoSeeAnn)
            for uid in TestApp.uidsWhoSeeAnn {
                let found = try await app.changes(as: uid, after: cursors[uid]).0
                #expect(found["u-ann"] == (uid == "u-ozu" ? "incoming" : "friends"), "\(uid)")
            }
        }
    }

    @Test func `changes by the other side meanwhile stay`() async throws {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            try await app.setStatus("suspended", of: "u-ann")
            #expect(
                try await app.call(.delete, "/v1/friends/u-ann", as: "u-fay")["relationship"] == "none")
            #expect(try await app.call(.put, "/v1/blocks/u-ann", as: "u-fred")["relationship"] == "blocked")
            #expect(try await app.put("/v1/friends/u-ann", as: "u-kim", [:])["relationship"] == "outgoing")
            #expect(try await app.put("/v1/friends/u-ann", as: "u-gus", [:])["relationship"] == "outgoing")
            #expect(
                try await app.call(.delete, "/v1/friends/u-ann", as: "u-ian")["relationship"] == "none")
            let since = try await app.db.read.first(
                "SELECT since FROM relationships WHERE other_uid = 'u-kim' AND since IS NOT NULL"
            ) { try $0.next(as: Date.self) }
            try await app.setStatus("active", of: "u-ann")
            for (uid, state) in [
                ("u-fay", "none"), ("u-kim", "friends"), ("u-gus", "outgoing"), ("u-ian", "none"),
            ] {
                #expect(try await app.get("/v1/users/u-ann", as: uid)["relationship"] == state, "\(uid)")
            }
            #expect(try await app.get("/v1/users/u-ann", as: "u-fred")["relationship"] == "blocked")
            #expect(try await app.get("/v1/users/u-fred", as: "u-ann")["relationship"] == "none")
            let friends = try await app.get("/v1/friends", as: "u-ann")
            #expect(friends.text.contains("u-kim") && !friends.text.contains("u-f"))
            #expect(friends.text.contains(JSON.timestamp(try #require(since))))
            let incoming = try await app.get("/v1/requests", as: "u-ann").text
            #expect(incoming.contains("u-gus") && !incoming.contains("u-ian"))
            #expect(try await app.get("/v1/requests?direction=outgoing", as: "u-kim").text.contains("[]"))
            try await app.verify()
        }
    }

    @Test func `two suspended users return in any order`() async throws {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            let before = try await app.seen(by: "u-gus", others: TestApp.uidsAroundAnn)
            for uid in ["u-ann", "u-fay"] { try await app.setStatus("suspended", of: uid) }
            try await app.setStatus("active", of: "u-ann")
            #expect(!(try await app.get("/v1/friends", as: "u-ann").text.contains("u-fay")))
            try await app.setStatus("active", of: "u-fay")
            #expect(try await app.get("/v1/friends", as: "u-ann").text.contains("u-fay"))
            #expect(try await app.seen(by: "u-gus", others: TestApp.uidsAroundAnn) == before)
        }
    }

    @Test
    func `suspending or restoring again changes nothing, and a user without an account cannot be suspended`()
        async throws
    {
        try await TestApp.run { app in
            try await app.makeAnnInEveryRelation()
            let admin = try await app.keyed()
            func call(_ method: HTTPRequest.Method, _ uid: String) async throws -> TestApp.Answer {
                try await app.call(
                    method, "/v1/admin/users/\(uid)/suspension", headers: admin,
                    body: method == .put ? [:] : nil)
            }
            func rows() async throws -> String {
                try await app.db.write.first(
                    "SELECT md5(string_agg(r::text, '|' ORDER BY r::text)) FROM relationships r"
                ) { try $0.next() } ?? ""
            }
            #expect(try await call(.delete, "u-ann").status == 200)
            let first = try await call(.put, "u-ann")
            let state = try await rows()
            let second = try await call(.put, "u-ann")
            #expect(first.bytes == second.bytes)
            #expect(try await rows() == state)
            #expect(try await call(.delete, "u-ann").status == 200)
            #expect(try await call(.delete, "u-ann").status == 200)
            try await app.setStatus("deleted", of: "u-bob")
            for uid in ["u-nobody", "u-bob", "%00"] {
                #expect(try await call(.put, uid).code == "user_not_found")
                #expect(try await call(.delete, uid).code == "user_not_found")
            }
        }
    }

    @Test func `only an admin key suspends`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let calls: [(HTTPRequest.Method, String, Body?)] = [
                (.put, "/v1/admin/users/u-ann/suspension", [:]),
                (.delete, "/v1/admin/users/u-ann/suspension", nil),
                (.get, "/v1/admin/users/u-ann/invitees", nil),
                (.put, "/v1/admin/users/u-ann/invite-freeze", ["reason": "x"]),
                (.delete, "/v1/admin/users/u-ann/invite-freeze", nil),
            ]
            for (method, path, body) in calls {
                for scope in [APIKey.Scope.client, .server] {
                    let answer = try await app.call(
                        method, path, headers: try await app.keyed(scope), body: body)
                    #expect((answer.status, answer.code) == (403, "forbidden"), "\(method) \(path)")
                }
                #expect(try await app.call(method, path, as: "u-ann", body: body).code == "forbidden")
                #expect(try await app.call(method, path, body: body).status == 401)
            }
            #expect(try await app.get("/v1/me", as: "u-ann").status == 200)
        }
    }

    @Test(arguments: ["", "  ", "a\nb", String(repeating: "x", count: 501)])
    func `a reason must be one line of 1 to 500 characters`(reason: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for path in ["suspension", "invite-freeze"] {
                let answer = try await app.call(
                    .put, "/v1/admin/users/u-ann/\(path)", headers: try await app.keyed(),
                    body: ["reason": reason])
                #expect((answer.status, answer["field"]) == (400, "reason"))
            }
        }
    }

    @Test func `a suspended user does not get the answer to the sign-up again`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.setStatus("suspended", of: "u-ann")
            #expect(
                try await app.post("/v1/signup", as: "u-ann", ["username": "ann"]).code
                    == "account_suspended")
        }
    }

    @Test func `concurrent suspensions and restorations leave each user as last set`()
        async throws
    {
        try await TestApp.run { app in
            let uids = try await app.circle(of: 6)
            for status in ["suspended", "active", "suspended"] {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for uid in uids { group.addTask { try await app.setStatus(status, of: uid) } }
                    try await group.waitForAll()
                }
                let away = try await app.count("relationships WHERE they_away")
                #expect(away == (status == "active" ? 0 : 30))
            }
            try await app.verify()
        }
    }
}
