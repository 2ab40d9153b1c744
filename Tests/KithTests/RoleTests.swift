import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// What the key of each scope may call. A new route is tried by itself; if it is for roles, the table below
/// must say so too.
@Suite(.inTurns) struct RoleTests {
    private static let linkNumbers = [
        "GET /v1/links", "GET /v1/links/{code}", "GET /v1/links/{code}/stats", "GET /v1/link-preview",
        "GET /links/**",
        "GET /fdl/v1/{dynamicLink}/linkStats",
    ]

    private static let rolloutNumbers = [
        "GET /v1/admin/numbers", "GET /v1/admin/numbers/{measure}",
        "GET /v1/admin/numbers/invites.funnel", "GET /v1/admin/client-versions/adoption",
        "GET /v1/admin/policies", "GET /v1/admin/policies/evaluate", "GET /v1/admin/values/evaluate",
        "GET /v1/admin/client-versions",
        "GET /v1/admin/client-versions.svg", "GET /v1/admin/experiments", "GET /v1/admin/experiments/size",
        "GET /v1/admin/experiments/{experiment}/results", "GET /v1/admin/offers",
        "GET /v1/admin/rewards/programs", "GET /v1/admin/rewards/programs/{program}/report",
        "GET /v1/admin/apps", "GET /v1/admin/config", "GET /v1/admin/config/items/{section}/{key}",
        "GET /v1/admin/config/difference",
        "GET /v1/admin/config/drafts", "GET /v1/admin/config/drafts/{draft}",
        "GET /v1/admin/config/test-devices",
        "GET /v1/admin/config/publications", "GET /v1/admin/config/publications/{number}",
    ]

    private static let everyRole = ["GET /v1/admin/me"]

    /// All that each role may call. An admin's key is in `CallerTableTests`, as those of apps and backends.
    private static let table: [APIKey.Scope: Set<String>] = [
        .viewer: Set(linkNumbers + rolloutNumbers + everyRole),
        .links: Set(
            linkNumbers + everyRole + [
                "POST /v1/links", "POST /v1/link-sheets", "PATCH /v1/links/{code}",
                "DELETE /v1/links/{code}",
                "POST /fdl/v1/shortLinks", "POST /fdl/v1/managedShortLinks:create",
            ]),
        .growth: Set(
            rolloutNumbers + everyRole + [
                "PUT /v1/admin/offers/{campaign}", "POST /v1/admin/offers/{campaign}/codes",
                "POST /v1/admin/offers/{campaign}/deals", "POST /v1/admin/config",
                "POST /v1/admin/config/publications/{number}/revert",
                "POST /v1/admin/config/publications/{number}/restore",
                "PUT /v1/admin/config/drafts/{draft}", "DELETE /v1/admin/config/drafts/{draft}",
                "POST /v1/admin/config/drafts/{draft}/publication",
                "PUT /v1/admin/config/test-devices/{device}", "DELETE /v1/admin/config/test-devices/{device}",
            ]),
        .support: [
            "GET /v1/admin/me", "PUT /v1/admin/users/{uid}/suspension",
            "DELETE /v1/admin/users/{uid}/suspension",
            "GET /v1/admin/users/{uid}/invitees", "PUT /v1/admin/users/{uid}/invite-freeze",
            "DELETE /v1/admin/users/{uid}/invite-freeze", "GET /v1/admin/explain",
            "GET /v1/admin/usernames/{username}", "GET /v1/admin/friends/{uid}/{other}",
            "GET /v1/admin/users/{uid}/timeline", "GET /v1/admin/users",
            "GET /v1/admin/inviters", "GET /v1/admin/inviters/growing",
            "PUT /v1/admin/users/{uid}/username", "POST /v1/admin/users/{uid}/deletion",
            "POST /v1/admin/users/{uid}/undo-invites", "DELETE /v1/admin/invites/{code}",
            "GET /v1/admin/purchases/{originalTransactionId}", "GET /v1/admin/users/{uid}/purchases",
            "GET /v1/admin/redemptions", "GET /v1/admin/rewards", "GET /v1/admin/rewards/{reward}",
            "POST /v1/admin/rewards/{reward}/decision",
        ],
    ]

    /// Whether the key of a scope that acts for no user may call the route.
    private static func mayCall(_ scope: APIKey.Scope, _ route: RouteRules) -> Bool {
        if let calls = table[scope] { return calls.contains("\(route.method) \(route.path)") }
        return switch route.callers {
        case .anybody, .callers: true
        case .users, .accounts: false
        case .keys(let scopes): scopes.contains(scope)
        }
    }

    private func run(
        _ test: @escaping @Sendable (TestApp, [RouteRules]) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            TestApp.withConsole(&$0)
        }) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let made = try await app.post(
                "/v1/links", as: nil, headers: app.keyed(.server),
                ["parameters": ["link": TestApp.party] as Body, "suffix": "custom", "code": "summer"])
            try #require(made.status == 201, "\(made.text)")
            let routes = app.app.routes.map(\.rules).filter { $0.callers != .anybody }
            #expect(routes.count > 90)
            try await test(app, routes)
        }
    }

    /// Calls a route about ann and her link.
    private func call(
        _ app: TestApp, _ route: RouteRules, _ headers: HTTPFields
    ) async throws -> TestApp.Answer {
        let path = route.path.replacing("{uid}", with: "u-ann").replacing("{other}", with: "u-bob")
            .replacing("{username}", with: "ann").replacing("{code}", with: "summer")
            .replacing("**", with: "summer+").replacing(/\{.*?\}/, with: "x")
        return try await app.call(route.method, path, headers: headers, body: route.hasBody ? [:] : nil)
    }

    private func expectRefusal(_ answer: TestApp.Answer, _ route: RouteRules, _ what: String) {
        let (status, code) =
            switch route.form {
            case .firebase: (403, "PERMISSION_DENIED")
            case _ where route.keyPlace == .password: (401, "unauthenticated")
            default: (403, "forbidden")
            }
        #expect(answer.status == status, "\(what): \(answer.text)")
        #expect((answer.code ?? answer["error.status"]) == code, "\(what): \(answer.text)")
    }

    /// All rows but of what counts calls.
    private func rows(_ app: TestApp) async throws -> [String: String] {
        var rows: [String: String] = [:]
        for table in Migration.tables where !["api_keys", "rate_limits"].contains(table) {
            let text =
                "SELECT count(*) || ' ' || md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM \(table) t"
            rows[table] =
                try await app.db.read.first(Statement(text: text)) { try $0.next(as: String?.self) }
                ?? nil
        }
        return rows
    }

    @Test func `each key calls what the table gives its scope, and nothing else changes anything`()
        async throws
    {
        try await run { app, routes in
            var keys: [APIKey.Scope: HTTPFields] = [:]
            for scope in APIKey.Scope.allCases { keys[scope] = try await app.keyed(scope) }
            let before = try await rows(app)
            for (scope, key) in keys {
                for route in routes where !Self.mayCall(scope, route) {
                    let answer = try await call(app, route, key)
                    expectRefusal(answer, route, "\(scope): \(route.method) \(route.path)")
                }
            }
            #expect(try await rows(app) == before)
            for (scope, key) in keys {
                for route in routes where Self.mayCall(scope, route) {
                    let answer = try await call(app, route, key)
                    #expect(
                        ![401, 403].contains(answer.status) && answer.status < 500,
                        "\(scope): \(route.method) \(route.path): \(answer.text)")
                }
            }
        }
    }

    @Test func `each person calls what one of their roles may, and nothing else changes anything`()
        async throws
    {
        try await run { app, routes in
            var people: [(roles: Set<Role>, browser: HTTPFields)] = []
            for roles in Role.allCases.map({ Set([$0]) }) + [[.viewer, .support], [.links, .growth]] {
                let name = roles.names.joined(separator: "-")
                people.append((roles, try await app.signIn("\(name)@example.com", roles)))
            }
            func may(_ roles: Set<Role>, _ route: RouteRules) -> Bool {
                guard case .keys = route.callers else { return false }
                return roles.contains { Self.mayCall(APIKey.Scope($0), route) }
            }
            let before = try await rows(app)
            for (roles, browser) in people {
                for route in routes where !may(roles, route) {
                    let answer = try await call(app, route, browser)
                    let what = "\(roles.names): \(route.method) \(route.path)"
                    guard case .keys = route.callers else {
                        #expect([404, 405].contains(answer.status), "\(what): \(answer.text)")
                        continue
                    }
                    #expect(answer.status == 403, "\(what): \(answer.text)")
                }
            }
            #expect(try await rows(app) == before)
            for (roles, browser) in people {
                for route in routes where may(roles, route) {
                    let answer = try await call(app, route, browser)
                    #expect(
                        ![401, 403].contains(answer.status) && answer.status < 500,
                        "\(roles.names): \(route.method) \(route.path): \(answer.text)")
                }
            }
        }
    }

    @Test func `the key of a role acts for no user, wherever it calls`() async throws {
        try await run { app, routes in
            let before = try await rows(app)
            for role in Role.allCases where role != .admin {
                var key = try await app.keyed(APIKey.Scope(role))
                key[.kithUser] = "u-ann"
                for route in routes {
                    let answer = try await call(app, route, key)
                    #expect(answer.status == 403, "\(role): \(route.method) \(route.path): \(answer.text)")
                    #expect(answer.text.contains("A \(role) key cannot act for a user"), "\(answer.text)")
                }
            }
            #expect(try await rows(app) == before)
        }
    }

    @Test func `the table names routes that there are`() throws {
        let routes = try Set(App.blank.get().routes.map { "\($0.rules.method) \($0.rules.path)" })
        for calls in Self.table.values { #expect(calls.subtracting(routes) == []) }
    }

    @Test func `a refusal names the scopes that may call`() async throws {
        try await run { app, _ in
            for (scope, method, path, detail) in [
                (.viewer, .put, "/v1/admin/offers/x", "a key of scope growth or admin."),
                (.links, .get, "/v1/admin/audit", "a key of scope admin."),
                (.growth, .get, "/v1/links", "a key of scope server, viewer, links or admin."),
                (.support, .post, "/v1/goals", "a key of scope server or admin."),
                (.viewer, .post, "/v1/exposures", "a key of scope client, server or admin."),
                (.client, .get, "/v1/admin/policies", "a key of scope viewer, growth or admin."),
            ] as [(APIKey.Scope, HTTPRequest.Method, String, String)] {
                let answer = try await app.call(method, path, headers: app.keyed(scope))
                #expect(answer.status == 403 && answer.code == "forbidden", "\(path): \(answer.text)")
                #expect(answer["detail"] == "This call needs \(detail)", "\(path)")
            }
            var admin = try await app.keyed()
            admin[.kithUser] = "u-ann"
            #expect(
                try await app.get("/v1/admin/audit", headers: admin)["detail"]
                    == "This call needs a key of scope admin, without the header Kith-User.")
            let page = try await app.get("/links/summer+", headers: app.keyed(.growth))
            #expect(page["detail"]?.contains("a key of scope server, viewer, links or admin, as the") == true)
        }
    }

    @Test func `a links key makes and changes links like a backend, and the audit has each change`()
        async throws
    {
        try await run { app, _ in
            let links = try await app.keyed(.links)
            let made = try await app.post(
                "/v1/links", as: nil, headers: links,
                [
                    "parameters": ["link": TestApp.party] as Body, "suffix": "custom", "code": "winter",
                    "name": "Flyer",
                ])
            #expect(made.status == 201 && made["name"] == "Flyer" && made["expiresAt"] == nil, "\(made.text)")
            let changed = try await app.call(
                .patch, "/v1/links/winter", headers: links, body: ["name": "Poster"])
            #expect(changed["name"] == "Poster", "\(changed.text)")
            let managed = try await app.firebase(
                "managedShortLinks:create", links, ["longDynamicLink": TestApp.long(["link": TestApp.party])])
            #expect(managed.status == 200, "\(managed.text)")
            #expect(try await app.count("audit WHERE act = 'call'") == 3)
            let viewer = try await app.keyed(.viewer)
            #expect(try await app.get("/v1/links/winter/stats", headers: viewer).status == 200)
            let refused = try await app.call(.delete, "/v1/links/winter", headers: viewer)
            #expect(refused["detail"] == "This call needs a key of scope server, links or admin.")
            #expect(try await app.get("/v1/links/winter", headers: viewer)["name"] == "Poster")
            #expect(try await app.call(.delete, "/v1/links/winter", headers: links).status == 204)
        }
    }

    @Test func `a server key without the right acts for no user, and is a backend's otherwise`() async throws
    {
        try await run { app, _ in
            let store = APIKeyStore(db: app.db)
            let text = try await store.create(name: "consumer", scope: .server, actsForUsers: false)
            var key: HTTPFields = [.authorization: "Bearer \(text)"]
            #expect(try await app.get("/v1/links", headers: key).status == 200)
            for uid in ["u-ann", "u-nobody", "%zz"] {
                key[.kithUser] = uid
                for path in ["/v1/me", "/v1/me/export", "/v1/usernames/free", "/v1/links"] {
                    let answer = try await app.get(path, headers: key)
                    #expect(answer.status == 403 && answer.code == "forbidden", "\(answer.text)")
                    #expect(
                        answer["detail"]
                            == "This key was made without the right to act for users: leave out the header Kith-User."
                    )
                }
            }
            var other = try await app.keyed(.server)
            other[.kithUser] = "u-ann"
            #expect(try await app.get("/v1/me", headers: other)["uid"] == "u-ann")
        }
    }
}
