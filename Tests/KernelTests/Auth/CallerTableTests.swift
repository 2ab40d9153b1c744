import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Kith
@testable import Web

/// Which kinds of callers may call each route. Only the right to call is tested: 404, 409 and 422 are about
/// the contents of a call.
@Suite(.inTurns) struct CallerTableTests {
    private enum Right {
        /// Any authenticated caller but those whose account is suspended or deleted.
        case anyone
        /// A user with an active account, or a key that acts for one.
        case user
        /// The same, but also a user who has no account yet.
        case signUp
        /// As `user`, and also a user who has deleted their account.
        case leave
        /// An admin key that acts for nobody; at the second a browser asks everybody else for another key.
        /// `RoleTests` has the keys of other roles.
        case operators, operatorsInBrowsers
        /// A key that acts for nobody; the second only a server or admin key.
        case keys, backends
        /// The same as the second; a browser asks everybody else for another key.
        case backendsInBrowsers
        /// Everybody, also without a token.
        case visitors
    }

    private static let routes: [(HTTPRequest.Method, String, Body?, Right)] = [
        (.get, "/v1/usernames/free_name", nil, .anyone),
        (.post, "/v1/invites/resolve", ["username": "ann", "invitedBy": "u-ann"], .anyone),
        (
            .post, "/v1/installs/claim", ["platform": "ios", "installationId": "i", "referrer": "x"], .anyone
        ),
        (.post, "/v1/links/resolve", ["url": "https://go.example.com/c"], .anyone),
        (.put, "/v1/admin/users/u-nobody/suspension", [:], .operators),
        (.delete, "/v1/admin/users/u-nobody/suspension", nil, .operators),
        (.get, "/v1/admin/users/u-ann/invitees", nil, .operators),
        (.get, "/v1/policy?platform=ios&version=1.0", nil, .keys),
        (.get, "/v1/policy/remote-config?platform=ios", nil, .keys),
        (.get, "/v1/values?platform=ios&unit=u", nil, .keys),
        (
            .post, "/v1/exposures", ["unit": "u", "experiment": "x", "phase": 1, "variation": "control"],
            .keys
        ),
        (.post, "/v1/goals", ["unit": "u", "goal": "bought"], .backends),
        (
            .post, "/v1/purchases/consume", ["uid": "u-a", "originalTransactionId": "1", "id": "1"],
            .backends
        ),
        (.get, "/v1/admin/experiments", nil, .operators),
        (.get, "/v1/admin/experiments/exp/results", nil, .operators),
        (.get, "/v1/admin/experiments/size?rate=5&lift=20", nil, .operators),
        (.get, "/v1/admin/policies/evaluate?platform=ios", nil, .operators),
        (.get, "/v1/admin/values/evaluate?platform=ios", nil, .operators),
        (.get, "/v1/admin/policies", nil, .operators), (.get, "/v1/admin/numbers", nil, .operators),
        (.get, "/v1/admin/numbers/people.sign_ups", nil, .operators),
        (.get, "/v1/admin/numbers/invites.funnel", nil, .operators),
        (.get, "/v1/admin/inviters", nil, .operators), (.get, "/v1/admin/inviters/growing", nil, .operators),
        (.get, "/v1/admin/client-versions", nil, .operators),
        (.get, "/v1/admin/client-versions/adoption?platform=ios", nil, .operators),
        (.get, "/v1/admin/client-versions.svg", nil, .operatorsInBrowsers),
        (.get, "/v1/admin/config", nil, .operators),
        (.get, "/v1/admin/config/items/values/a", nil, .operators),
        (.post, "/v1/admin/config", ["changes": [:] as Body, "reason": "x"], .operators),
        (.get, "/v1/admin/config/difference?from=0", nil, .operators),
        (.get, "/v1/admin/config/publications", nil, .operators),
        (.get, "/v1/admin/config/publications/1", nil, .operators),
        (.post, "/v1/admin/config/publications/1/revert", ["reason": "x"], .operators),
        (.post, "/v1/admin/config/publications/1/restore", ["reason": "x"], .operators),
        (.get, "/v1/admin/config/drafts", nil, .operators),
        (.get, "/v1/admin/config/drafts/a", nil, .operators),
        (.put, "/v1/admin/config/drafts/a", ["changes": [:] as Body], .operators),
        (.delete, "/v1/admin/config/drafts/a", nil, .operators),
        (.post, "/v1/admin/config/drafts/a/publication", ["reason": "x"], .operators),
        (.get, "/v1/admin/config/test-devices", nil, .operators),
        (.put, "/v1/admin/config/test-devices/a", ["unit": "u"], .operators),
        (.delete, "/v1/admin/config/test-devices/a", nil, .operators),
        (.get, "/v1/admin/me", nil, .operators), (.get, "/v1/admin/people", nil, .operators),
        (.get, "/v1/admin/people/ann@example.com", nil, .operators),
        (.put, "/v1/admin/people/ann@example.com", ["roles": ["growth"]], .operators),
        (.delete, "/v1/admin/people/ann@example.com", nil, .operators),
        (.post, "/v1/admin/people/ann@example.com/sign-in-links", nil, .operators),
        (.get, "/v1/admin/sessions", nil, .operators),
        (.delete, "/v1/admin/sessions/00000000-0000-4000-8000-000000000001", nil, .operators),
        (.get, "/v1/admin/keys", nil, .operators),
        (.post, "/v1/admin/keys", ["name": "x", "scope": "client"], .operators),
        (.delete, "/v1/admin/keys/x", nil, .operators),
        (.get, "/v1/admin/apps", nil, .operators), (.get, "/v1/admin/events", nil, .operators),
        (.get, "/v1/admin/hosts", nil, .operators), (.get, "/v1/admin/hosts/x/check", nil, .operators),
        (.get, "/v1/admin/webhooks", nil, .operators),
        (.post, "/v1/admin/webhooks", ["url": "https://backend.example.com/"], .operators),
        (.get, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001", nil, .operators),
        (.patch, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001", [:], .operators),
        (.delete, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001", nil, .operators),
        (.post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/secret", nil, .operators),
        (
            .post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/redeliver", ["dead": true],
            .operators
        ),
        (.post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/test", nil, .operators),
        (.get, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/dead", nil, .operators),
        (.get, "/v1/admin/offers", nil, .operators),
        (.put, "/v1/admin/offers/spring", ["appStoreId": "1", "offer": "x"], .operators),
        (.post, "/v1/admin/offers/spring/codes", ["codes": "ABCD1234"], .operators),
        (.post, "/v1/admin/offers/spring/deals", ["uids": ["u-ann"]], .operators),
        (.get, "/v1/me/rewards", nil, .user),
        (.get, "/v1/admin/rewards", nil, .operators), (.get, "/v1/admin/rewards/programs", nil, .operators),
        (.get, "/v1/admin/rewards/programs/autumn/report", nil, .operators),
        (.get, "/v1/admin/rewards/00000000-0000-4000-8000-000000000000", nil, .operators),
        (.post, "/v1/rewards/actions", ["uid": "u-a", "action": "x", "id": "1"], .backends),
        (.post, "/v1/rewards/signals", ["uid": "u-a"], .backends),
        (
            .post, "/v1/rewards/spend", ["uid": "u-a", "unit": "coins", "amount": 1, "id": "1"],
            .backends
        ),
        (
            .post, "/v1/admin/rewards/00000000-0000-4000-8000-000000000000/decision",
            ["decision": "approve", "reason": "x"], .operators
        ),
        (.get, "/v1/admin/purchases/1", nil, .operators), (.get, "/v1/admin/redemptions", nil, .operators),
        (.get, "/v1/admin/users/u-ann/purchases", nil, .operators),
        (
            .post, "/v1/admin/users/u-ann/simulated-purchases", ["act": "redeem", "campaign": "zz"],
            .operators
        ),
        (.post, "/hooks/appstore", ["signedPayload": "x"], .visitors),
        (.post, "/v1/me/transactions", ["signedTransaction": "x"], .user),
        (.get, "/v1/me/purchases", nil, .user),
        (.get, "/v1/admin/explain?username=ann", nil, .operators),
        (.get, "/v1/admin/usernames/ann", nil, .operators),
        (.get, "/v1/admin/friends/u-ann/u-caller", nil, .operators),
        (.get, "/v1/admin/users/u-ann/timeline", nil, .operators), (.get, "/v1/admin/audit", nil, .operators),
        (.get, "/v1/admin/users?uid=u-ann", nil, .operators),
        (.put, "/v1/admin/users/u-nobody/username", ["username": "x", "reason": "x"], .operators),
        (.post, "/v1/admin/users/u-nobody/deletion", ["reason": "x"], .operators),
        (.post, "/v1/admin/users/u-nobody/undo-invites", ["reason": "x"], .operators),
        (.delete, "/v1/admin/invites/0123456789abcdef?reason=x", nil, .operators),
        (.put, "/v1/admin/users/u-nobody/invite-freeze", ["reason": "x"], .operators),
        (.delete, "/v1/admin/users/u-nobody/invite-freeze", nil, .operators),
        (.post, "/v1/links", ["parameters": ["link": "https://join.example.com/"] as Body], .keys),
        (
            .post, "/v1/links",
            ["suffix": "custom", "code": "c", "parameters": ["link": "https://join.example.com/"] as Body],
            .backends
        ),
        (.get, "/v1/links/c/stats", nil, .backends), (.get, "/v1/me/invite/stats", nil, .user),
        (.get, "/v1/invites/0123456789abcdef/stats", nil, .user), (.get, "/v1/links", nil, .backends),
        (.post, "/v1/link-sheets", ["csv": "link\nhttps://join.example.com/"], .backends),
        (.get, "/v1/link-preview?link=https://join.example.com/", nil, .backends),
        (.get, "/v1/links/c", nil, .backends), (.get, "/links/c+", nil, .backendsInBrowsers),
        (.patch, "/v1/links/c", ["name": "x"], .backends), (.delete, "/v1/links/c", nil, .backends),
        (.post, "/fdl/v1/shortLinks", [:], .keys), (.post, "/fdl/v1/installAttribution", [:], .keys),
        (.post, "/fdl/v1/reopenAttribution", [:], .keys),
        (.post, "/fdl/v1/managedShortLinks:create", [:], .backends),
        (.get, "/fdl/v1/https%3A%2F%2Fgo.example.com%2Fc/linkStats?durationDays=7", nil, .backends),
        (.post, "/v1/signup", ["username": "free_name"], .signUp),
        (.get, "/v1/me", nil, .user), (.patch, "/v1/me", [:], .user), (.get, "/v1/users/u-ann", nil, .user),
        (.put, "/v1/me/username", ["username": "ann"], .user), (.get, "/v1/me/usernames", nil, .user),
        (.get, "/v1/me/invite", nil, .user), (.post, "/v1/me/invite/rotate", nil, .user),
        (.post, "/v1/me/offers/zz", nil, .user),
        (.post, "/v1/invites", [:], .user), (.get, "/v1/invites", nil, .user),
        (.get, "/v1/invites/0123456789abcdef", nil, .user),
        (.get, "/v1/invites/0123456789abcdef/joined", nil, .user),
        (.patch, "/v1/invites/0123456789abcdef", ["note": "x"], .user),
        (.delete, "/v1/invites/0123456789abcdef", nil, .user),
        (.post, "/v1/invites/accept", ["username": "ann", "invitedBy": "u-ann"], .user),
        (.get, "/v1/friends", nil, .user), (.get, "/v1/friends?order=name", nil, .user),
        (.get, "/v1/config", nil, .visitors), (.get, "/v1/users?username=zz", nil, .user),
        (.post, "/v1/requests", ["uids": ["zz"]], .user), (.put, "/v1/friends/zz", nil, .user),
        (.delete, "/v1/friends/zz", nil, .user), (.get, "/v1/requests", nil, .user),
        (.get, "/v1/blocks", nil, .user), (.put, "/v1/blocks/zz", nil, .user),
        (.delete, "/v1/blocks/zz", nil, .user), (.post, "/v1/users", ["uids": ["zz"]], .user),
        (.get, "/v1/me/changes", nil, .user), (.get, "/v1/friends/u-ann/mutual", nil, .user),
        (.get, "/v1/friends/u-ann/path", nil, .user), (.get, "/v1/suggestions", nil, .user),
        (.delete, "/v1/suggestions/zz", nil, .user), (.get, "/v1/me/export", nil, .user),
        (.get, "/v1/me/invitees", nil, .user), (.get, "/v1/me/stream", nil, .user),
        (.get, "/users/ann?invitedBy=u-ann", nil, .visitors), (.get, "/@ann", nil, .visitors),
        (.get, "/users/ann/qr.svg?invitedBy=u-ann", nil, .visitors),
        (.get, "/users/ann/qr.png?invitedBy=u-ann", nil, .visitors),
        (.get, "/users/ann/card.jpg?invitedBy=u-ann", nil, .visitors),
        (.get, "/users/ann/app-store?invitedBy=u-ann", nil, .visitors),
        (.get, "/users/ann/play-store?invitedBy=u-ann", nil, .visitors),
        (.get, "/0123456789abcdef", nil, .visitors), (.get, "/0123456789abcdef/qr.svg", nil, .visitors),
        (.get, "/0123456789abcdef/qr.png", nil, .visitors), (.get, "/robots.txt", nil, .visitors),
        (.get, "/icon.png", nil, .visitors), (.get, "/apple-app-site-association", nil, .visitors),
        (.get, "/.well-known/apple-app-site-association", nil, .visitors),
        (.get, "/.well-known/assetlinks.json", nil, .visitors), (.get, "/", nil, .visitors),
        // The last one, since it deletes the caller.
        (.delete, "/v1/me", nil, .leave),
    ]

    private enum Kind: CaseIterable {
        case nobody, user, unsigned, suspended, deleted, client, clientForUser, server, serverForUser
        case serverForSuspended, admin, adminForUser
    }

    private func headers(_ app: TestApp, _ kind: Kind) async throws -> HTTPFields {
        func token(_ uid: String) async throws -> HTTPFields {
            [.authorization: "Bearer \(try await TestApp.key.get().sign(uid: uid))"]
        }
        func key(_ scope: APIKey.Scope, _ uid: String?) async throws -> HTTPFields {
            var headers = try await app.keyed(scope)
            headers[.kithUser] = uid
            return headers
        }
        return switch kind {
        case .nobody: [:]
        case .user: try await token("u-caller")
        case .unsigned: try await token("u-unsigned")
        case .suspended: try await token("u-sleeper")
        case .deleted: try await token("u-leaver")
        case .client: try await key(.client, nil)
        case .clientForUser: try await key(.client, "u-caller")
        case .server: try await key(.server, nil)
        case .serverForUser: try await key(.server, "u-served")
        case .serverForSuspended: try await key(.server, "u-sleeper")
        case .admin: try await key(.admin, nil)
        case .adminForUser: try await key(.admin, "u-helped")
        }
    }

    /// The code of the refusal, nil if the caller may call.
    private func refusal(_ right: Right, _ kind: Kind) -> String? {
        if right == .visitors { return nil }
        switch kind {
        case .nobody: return "unauthenticated"
        case .clientForUser: return "forbidden"
        default: break
        }
        if right == .operators { return kind == .admin ? nil : "forbidden" }
        if right == .operatorsInBrowsers { return kind == .admin ? nil : "unauthenticated" }
        if right == .keys { return [.client, .server, .admin].contains(kind) ? nil : "forbidden" }
        if [.backends, .backendsInBrowsers].contains(right), [.server, .admin].contains(kind) { return nil }
        if right == .backends { return "forbidden" }
        if right == .backendsInBrowsers { return "unauthenticated" }
        switch kind {
        case .suspended, .serverForSuspended: return "account_suspended"
        case .deleted: return right == .leave ? nil : "account_deleted"
        case .unsigned: return [.user, .leave].contains(right) ? "not_signed_up" : nil
        case .client, .server, .admin: return right == .anyone ? nil : "forbidden"
        default: return nil
        }
    }

    @Test func `every route answers every kind of caller as the table says`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "caller", "served", "helped", "sleeper", "leaver"] {
                try await app.signUp(name)
            }
            // So that streams end at once.
            app.app.events.close()
            try await app.setStatus("suspended", of: "u-sleeper")
            try await app.setStatus("deleted", of: "u-leaver")
            for kind in Kind.allCases {
                let headers = try await headers(app, kind)
                for (method, path, body, right) in Self.routes {
                    if right == .signUp, kind == .unsigned { continue }  // It would sign up.
                    let answer = try await app.call(method, path, headers: headers, body: body)
                    let what = "\(kind): \(method) \(path): \(answer.status) \(answer.code ?? "")"
                    if let code = refusal(right, kind) {
                        let google = ["unauthenticated": "UNAUTHENTICATED", "forbidden": "PERMISSION_DENIED"]
                        let told = path.hasPrefix("/fdl") ? google[code] : code
                        #expect((answer.code ?? answer["error.status"]) == told, "\(what)")
                    } else {
                        #expect(![401, 403].contains(answer.status) && answer.status < 500, "\(what)")
                    }
                }
            }
        }
    }

    @Test func `every route of the server has a row, and every row has a route`() async throws {
        try await TestApp.run { app in
            let all = app.app.router().routes.map { (method: $0.method, path: "\($0.path)") }
            let rows = Self.routes.map { row in
                let path = row.1.prefix { $0 != "?" }.split(separator: "/")
                let route = all.filter { $0.method == row.0 && matches($0.path, path) }
                    .max { literal($0.path).count < literal($1.path).count }
                return route.map { "\($0.method) \($0.path)" } ?? "no route for \(row.0) \(row.1)"
            }
            let routes = Set(all.map { "\($0.method) \($0.path)" })
            #expect(routes.subtracting(rows) == [], "without a row")
            #expect(Set(rows).subtracting(routes) == [])
        }
    }

    private func matches(_ route: String, _ path: [Substring]) -> Bool {
        let segments = route.split(separator: "/")
        return segments.count == path.count
            && zip(segments, path).allSatisfy { segment, given in
                segment.contains("{")
                    ? given.hasPrefix(literal(segment)) : segment == given || segment == "**"
            }
    }

    /// Without its variables.
    private func literal(_ route: some StringProtocol) -> String {
        String(route).replacing(/\{.*?\}/, with: "")
    }
}
