import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Growth
@testable import Kernel
@testable import Links
@testable import Web

/// A call of each kind.
extension PlanTests {
    /// Passes a database of which calls of each kind have been made.
    ///
    /// A machine that is busy may lose a connection meanwhile, and with it what it had prepared. Then all
    /// begins anew, at most twice.
    func withCalls(_ body: @Sendable (TestApp) async throws -> Void) async throws {
        let isDone = Mutex(false)
        for mayLose in [true, true, false] where !isDone.withLock(\.self) {
            try await withManyUsers { app in
                let before = try await sessions(app.db)
                try await drive(app)
                if mayLose, try await sessions(app.db) != before { return }
                try await body(app)
                isDone.withLock { $0 = true }
            }
        }
    }

    /// The process that serves each lane's one connection.
    private func sessions(_ db: Database) async throws -> [Int?] {
        var processes: [Int?] = []
        for lane in Self.lanes(db) {
            processes.append(
                try await lane.first("SELECT pg_backend_pid()::bigint") { try $0.next(as: Int.self) })
        }
        return processes
    }

    func drive(_ app: TestApp) async throws {
        let (ann, code) = (
            "u-user100",
            try await app.db.read.first("SELECT min(code) FROM invites") {
                try $0.next(as: String.self)
            } ?? ""
        )
        let key = try await APIKeyStore(db: app.db).create(name: "plan", scope: .server)
        for path in [
            "/users/user100?invitedBy=u-user100", "/users/olduser100?invitedBy=u-user100", "/users/user100",
            "/users/user100/qr.svg?invitedBy=u-user100", "/\(code)",
        ] {
            #expect([200, 302].contains(try await app.get(path).status), "\(path)")
        }
        let owner = try #require(
            try await app.db.read.first(
                "SELECT u.uid FROM invites i JOIN users u ON u.id = i.owner_id ORDER BY code"
            ) {
                try $0.next(as: String.self)
            })
        try await driveReads(app, ann, code, of: owner)
        for action in FriendAction.allCases {
            #expect(try await app.act(action, "u-user5000", on: "u-user6000").status == 200)
        }
        #expect(try await app.relationships(ann, ["u-user101", "u-user116"]) == ["friends", "outgoing"])
        #expect(try await app.call(.delete, "/v1/suggestions/u-user7000", as: ann).status == 204)
        let keyed = try await app.get("/v1/me", headers: [.authorization: "Bearer \(key)", .kithUser: ann])
        #expect(keyed.status == 200)
        for (name, invite): (String, Body) in [
            ("new1", TestApp.link("user100", ann)), ("new2", ["code": code]),
            ("new3", ["username": "user100"]),
        ] {
            #expect(try await app.post("/v1/invites/resolve", as: "u-user9", invite).status == 200)
            #expect(try await app.post("/v1/invites/accept", as: "u-user9", invite).status == 200)
            try await app.signUp(name, invite: invite)
            let again: Body = ["username": name, "invite": invite]
            #expect(try await app.post("/v1/signup", as: "u-\(name)", again).status == 200)
        }
        try await app.rename(ann, to: "renamed")
        #expect(try await app.post("/v1/invites", as: ann, headers: [.idempotencyKey: "again"]).status == 201)
        #expect(try await app.post("/v1/invites", as: ann, headers: [.idempotencyKey: "again"]).status == 201)
        #expect(try await app.post("/v1/me/invite/rotate", as: ann).status == 200)
        #expect(try await app.call(.patch, "/v1/me", as: ann, body: ["displayName": "Ann"]).status == 200)
        #expect(try await app.call(.delete, "/v1/invites/\(code)", as: owner).status == 200)
        try await driveInstalls(app)
        try await driveLinks(app)
        try await driveAccounts(app)
        try await driveGrowth(app)
    }

    private func driveLinks(_ app: TestApp) async throws {
        let key = try await app.keyed(.server)
        let link: Body = ["link": "https://example.com/x"]
        for suffix in ["unguessable", "short", "custom"] {
            let code: String? = suffix == "custom" ? "party" : nil
            let body: Body = ["parameters": link, "suffix": suffix, "code": code]
            #expect(try await app.post("/v1/links", as: nil, headers: key, body).status == 201)
        }
        let change: Body = [
            "parameters": link, "name": "x", "archived": true, "expiresIn": 3600, "tags": ["a"], "note": "x",
        ]
        #expect(
            try await app.call(.patch, "/v1/links/party", headers: key, body: change).status == 200)
        #expect(try await app.call(.delete, "/v1/links/nowhere", headers: key).status == 404)
        let page = try await app.get("/v1/links?limit=1", headers: key)
        let next = try #require(page["next"])
        for path in ["/v1/links/party", "/v1/links/party/stats?days=365", "/v1/links?limit=1&after=\(next)"] {
            #expect(try await app.get(path, headers: key).status == 200, "\(path)")
        }
        for query in ["order=oldest", "order=clicks", "order=name", "tag=a", "q=x", "q=x&order=name"] {
            #expect(try await app.get("/v1/links?\(query)", headers: key).status == 200, "\(query)")
        }
        #expect(try await app.get("/party", headers: [.testHost: "go.example.com"]).status == 302)
        let pasted = ["platform": "ios", "pasteboard": "https://go.example.com/party"]
        #expect(try await app.claim(pasted, of: "plan")["deepLink.url"] != nil)
        try await LinkClaimStore(db: app.db).forgetExpired()
    }

    private func driveInstalls(_ app: TestApp) async throws {
        let tap = try await app.tap("/users/user200/play-store?invitedBy=u-user200")
        for body in [
            ["platform": "android", "referrer": tap],
            ["platform": "ios", "pasteboard": "\(TestApp.origin)/users/user201?invitedBy=u-user201"],
        ] {
            let claim = try await app.claim(body, of: body["platform"] ?? "")
            try await app.signUp("by_\(body["platform"] ?? "")", invite: ["claim": claim["claim"] ?? ""])
        }
        let installs = InstallStore(db: app.db)
        let installation = try #require(InstallationID("i"))
        #expect(try await installs.likely([UUID(), UUID()], of: "standard", for: installation) == nil)
        try await installs.forgetExpired()
    }

    private func driveReads(_ app: TestApp, _ ann: String, _ code: String, of owner: String) async throws {
        for (uid, path) in [
            (ann, "/v1/me"), (ann, "/v1/me/invite/stats"), (ann, "/v1/users/u-user101"),
            (ann, "/v1/friends?limit=10"),
            (ann, "/v1/users?username=user5"), (ann, "/v1/friends?order=name"),
            (ann, "/v1/friends?prefix=user1"),
            (ann, "/v1/requests"), (ann, "/v1/requests?direction=outgoing"), (ann, "/v1/blocks"),
            (ann, "/v1/friends/u-user110/mutual"), (ann, "/v1/friends/u-user150/path"),
            (ann, "/v1/suggestions"),
            (ann, "/v1/me/changes"),
            (ann, "/v1/me/usernames"), (ann, "/v1/usernames/user5"), (ann, "/v1/me/invite"),
            (ann, "/v1/invites"), (ann, "/v1/me/invitees"),
            (owner, "/v1/invites/\(code)"), (owner, "/v1/invites/\(code)/joined"),
        ] {
            #expect(try await app.get(path, as: uid).status == 200, "\(path)")
        }
    }

    /// What operators ask, and what they do for users.
    private func driveDesk(_ app: TestApp, _ admin: HTTPFields) async throws {
        let time = "2026-01-01T00:00:00Z"
        for path in [
            "explain?username=olduser18000&invitedBy=u-user18000", "users/u-user18000/timeline",
            "users?username=user18000",
            "usernames/olduser18000", "usernames/olduser18000?at=\(time)", "friends/u-user18000/u-user18001",
            "friends/u-user18000/u-user18001?at=\(time)", "audit", "audit?uid=u-user18000",
            "audit?actor=key:x", "audit?item=values.value7", "audit?act=delete", "audit?code=x",
            "audit?from=\(time)&to=\(time)",
            "config/publications", "config/publications?item=values.value7", "config/publications/7",
            "config/difference?from=19990&to=19995",
            "config?at=\(Date().addingTimeInterval(-60).ISO8601Format())",
            "people/user7@example.com", "people", "sessions", "keys", "events?order=newest&limit=2",
            "events?order=newest&before=1767225600000000&type=user.renamed&limit=2",
        ] {
            #expect(try await app.get("/v1/admin/\(path)", headers: admin).status == 200, "\(path)")
        }
        let rename: Body = ["username": "user18000b", "reason": "x"]
        for (method, path, body): (HTTPRequest.Method, String, Body) in [
            (.put, "username", rename), (.post, "undo-invites", ["reason": "x", "dryRun": true]),
        ] {
            let answer = try await app.call(
                method, "/v1/admin/users/u-user18000/\(path)", headers: admin, body: body)
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    private func driveAccounts(_ app: TestApp) async throws {
        let key = try await APIKeyStore(db: app.db).create(name: "plan", scope: .admin)
        let admin: HTTPFields = [.authorization: "Bearer \(key)"]
        let user = "/v1/admin/users/u-user19000"
        let calls: [(HTTPRequest.Method, String, Body?)] = [
            (.put, "/suspension", [:]), (.delete, "/suspension", nil),
            (.get, "/invitees", nil), (.put, "/invite-freeze", ["reason": "x"]),
            (.delete, "/invite-freeze", nil),
        ]
        for (method, path, body) in calls {
            #expect(try await app.call(method, user + path, headers: admin, body: body).status == 200)
        }
        try await driveDesk(app, admin)
        // An import has a connection of its own, whose plans nobody sees: the same statements on a lane.
        let (code, campaign) = (UUID(), OfferCampaign.Key(stored: "campaign1"))
        try await app.db.bulk.run(OfferImportStore.others(of: [code], than: campaign))
        try await app.db.bulk.run(
            OfferImportStore.insert(
                [(id: code, sealed: [], expiresAt: Date() + 9_000_000, line: 1)], into: campaign))
        for campaign in ["campaign1", "campaign2"] {
            let key = OfferCampaign.Key(stored: campaign)
            let user = User.ID(of: User.UID(stored: "u-user19000"))
            #expect(
                try await OfferStore(db: app.db).deal(key, to: user, by: RewardStore.self, mark: []).isNew)
        }
        let simulated = try await app.call(
            .post, "\(user)/simulated-purchases", headers: admin,
            body: ["act": "redeem", "campaign": "campaign1"])
        #expect(simulated.status == 201, "\(simulated.text)")
        for path in ["purchases/19000", "users/u-user19000/purchases", "redemptions"] {
            let answer = try await app.get("/v1/admin/\(path)?environment=sandbox", headers: admin)
            #expect(answer.status == 200, "\(answer.text)")
        }
        #expect(try await app.get("/v1/me/export", as: "u-user19000").status == 200)
        #expect(try await app.call(.delete, "/v1/me", as: "u-user19000").status == 204)
    }
}
