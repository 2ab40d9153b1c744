import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Calls of a service that closes.
extension SunsetTests {
    private enum Caller { case user, client, server, admin, newcomer }

    private typealias Call = (HTTPRequest.Method, String, Body?, Caller)

    private static let party: Body = ["parameters": ["link": "https://example.com/party"]]

    /// What begins something, or tells of somebody's invite.
    private static let refused: [Call] = [
        (.post, "/v1/signup", ["username": "ann"], .newcomer),
        (.post, "/v1/invites/resolve", ["username": "ann", "invitedBy": "u-ann"], .client),
        (.post, "/v1/installs/claim", ["platform": "ios", "installationId": "i"], .client),
        (.post, "/v1/links", party, .client), (.post, "/v1/links", party, .admin),
        (.post, "/v1/link-sheets", ["csv": "link\nhttps://join.example.com/"], .admin),
        (.put, "/v1/friends/u-bob", nil, .user), (.post, "/v1/requests", ["uids": ["u-bob"]], .user),
        (.post, "/v1/me/invite/rotate", nil, .user), (.post, "/v1/invites", [:], .user),
        (.post, "/v1/invites/accept", ["username": "ann", "invitedBy": "u-ann"], .user),
        (.patch, "/v1/invites/0123456789abcdef", ["maxUses": 10], .user),
        (.put, "/v1/me/username", ["username": "anna"], .user),
    ]

    /// What users need to take what is theirs, and operators to help them.
    private static let allowed: [(Call, Int)] = [
        ((.get, "/v1/me", nil, .user), 200), ((.get, "/v1/me/export", nil, .user), 200),
        ((.get, "/v1/me/changes", nil, .user), 200), ((.get, "/v1/friends", nil, .user), 200),
        ((.get, "/v1/requests", nil, .user), 200), ((.get, "/v1/blocks", nil, .user), 200),
        ((.get, "/v1/invites", nil, .user), 200), ((.get, "/v1/me/invite", nil, .user), 200),
        ((.get, "/v1/me/usernames", nil, .user), 200), ((.get, "/v1/users/u-ann", nil, .user), 200),
        ((.patch, "/v1/me", ["displayName": "Ann"], .user), 200),
        ((.delete, "/v1/friends/u-bob", nil, .user), 200), ((.put, "/v1/blocks/u-bob", nil, .user), 200),
        ((.get, "/v1/usernames/somebody", nil, .client), 200), ((.get, "/v1/links", nil, .server), 200),
        ((.get, "/v1/admin/users?uid=u-ann", nil, .admin), 200),
        ((.get, "/v1/admin/audit", nil, .admin), 200),
        ((.get, "/v1/admin/users/u-ann/timeline", nil, .admin), 200),
        ((.put, "/v1/admin/users/u-ann/suspension", ["reason": "x"], .admin), 200),
        ((.delete, "/v1/admin/users/u-ann/suspension", nil, .admin), 200),
        ((.delete, "/v1/me", nil, .user), 204),
    ]

    private func answer(_ call: Call, _ app: TestApp) async throws -> TestApp.Answer {
        let (method, path, body, caller) = call
        let scope: APIKey.Scope? =
            switch caller {
            case .user, .newcomer: nil
            case .client: .client
            case .server: .server
            case .admin: .admin
            }
        return try await app.call(
            method, path, as: scope == nil ? caller == .user ? "u-ann" : "u-new" : nil,
            headers: scope == nil ? [:] : try await app.keyed(scope ?? .client), body: body)
    }

    @Test func `nothing begins any more: 410 service_closed, and nothing is written`() async throws {
        try await Self.run { app, close in
            for call in Self.refused {
                let before = try await answer(call, app)
                #expect(before.code != "service_closed" && before.status < 500, "\(call.1) \(before.text)")
            }
            close()
            let footprint = try await app.footprint()
            for call in Self.refused {
                let after = try await answer(call, app)
                #expect(after.status == 410 && after.code == "service_closed", "\(call.1) \(after.text)")
                #expect(after.headers[.contentType] == "application/problem+json")
            }
            #expect(try await app.footprint() == footprint)
        }
    }

    @Test func `users read, take and delete what is theirs, and operators help them`() async throws {
        try await Self.run { app, close in
            close()
            for (call, status) in Self.allowed {
                let after = try await answer(call, app)
                #expect(after.status == status, "\(call.0) \(call.1) \(after.text)")
            }
        }
    }

    @Test func `a sign-up of before repeats its answer, and no other`() async throws {
        try await Self.run { app, close in
            let before = try await app.post("/v1/signup", as: "u-ann", ["username": "ann"])
            #expect(before.status == 200)
            try await app.signUp("bob")
            try await app.setStatus("deleted", of: "u-bob")
            close()
            let again = try await app.post("/v1/signup", as: "u-ann", ["username": "ann"])
            #expect((again.status, again.text) == (200, before.text))
            for (uid, name, code) in [
                ("u-ann", "anna", "service_closed"), ("u-new", "new", "service_closed"),
                ("u-bob", "bob", "account_deleted"),
            ] {
                #expect(try await app.post("/v1/signup", as: uid, ["username": name]).code == code, "\(uid)")
            }
        }
    }

    @Test func `clients of Firebase's REST are told in its form`() async throws {
        try await Self.run { app, close in
            let key = try await app.keyed(.client)
            close()
            for path in ["shortLinks", "installAttribution"] {
                let answer = try await app.post("/fdl/v1/\(path)", as: nil, headers: key)
                #expect((answer.status, answer["error.code"]) == (410, "410"), "\(answer.text)")
                #expect(answer["error.message"] == Problem.serviceClosed.detail)
            }
        }
    }

    @Test func `each answer of the API tells when the service closes, before and after`() async throws {
        try await Self.run { app, close in
            func check() async throws {
                for path in ["/v1/config", "/v1/me", "/v1/no/such", "//v1/me", "/fdl/v1/x"] {
                    for uid in ["u-ann", nil] {
                        let headers = try await app.get(path, as: uid).headers
                        #expect(headers[.sunset] == "Wed, 31 Mar 2027 23:59:59 GMT", "\(path)")
                        #expect(headers[.link] == "<\(Self.url)>; rel=\"sunset\"")
                    }
                }
                #expect(try await app.call(.head, "/v1/me", as: "u-ann").headers[.sunset] != nil)
                #expect(try await app.get(Self.page).headers[.sunset] == nil)
            }
            try await check()
            close()
            try await check()
        }
    }

    @Test func `whoever has no right to a call is told that, not that the service has closed`() async throws {
        try await Self.run { app, close in
            close()
            let nobody = try await app.post("/v1/signup", as: nil, ["username": "new"])
            let newcomer = try await app.post("/v1/invites", as: "u-nobody")
            #expect((nobody.status, newcomer.code) == (401, "not_signed_up"))
        }
    }
}
