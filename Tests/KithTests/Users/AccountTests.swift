import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import Kith

/// Suspension, return and deletion.
@Suite struct AccountTests {
    /// What a user sees of all others, body by body.
    private static let lists = [
        "/v1/friends", "/v1/friends?order=name", "/v1/friends/count", "/v1/requests?direction=incoming",
        "/v1/requests?direction=outgoing", "/v1/blocks", "/v1/suggestions", "/v1/me/invited",
    ]

    private func seen(_ app: TestApp, by uid: String, others: [String]) async throws -> [String: String] {
        var bodies: [String: String] = [:]
        for path in Self.lists { bodies[path] = try await app.get(path, as: uid).text }
        for other in others where other != uid {
            for path in ["/v1/users/\(other)", "/v1/friends/\(other)/mutual", "/v1/friends/\(other)/path"] {
                let answer = try await app.get(path, as: uid)
                bodies[path] = answer.text.replacing(answer["requestId"] ?? "-", with: "")
            }
        }
        let uids = others.map { "\"\($0)\"" }.joined(separator: ",")
        bodies["batch"] = try await app.post("/v1/relationships", as: uid, "{\"uids\":[\(uids)]}").text
        return bodies
    }

    @discardableResult
    private func friend(_ app: TestApp, _ one: String, _ other: String) async throws -> TestApp.Answer {
        _ = try await app.put("/v1/friends/\(other)", as: one, "{}")
        return try await app.put("/v1/friends/\(one)", as: other, "{}")
    }

    /// Ann, in every relation there is: friends with fay and fred, who know gus; asked ozu; was asked by ian,
    /// and by dee, whom she declined; blocks bob; blocked by bea.
    private static let people = ["ann", "fay", "fred", "gus", "ozu", "ian", "dee", "bob", "bea", "kim"]
    private static var uids: [String] { people.map { "u-\($0)" } }

    private func populate(_ app: TestApp) async throws {
        try await app.signUp("ann")
        for name in Self.people.dropFirst() where name != "kim" { try await app.signUp(name) }
        try await app.signUp("kim", invite: TestApp.link("ann", "u-ann"))
        for (one, other) in [
            ("ann", "fay"), ("ann", "fred"), ("fay", "gus"), ("fred", "gus"), ("fay", "fred"),
        ] {
            #expect(try await friend(app, "u-\(one)", "u-\(other)")["relationship"] == "friends")
        }
        for (one, other) in [("ann", "ozu"), ("ian", "ann"), ("dee", "ann")] {
            #expect(
                try await app.put("/v1/friends/u-\(other)", as: "u-\(one)", "{}")["relationship"]
                    == "outgoing")
        }
        _ = try await app.call(.delete, "/v1/friends/u-dee", as: "u-ann")
        _ = try await app.call(.put, "/v1/blocks/u-bob", as: "u-ann")
        _ = try await app.call(.put, "/v1/blocks/u-ann", as: "u-bea")
    }

    private func changes(_ app: TestApp, as uid: String, after: String?) async throws -> (
        [String: String], String
    ) {
        let answer = try await app.get(
            "/v1/friends/changes\(after.map { "?after=\($0)" } ?? "")", as: uid)
        let changes = answer.json["changes"] as? [[String: Any]] ?? []
        let pairs = changes.compactMap { change -> (String, String)? in
            guard let uid = change["uid"] as? String, let state = change["relationship"] as? String else {
                return nil
            }
            return (uid, state)
        }
        return (Dictionary(pairs) { $1 }, try #require(answer["next"], "\(answer.text)"))
    }

    /// How many pairs disagree about themselves; a row that is not there says no to all.
    private func broken(_ app: TestApp) async throws -> Int {
        try await app.db.read.first(
            """
            WITH both_of AS (
                SELECT coalesce(a.i_want, false) AS w1, coalesce(a.they_want, false) AS t1,
                       coalesce(a.i_block, false) AS b1, coalesce(a.they_block, false) AS k1, a.since AS s1,
                       coalesce(b.i_want, false) AS w2, coalesce(b.they_want, false) AS t2,
                       coalesce(b.i_block, false) AS b2, coalesce(b.they_block, false) AS k2, b.since AS s2
                FROM relationships a
                FULL JOIN relationships b ON (a.user_id, a.other_id) = (b.other_id, b.user_id))
            SELECT count(*) FROM both_of
            WHERE (w1, t1, b1, k1) <> (t2, w2, k2, b2) OR s1 IS DISTINCT FROM s2
            """
        ) { try $0.next() } ?? -1
    }

    private func keyed(_ app: TestApp, _ scope: APIKey.Scope = .admin) async throws -> HTTPFields {
        [.authorization: "Bearer \(try await APIKeyStore(db: app.db).create(name: "test", scope: scope))"]
    }

    // MARK: Suspension

    @Test func `a suspended user is hidden from everybody, and returns to exactly what was`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let admin = try await keyed(app)
            var before: [String: [String: String]] = [:]
            for uid in Self.uids { before[uid] = try await seen(app, by: uid, others: Self.uids) }
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let put = try await app.call(
                .put, "/v1/users/u-ann/suspension", headers: admin, body: #"{"reason":"Spam"}"#)
            #expect(put.status == 200)
            #expect((put["status"], put["reason"]) == ("suspended", "Spam"))
            for uid in Self.uids where uid != "u-ann" {
                for (path, body) in try await seen(app, by: uid, others: Self.uids)
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
                    try await app.post("/v1/invites/accept", as: uid, "{\"code\":\"\(code)\"}").code
                        == "invite_not_found")
            }
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 404)
            #expect(try await app.get("/users/ann").status == 404)
            #expect(try await app.get("/\(code)").status == 404)
            #expect(try await app.get("/v1/me", as: "u-ann").code == "account_suspended")
            let back = try await app.call(.delete, "/v1/users/u-ann/suspension", headers: admin)
            #expect((back.status, back["status"]) == (200, "active"))
            for uid in Self.uids {
                let now = try await seen(app, by: uid, others: Self.uids)
                for (path, body) in now { #expect(body == before[uid]?[path], "\(uid) \(path)") }
            }
            #expect(try await broken(app) == 0)
        }
    }

    /// Of each user's row about ann, the transaction by which delta sync orders it.
    private func stamps(_ app: TestApp) async throws -> [String: String] {
        let rows = try await app.db.write.query(
            """
            SELECT u.uid, r.changed_in::text FROM relationships r JOIN users u ON u.id = r.user_id
            WHERE r.other_uid = 'u-ann'
            """
        ) { try ($0.next(as: String.self), $0.next(as: String.self)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// The only ones who had something to see.
    private static let friendly: Set = ["u-fay", "u-fred", "u-kim", "u-ozu"]

    @Test func `delta sync tells of it where there was something to see, and nowhere else`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            var cursors: [String: String] = [:]
            for uid in Self.friendly { cursors[uid] = try await changes(app, as: uid, after: nil).1 }
            let before = try await stamps(app)
            try await app.setStatus("suspended", of: "u-ann")
            let away = try await stamps(app)
            #expect(Set(before.keys.filter { before[$0] != away[$0] }) == Self.friendly)
            for uid in Self.friendly {
                let (found, next) = try await changes(app, as: uid, after: cursors[uid])
                #expect(found["u-ann"] == "none", "\(uid)")
                cursors[uid] = next
            }
            try await app.setStatus("active", of: "u-ann")
            let back = try await stamps(app)
            #expect(Set(away.keys.filter { away[$0] != back[$0] }) == Self.friendly)
            for uid in Self.friendly {
                let found = try await changes(app, as: uid, after: cursors[uid]).0
                #expect(found["u-ann"] == (uid == "u-ozu" ? "incoming" : "friends"), "\(uid)")
            }
        }
    }

    @Test func `what the other side did meanwhile stays`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            try await app.setStatus("suspended", of: "u-ann")
            #expect(
                try await app.call(.delete, "/v1/friends/u-ann", as: "u-fay")["relationship"] == "none")
            #expect(try await app.call(.put, "/v1/blocks/u-ann", as: "u-fred")["relationship"] == "blocked")
            #expect(try await app.put("/v1/friends/u-ann", as: "u-kim", "{}")["relationship"] == "outgoing")
            #expect(try await app.put("/v1/friends/u-ann", as: "u-gus", "{}")["relationship"] == "outgoing")
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
            #expect(try await app.get("/v1/users/u-fred", as: "u-ann").status == 404)
            let friends = try await app.get("/v1/friends", as: "u-ann")
            #expect(friends.text.contains("u-kim") && !friends.text.contains("u-f"))
            #expect(friends.text.contains(JSON.timestamp(try #require(since))))
            let incoming = try await app.get("/v1/requests", as: "u-ann").text
            #expect(incoming.contains("u-gus") && !incoming.contains("u-ian"))
            #expect(try await app.get("/v1/requests?direction=outgoing", as: "u-kim").text.contains("[]"))
            #expect(try await broken(app) == 0)
        }
    }

    @Test func `two who are suspended return in any order`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let before = try await seen(app, by: "u-gus", others: Self.uids)
            for uid in ["u-ann", "u-fay"] { try await app.setStatus("suspended", of: uid) }
            try await app.setStatus("active", of: "u-ann")
            #expect(!(try await app.get("/v1/friends", as: "u-ann").text.contains("u-fay")))
            try await app.setStatus("active", of: "u-fay")
            #expect(try await app.get("/v1/friends", as: "u-ann").text.contains("u-fay"))
            #expect(try await seen(app, by: "u-gus", others: Self.uids) == before)
        }
    }

    @Test func `suspending and returning again changes nothing, and nobody cannot be suspended`() async throws
    {
        try await TestApp.run { (app) async throws in
            try await populate(app)
            let admin = try await keyed(app)
            func call(_ method: HTTPRequest.Method, _ uid: String) async throws -> TestApp.Answer {
                try await app.call(
                    method, "/v1/users/\(uid)/suspension", headers: admin, body: method == .put ? "{}" : nil)
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
        try await TestApp.run { (app) async throws in
            try await app.signUp("ann")
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.put, "/v1/users/u-ann/suspension", "{}"), (.delete, "/v1/users/u-ann/suspension", nil),
                (.get, "/v1/users/u-ann/invited", nil),
                (.put, "/v1/users/u-ann/invited/freeze", #"{"reason":"x"}"#),
                (.delete, "/v1/users/u-ann/invited/freeze", nil),
            ]
            for (method, path, body) in calls {
                for scope in [APIKey.Scope.client, .server] {
                    let answer = try await app.call(
                        method, path, headers: try await keyed(app, scope), body: body)
                    #expect((answer.status, answer.code) == (403, "forbidden"), "\(method) \(path)")
                }
                #expect(try await app.call(method, path, as: "u-ann", body: body).code == "forbidden")
                #expect(try await app.call(method, path, body: body).status == 401)
            }
            #expect(try await app.get("/v1/me", as: "u-ann").status == 200)
        }
    }

    @Test(arguments: ["", "  ", "a\\nb", String(repeating: "x", count: 501)])
    func `a reason is one line of 1 to 500 characters`(reason: String) async throws {
        try await TestApp.run { (app) async throws in
            try await app.signUp("ann")
            for path in ["suspension", "invited/freeze"] {
                let answer = try await app.call(
                    .put, "/v1/users/u-ann/\(path)", headers: try await keyed(app),
                    body: "{\"reason\":\"\(reason)\"}")
                #expect((answer.status, answer["field"]) == (400, "reason"))
            }
        }
    }

    @Test func `a suspended user does not get the answer to the sign-up again`() async throws {
        try await TestApp.run { (app) async throws in
            try await app.signUp("ann")
            try await app.setStatus("suspended", of: "u-ann")
            #expect(
                try await app.post("/v1/signup", as: "u-ann", #"{"username":"ann"}"#).code
                    == "account_suspended")
        }
    }

    // MARK: Deletion

    @Test func `deleting ends every relationship on both sides, and forgets`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            try await app.rename("u-ann", to: "anna")
            let extra = try #require(
                try await app.post("/v1/invites", as: "u-ann", #"{"label":"Party"}"#)["code"])
            let personal = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            _ = try await app.call(.delete, "/v1/suggestions/u-gus", as: "u-ann")
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            for uid in Self.uids where uid != "u-ann" {
                for (path, body) in try await seen(app, by: uid, others: Self.uids)
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
            #expect(try await app.get("/v1/me", as: "u-ann").code == "not_signed_up")
            let left = try await app.db.read.first(
                """
                SELECT (SELECT count(*) FROM relationships WHERE since IS NOT NULL AND other_uid = 'u-ann'),
                       (SELECT count(*) FROM signups s JOIN users u ON u.id = s.user_id WHERE u.uid = 'u-ann'),
                       (SELECT count(*) FROM signups WHERE inviter_uid = 'u-ann'),
                       (SELECT count(*) FROM username_periods p JOIN users u ON u.id = p.user_id WHERE u.uid = 'u-ann'),
                       (SELECT count(*) FROM dismissals),
                       (SELECT count(*) FROM links WHERE label IS NOT NULL OR revoked_at IS NULL),
                       (SELECT count(*) FROM acceptances),
                       (SELECT count(*) FROM usernames WHERE name_key IN ('ann', 'anna') AND state = 'reserved')
                """
            ) { row in try (0..<8).map { _ in try row.next(as: Int.self) } }
            #expect(left == [0, 0, 0, 0, 0, 0, 1, 2])
            #expect(try await broken(app) == 0)
        }
    }

    @Test func `nobody gets the uid or the names of a deleted user, not even the owner`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            try await app.rename("u-ann", to: "anna")
            try await app.setStatus("deleted", of: "u-ann")
            let again = try await app.post("/v1/signup", as: "u-ann", #"{"username":"anna"}"#)
            #expect((again.status, again.code) == (409, "already_signed_up"))
            for name in ["ann", "anna", "ANNA"] {
                #expect(try await app.get("/v1/usernames/\(name)", as: "u-bob")["available"] == "0")
                #expect(try await app.rename("u-bob", to: name).code == "username_taken")
                let taken = try await app.post("/v1/signup", as: "u-new", "{\"username\":\"\(name)\"}")
                #expect(taken.code == "username_taken")
            }
            try await app.age("u-ann", hours: 24 * 400)
            #expect(try await app.rename("u-bob", to: "ann").code == "username_taken")
        }
    }

    @Test func `an invitee's sign-up, asked for again, is that of an invite to nobody`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("kim", invite: TestApp.link("ann", "u-ann"))
            try await app.setStatus("deleted", of: "u-ann")
            let replay = try await app.post("/v1/signup", as: "u-kim", #"{"username":"kim"}"#)
            let fresh = try await app.post(
                "/v1/signup", as: "u-lee", "{\"username\":\"lee\",\"invite\":\(TestApp.link("ann", "u-ann"))}"
            )
            #expect(replay.status == 200)
            for key in ["outcome", "reason", "friendship", "inviter"] {
                #expect(replay["invite.\(key)"] == fresh["invite.\(key)"], "\(key)")
            }
            #expect(replay["invite.reason"] == "not_found")
        }
    }

    @Test func `to the others a deleted user is one who never was, in every answer`() async throws {
        try await TestApp.run { app in
            try await populate(app)
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
            #expect(try await broken(app) == 0)
        }
    }

    @Test func `delta sync tells friends and those who were asked, and nobody else`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            var cursors: [String: String] = [:]
            for uid in Self.friendly { cursors[uid] = try await changes(app, as: uid, after: nil).1 }
            let before = try await stamps(app)
            try await app.setStatus("deleted", of: "u-ann")
            let after = try await stamps(app)
            #expect(Set(before.keys.filter { before[$0] != after[$0] }) == Self.friendly)
            for uid in Self.friendly {
                #expect(try await changes(app, as: uid, after: cursors[uid]).0["u-ann"] == "none", "\(uid)")
            }
        }
    }

    @Test func `who is suspended cannot delete, and who never signed up has nothing to delete`() async throws
    {
        try await TestApp.run { (app) async throws in
            try await app.signUp("ann")
            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").code == "account_suspended")
            #expect(try await app.call(.delete, "/v1/me", as: "u-new").code == "not_signed_up")
        }
    }

    // MARK: At the same instant

    @Test func `deleted while others befriend, accept, sign up and rename: no friend is left`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            for round in 0..<12 {
                let (name, uid) = ("gone\(round)", "u-gone\(round)")
                try await app.signUp(name)
                _ = try await app.put("/v1/friends/\(uid)", as: "u-ann", "{}")
                _ = try await app.put("/v1/friends/u-bob", as: uid, "{}")
                let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                    group.addTask { try await app.put("/v1/friends/u-ann", as: uid, "{}") }
                    group.addTask { try await app.put("/v1/friends/\(uid)", as: "u-bob", "{}") }
                    group.addTask { try await app.rename(uid, to: "other\(round)") }
                    group.addTask { try await app.call(.delete, "/v1/me", as: uid) }
                    group.addTask {
                        try await app.post("/v1/invites/accept", as: "u-cat", TestApp.link(name, uid))
                    }
                    group.addTask {
                        try await app.post(
                            "/v1/signup", as: "u-new\(round)",
                            "{\"username\":\"new\(round)\",\"invite\":\(TestApp.link(name, uid))}")
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status < 500 }, "\(answers.map(\.text))")
                #expect(answers.contains { $0.status == 204 })
            }
            let left = try await app.db.read.first(
                """
                SELECT (SELECT count(*) FROM relationships WHERE since IS NOT NULL),
                       (SELECT count(*) FROM relationships r JOIN users u ON u.id = r.user_id
                        WHERE u.status = 'deleted' AND (r.i_want OR r.i_block)),
                       (SELECT count(*) FROM usernames n JOIN users u ON u.id = n.user_id WHERE u.status = 'deleted'),
                       (SELECT count(*) FROM signups WHERE inviter_uid LIKE 'u-gone%')
                """
            ) { row in try (0..<4).map { _ in try row.next(as: Int.self) } }
            #expect(left == [0, 0, 0, 0])
            #expect(try await broken(app) == 0)
            try await app.verify()
        }
    }

    @Test func `many friends of one another deleted at the same instant do not wait in a ring`() async throws
    {
        try await TestApp.run { app in
            let uids = try await circle(app, of: 8)
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for uid in uids { group.addTask { try await app.call(.delete, "/v1/me", as: uid).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 == 204 })
            #expect(try await app.count("relationships") == 0)
            try await app.verify()
        }
    }

    @Test func `suspensions and returns of many at the same instant leave each as it was last set`()
        async throws
    {
        try await TestApp.run { app in
            let uids = try await circle(app, of: 6)
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

    private func circle(_ app: TestApp, of size: Int) async throws -> [String] {
        var uids: [String] = []
        for number in 0..<size {
            let uid = try await app.signUp("user\(number)")
            for other in uids { try await friend(app, uid, other) }
            uids.append(uid)
        }
        return uids
    }
}
