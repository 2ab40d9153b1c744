import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Web

/// `/v1/me` and `/v1/users/{uid}`.
@Suite(.inTurns) struct UserRoutesTests {
    @Test func `a user sees their own account`() async throws {
        try await TestApp.run { app in
            _ = try await app.post("/v1/signup", as: "u-ann", ["username": "Ann", "displayName": "Ann 花"])
            let answer = try await app.get("/v1/me", as: "u-ann")
            #expect(answer.status == 200)
            #expect(answer.headers[.cacheControl] == "private, no-cache")
            #expect(
                Set(answer.json.keys) == [
                    "uid", "username", "displayName", "status", "createdAt", "invites", "link", "counts",
                    "rename",
                ])
            #expect(answer["uid"] == "u-ann")
            #expect(answer["username"] == "Ann")
            #expect(answer["displayName"] == "Ann 花")
            #expect(answer["status"] == "active")
            let created = try #require(answer["createdAt"])
            #expect(created.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }
    }

    @Test func `the display name can be changed, kept and removed`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            func patch(_ body: Body) async throws -> TestApp.Answer {
                try await app.call(.patch, "/v1/me", as: "u-ann", body: body)
            }
            #expect(try await patch(["displayName": "Ann"])["displayName"] == "Ann")
            #expect(try await patch([:])["displayName"] == "Ann")
            #expect(try await app.get("/v1/me", as: "u-ann")["displayName"] == "Ann")
            #expect(try await app.get("/v1/users/u-ann", as: "u-ann")["displayName"] == "Ann")
            #expect(try await patch(["displayName": nil])["displayName"] == "Ann")
            #expect(try await patch(["displayName": ""])["displayName"] == nil)
            #expect(try await app.get("/v1/me", as: "u-ann")["displayName"] == nil)
        }
    }

    private func patch(_ app: TestApp, _ name: String) async throws -> TestApp.Answer {
        try await app.call(.patch, "/v1/me", as: "u-ann", body: ["displayName": name])
    }

    @Test func `setting the current display name writes nothing`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            #expect(try await patch(app, "Ann").status == 200)
            let before = try await app.footprint()
            for _ in 0..<20 { #expect(try await patch(app, "Ann").status == 200) }
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `of many concurrent changes of the display name ten a day are accepted`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for number in 0..<30 { group.addTask { try await patch(app, "Ann \(number)") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 10)
            let refused = answers.filter { $0.status != 200 }
            #expect(refused.allSatisfy { ($0.status, $0.code) == (429, "profile_cooldown") })
            #expect(refused.allSatisfy { (1...86_400).contains(Int($0.headers[.retryAfter] ?? "") ?? 0) })
            try await app.db.write.run(
                """
                UPDATE users SET profiles_at = (
                    SELECT array_agg(tests.earlier(at, 24)) FROM unnest(profiles_at) AS u (at))
                """)
            #expect(try await patch(app, "Ann again").status == 200)
            #expect(try await app.get("/v1/me", as: "u-ann")["displayName"] == "Ann again")
        }
    }

    @Test(arguments: [
        "花子", "مريم", "👩‍👩‍👧‍👦", "e\u{301}", "é", "Zoë O'Brien-<b>&amp;", "a\u{200D}b", "\u{10FFFF}",
        String(repeating: "é", count: 100), #"{{name}} %s ' OR 1=1 --"#, "\u{FFFD}", "ﷺ",
    ])
    func `a display name of any script is returned byte for byte`(name: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            #expect(try await patch(app, name).status == 200)
            let stored = try #require(try await app.get("/v1/me", as: "u-ann")["displayName"])
            #expect(Array(stored.utf8) == Array(name.utf8))
        }
    }

    @Test(arguments: [
        " ", "\\u0009", "a\\nb", "a\\u0000b", "a\\u2028b", "a\\u2029b", "a\\u001Bb", "a\\u007Fb",
        "a\\u0085b",
        "\\u202Eevil", "a\\u2066b", "\\u200B\\u200D \\u2060", String(repeating: "é", count: 101),
    ])
    func `a display name that is not one line of 1 to 100 characters is refused`(name: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.call(
                .patch, "/v1/me", as: "u-ann", body: "{\"displayName\":\"\(name)\"}")
            #expect([400, 422].contains(answer.status))
            #expect(answer["field"] == "displayName")
            #expect(try await app.get("/v1/me", as: "u-ann")["displayName"] == nil)
        }
    }

    @Test func `others see the profile and their relationship to the user`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.signUp("cat")
            let friend = try await app.get("/v1/users/u-ann", as: "u-bob")
            #expect(friend.status == 200)
            #expect(Set(friend.json.keys) == ["uid", "username", "relationship", "since"])
            #expect(friend["relationship"] == "friends")
            #expect(try await app.get("/v1/users/u-ann", as: "u-cat")["relationship"] == "none")
            try await app.rename("u-ann", to: "anna")
            #expect(try await app.get("/v1/users/u-ann", as: "u-cat")["username"] == "anna")
        }
    }

    @Test(arguments: ["ü/ñ?#&=%", "a b", "花", "a%2Fb", "..", "auth0|64f0", "\u{202E}x", "👩‍👩‍👧"])
    func `a uid of any characters has a path`(uid: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann", uid: uid)
            let answer = try await app.get("/v1/users/\(PercentEncoding.encode(uid))", as: uid)
            #expect(answer.status == 200)
            #expect(answer["uid"] == uid)
        }
    }

    @Test
    func `unknown, suspended and deleted users look the same, and a blocking user like any other`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "gone", "left", "blocker"] { try await app.signUp(name) }
            try await app.setStatus("suspended", of: "u-gone")
            try await app.setStatus("deleted", of: "u-left")
            #expect(try await app.call(.put, "/v1/blocks/u-ann", as: "u-blocker").status == 200)
            var bodies: Set<String> = []
            for uid in ["nobody", "u-gone", "u-left"] {
                let answer = try await app.get("/v1/users/\(uid)", as: "u-ann")
                #expect(answer.status == 404)
                #expect(answer.code == "user_not_found")
                let id = try #require(answer["requestId"])
                bodies.insert(answer.text.replacing(id, with: ""))
            }
            #expect(bodies.count == 1)
            #expect(try await app.get("/v1/users/u-blocker", as: "u-ann")["relationship"] == "none")
            #expect(try await app.get("/v1/users/u-ann", as: "u-blocker")["relationship"] == "blocked")
        }
    }

    private static let ofAccounts: [(HTTPRequest.Method, String, Body?)] = [
        (.get, "/v1/me", nil), (.patch, "/v1/me", [:]), (.get, "/v1/users/u-ann", nil),
        (.put, "/v1/me/username", ["username": "free"]), (.get, "/v1/me/usernames", nil),
        (.get, "/v1/me/invite", nil), (.post, "/v1/me/invite/rotate", nil), (.get, "/v1/invites", nil),
        (.post, "/v1/invites", [:]), (.get, "/v1/invites/0123456789abcdef", nil),
        (.delete, "/v1/invites/0123456789abcdef", nil), (.get, "/v1/friends", nil),
        (.get, "/v1/users?username=ann", nil), (.get, "/v1/me/export", nil), (.get, "/v1/me/invitees", nil),
        (.post, "/v1/invites/accept", ["username": "ann", "invitedBy": "u-ann"]),
    ]

    @Test(
        arguments: [
            (nil, "not_signed_up"), ("suspended", "account_suspended"), ("deleted", "account_deleted"),
        ] as [(String?, String)])
    func `a caller without an active account is told so by every call that needs one, and writes nothing`(
        status: String?, code: String
    ) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            if let status {
                try await app.signUp("bob")
                try await app.setStatus(status, of: "u-bob")
            }
            let before = try await app.footprint()
            for (method, path, body) in Self.ofAccounts {
                let answer = try await app.call(method, path, as: "u-bob", body: body)
                #expect(answer.status == 403, "\(method) \(path)")
                #expect(answer.code == code, "\(method) \(path)")
            }
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `a display name is not changed if the user is suspended meanwhile`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.setStatus("suspended", of: "u-ann")
            let body: Body = ["displayName": "Ann"]
            #expect(try await app.call(.patch, "/v1/me", as: "u-ann", body: body).status == 403)
            try await app.setStatus("active", of: "u-ann")
            #expect(try await app.get("/v1/me", as: "u-ann")["displayName"] == nil)
        }
    }
}
