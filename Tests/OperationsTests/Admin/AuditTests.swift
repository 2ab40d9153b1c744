import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// The audit: each act of an operator leaves a row with key and reason, and nothing takes it away.
@Suite(.inTurns) struct AuditTests {
    /// What the audit says of a user, oldest first.
    private func acts(_ app: TestApp, _ uid: String, _ admin: HTTPFields) async throws -> [[String: Any]] {
        try await app.asked("/v1/admin/audit?uid=\(uid)", admin).objects("acts").reversed()
    }

    @Test func `each act of an operator is kept with its key, its reason and its time`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let text = try await APIKeyStore(db: app.db).create(name: "desk", scope: .admin)
            let admin: HTTPFields = [.authorization: "Bearer \(text)"]
            let user = "/v1/admin/users/u-ann"
            let calls: [(HTTPRequest.Method, String, Body?, String?)] = [
                (.put, "\(user)/suspension", ["reason": "spam"], "spam"),
                (.put, "\(user)/suspension", [:], nil),
                (.delete, "\(user)/suspension?reason=it%20was%20not", nil, "it was not"),
                (.delete, "\(user)/suspension", nil, nil),
                (.put, "\(user)/invite-freeze", ["reason": "ring"], "ring"),
                (.delete, "\(user)/invite-freeze?reason=sorry", nil, "sorry"),
                (.put, "\(user)/username", ["username": "anna", "reason": "a name"], "a name"),
                (.delete, "/v1/admin/invites/\(code)?reason=leaked", nil, "leaked"),
                (.post, "\(user)/undo-invites", ["reason": "ring"], "ring"),
                (.post, "\(user)/deletion", ["reason": "asked by mail"], "asked by mail"),
            ]
            for (method, path, body, _) in calls {
                let answer = try await app.call(method, path, headers: admin, body: body)
                #expect(answer.status == 200, "\(method) \(path): \(answer.text)")
            }
            let kept = try await acts(app, "u-ann", admin)
            #expect(kept.map { $0["reason"] as? String } == calls.map(\.3))
            #expect(
                kept.compactMap { $0["act"] as? String } == [
                    "suspend", "suspend", "restore", "restore", "freeze", "unfreeze", "rename",
                    "revoke_invite", "undo_invites",
                    "delete",
                ])
            #expect(
                kept.allSatisfy {
                    $0["actor"] as? String == "key:\(APIKey(text)?.id ?? "")"
                        && $0["actorName"] as? String == "desk"
                })
            #expect(kept.allSatisfy { $0["uid"] as? String == "u-ann" && $0["at"] != nil })
            let all = try await app.asked("/v1/admin/audit?limit=3", admin)
            #expect(all.objects("acts").count == 3 && all["next"] != nil)
            #expect(try await acts(app, "u-bob", admin).isEmpty)
            let told = try await app.asked("/v1/admin/users/u-ann/timeline?limit=100", admin).objects(
                "entries")
            #expect(told.count { $0["what"] as? String == "operator.act" } == calls.count)
        }
    }

    @Test func `an act that is not carried out leaves no row, and one without a row is not carried out`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let admin = try await app.keyed()
            for path in ["suspension", "invite-freeze", "deletion", "undo-invites"] {
                let method: HTTPRequest.Method = path.contains("-f") || path == "suspension" ? .put : .post
                let answer = try await app.call(
                    method, "/v1/admin/users/u-nobody/\(path)", headers: admin, body: ["reason": "x"])
                #expect(answer.status == 404, "\(path): \(answer.text)")
            }
            let taken = try await app.call(
                .put, "/v1/admin/users/u-ann/username", headers: admin,
                body: ["username": "admin", "reason": "x"])
            #expect(taken.status == 422)
            #expect(try await app.count("audit") == 0)
            // A row that cannot be written takes the act with it.
            try await app.db.write.run("ALTER TABLE audit ADD CONSTRAINT never CHECK (act = 'nothing')")
            let before = try await app.footprint()
            for (method, path) in [
                (.put, "suspension"), (.put, "invite-freeze"), (.post, "deletion"), (.post, "undo-invites"),
            ] as [(HTTPRequest.Method, String)] {
                let answer = try await app.call(
                    method, "/v1/admin/users/u-ann/\(path)", headers: admin, body: ["reason": "x"])
                #expect(answer.status >= 500, "\(path): \(answer.text)")
            }
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `each call by which an admin key may change something as a user leaves a row with its route`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let admin = try await app.keyed()
            var asAnn = admin
            asAnn[.kithUser] = "u-ann"
            for path in ["/v1/me", "/v1/friends"] {
                #expect(try await app.get(path, headers: asAnn).status == 200)
                #expect(try await app.call(.head, path, headers: asAnn).status == 200)
            }
            var server = try await app.keyed(.server)
            server[.kithUser] = "u-ann"
            #expect(try await app.call(.patch, "/v1/me", headers: server, body: [:]).status == 200)
            #expect(try await app.count("audit") == 0)
            // A refused call is not noted.
            let routes = app.app.routes.map(\.rules).filter {
                [.callers, .users, .accounts].contains($0.callers)
                    && ($0.method != .get || $0.path == "/v1/me/export")
            }
            #expect(routes.count > 20)
            for route in routes {
                // Whatever becomes of the call, it is noted before.
                let path = "\(route.path)".replacing(/\{.*?\}/, with: "x")
                _ = try await app.call(route.method, path, headers: asAnn, body: [:])
            }
            let acts = try await app.asked("/v1/admin/audit?uid=u-ann&limit=100", admin).objects("acts")
            let noted = acts.map { act in
                let details = act["details"] as? [String: String] ?? [:]
                return "\(act["act"] ?? "") \(details["method"] ?? "") \(details["route"] ?? "")"
            }
            #expect(noted.sorted() == routes.map { "act_as \($0.method) \($0.path)" }.sorted())
        }
    }

    /// One that is carried out for each route by which an admin key changes something, as an operator or as a
    /// backend.
    private static let writes: [String: (path: String, body: Body?)] = [
        "POST /v1/links": (
            "", ["parameters": ["link": "https://join.example.com/x"], "suffix": "custom", "code": "c"]
        ),
        "POST /v1/link-sheets": ("", ["csv": "link\nhttps://join.example.com/x"]),
        "PATCH /v1/links/{code}": ("/v1/links/c", ["name": "Flyer"]),
        "DELETE /v1/links/{code}": ("/v1/links/c", nil),
        "POST /v1/links/resolve": ("", ["url": "https://go.example.com/d"]),
        "POST /fdl/v1/shortLinks": (
            "", ["longDynamicLink": "https://go.example.com/?link=https%3A%2F%2Fjoin.example.com%2F"]
        ),
        "POST /fdl/v1/managedShortLinks:create": (
            "",
            [
                "name": "x",
                "longDynamicLink": "https://go.example.com/?link=https%3A%2F%2Fjoin.example.com%2F",
            ]
        ),
        "POST /v1/goals": ("", ["unit": "u", "goal": "bought"]),
        "POST /v1/rewards/actions": ("", ["uid": "u-ann", "action": "played", "id": "1"]),
        "PUT /v1/admin/users/{uid}/suspension": ("/v1/admin/users/u-sue/suspension", [:]),
        "DELETE /v1/admin/users/{uid}/suspension": ("/v1/admin/users/u-sue/suspension", nil),
        "PUT /v1/admin/users/{uid}/invite-freeze": ("/v1/admin/users/u-bob/invite-freeze", ["reason": "x"]),
        "DELETE /v1/admin/users/{uid}/invite-freeze": ("/v1/admin/users/u-bob/invite-freeze", nil),
        "PUT /v1/admin/users/{uid}/username": (
            "/v1/admin/users/u-bob/username", ["username": "bert", "reason": "x"]
        ),
        "POST /v1/admin/users/{uid}/undo-invites": ("/v1/admin/users/u-bob/undo-invites", ["reason": "x"]),
        "POST /v1/admin/users/{uid}/deletion": ("/v1/admin/users/u-gus/deletion", ["reason": "x"]),
        "PUT /v1/admin/offers/{campaign}": ("/v1/admin/offers/spring", ["appStoreId": "1", "offer": "x"]),
    ]

    /// Those whose acts need more than one call, and are tested where they are, that they leave a row:
    /// webhooks, simulated purchases, decisions about rewards, links of users, people, sessions, keys and
    /// codes.
    private static let testedElsewhere = [
        "/v1/admin/webhooks", "/v1/admin/users/{uid}/simulated-purchases", "/v1/admin/rewards/",
        "/v1/admin/invites/", "/v1/admin/config", "/v1/admin/people/", "/v1/admin/sessions/",
        "/v1/admin/keys", "/v1/admin/offers/{campaign}/",
    ]

    @Test
    func `each call by which an admin key changes something leaves a row, and none of a server key does`()
        async throws
    {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            ($0.app.linkDomains, $0.app.linkTargets) = ("https://go.example.com", "join.example.com")
        }) { app in
            for name in ["ann", "bob", "gus", "sue"] { try await app.signUp(name) }
            let (admin, server) = (try await app.keyed(), try await app.keyed(.server))
            let routes = app.app.router().routes
                .filter { ![.get, .head].contains($0.method) }
                .map { (method: $0.method, path: "\($0.path)") }
                .filter { !$0.path.hasPrefix("/hooks/") }
            for route in routes {
                let name = "\(route.method) \(route.path)"
                let before = try await app.count("audit")
                if let (path, body) = Self.writes[name] {
                    if route.path.hasPrefix("/v1/links/{") {
                        _ = try await app.post(
                            "/v1/links", as: nil, headers: server,
                            [
                                "parameters": ["link": "https://join.example.com/x"] as Body,
                                "suffix": "custom", "code": "c",
                            ])
                        #expect(try await app.count("audit") == before)
                    }
                    let answer = try await app.call(
                        route.method, path.isEmpty ? route.path : path, headers: admin, body: body)
                    #expect([200, 201, 204, 404].contains(answer.status), "\(name): \(answer.text)")
                    #expect(try await app.count("audit") == before + 1, "\(name): \(answer.text)")
                } else if !route.path.hasPrefix("/v1/admin/") {
                    // A backend's call is noted whatever comes of it. One for a user is refused.
                    let answer = try await app.call(
                        route.method, route.path.replacing(/\{.*?\}/, with: "x"), headers: admin, body: [:])
                    #expect(answer.status < 500, "\(name): \(answer.text)")
                    let isRefused = answer.status == 403
                    #expect(try await app.count("audit") == before + (isRefused ? 0 : 1), "\(name)")
                } else {
                    #expect(Self.testedElsewhere.contains { route.path.hasPrefix($0) }, "\(name)")
                }
            }
            #expect(Set(Self.writes.keys).isSubset(of: routes.map { "\($0.method) \($0.path)" }))
            let acts = try await app.asked("/v1/admin/audit?limit=100", admin).objects("acts")
            let change = acts.first { ($0["details"] as? [String: String])?["route"] == "/v1/links/{code}" }
            #expect(change?["act"] as? String == "call" && change?["uid"] == nil, "\(acts)")
            #expect((change?["details"] as? [String: String])?["code"] == "c")
        }
    }

    @Test func `a call as a user that cannot be noted is refused`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            var asAnn = try await app.keyed()
            asAnn[.kithUser] = "u-ann"
            try await app.db.write.run("ALTER TABLE audit ADD CONSTRAINT never CHECK (act = 'nothing')")
            let before = try await app.footprint()
            for (method, path, body) in [
                (.put, "/v1/me/username", ["username": "anna"]), (.put, "/v1/friends/u-bob", nil),
                (.delete, "/v1/me", nil),
            ] as [(HTTPRequest.Method, String, Body?)] {
                let answer = try await app.call(method, path, headers: asAnn, body: body)
                #expect((answer.status, answer.code) == (503, "unavailable"), "\(path): \(answer.text)")
            }
            #expect(try await app.footprint() == before)
            #expect(try await app.get("/v1/me", headers: asAnn).status == 200)
        }
    }

    @Test func `nothing of the product changes or deletes a row of the audit`() throws {
        let sources = RepositoryFile.root.appending(path: "Sources")
        for case let path as String in try #require(FileManager.default.enumerator(atPath: sources.path))
        where path.hasSuffix(".swift") {
            let source = try RepositoryFile.read("Sources/\(path)")
            #expect(!source.contains(/(UPDATE|DELETE FROM|TRUNCATE) audit\b/), "\(path)")
        }
        #expect(App.features.flatMap(\.tables).first { $0.name == "audit" }?.rights == [.insert])
    }

    @Test func `the audit is read in pages that miss nothing, and each list takes only its own cursor`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let admin = try await app.keyed()
            for number in 0..<7 {
                _ = try await app.call(
                    .put, "/v1/admin/users/u-\(number % 2 == 0 ? "ann" : "bob")/invite-freeze",
                    headers: admin,
                    body: ["reason": "r\(number)"])
            }
            var (reasons, after): ([String], String) = ([], "")
            repeat {
                let page = try await app.asked("/v1/admin/audit?limit=2\(after)", admin)
                reasons += page.objects("acts").compactMap { $0["reason"] as? String }
                after = page["next"].map { "&after=\($0)" } ?? ""
            } while !after.isEmpty && reasons.count < 100
            #expect(reasons == (0..<7).reversed().map { "r\($0)" })
            let next = try #require(try await app.asked("/v1/admin/audit?limit=1", admin)["next"])
            let other = try await app.get("/v1/admin/audit?uid=u-ann&after=\(next)", headers: admin)
            #expect((other.status, other["field"]) == (400, "after"))
            let odd = try await app.get("/v1/admin/audit?uid=%0A", headers: admin)
            #expect((odd.status, odd["field"]) == (400, "uid"))
        }
    }
}
