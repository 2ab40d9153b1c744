import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting

/// Whole answers: nobody can tell whether somebody was suspended or deleted their account.
@Suite(.inTurns) struct SameAbsenceTests {
    /// Ann invites Cat by a code and Dan by her link, both become her friends, then one of the three is
    /// absent.
    private func answers(
        as uid: String, while absent: String, is status: String, calls: [String]
    ) async throws -> [String: String] {
        let found = Mutex<[String: String]>([:])
        try await TestApp.run { app in
            try await app.signUp("ann")
            let made = try await app.post("/v1/invites", as: "u-ann", ["label": "Party"])
            let code = try #require(made["code"])
            try await app.signUp("cat", invite: ["code": code])
            try await app.signUp("dan", invite: TestApp.link("ann", "u-ann"))
            #expect(try await app.friends("u-ann").sorted() == ["u-cat", "u-dan"])
            let random = [
                code, try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"]),
                try #require(try await app.get("/v1/me/invite", as: uid)["code"]),
            ]
            try await app.setStatus(status, of: absent)
            for call in calls {
                let (method, path) =
                    call.hasPrefix("POST")
                    ? (HTTPRequest.Method.post, call.dropFirst(5)) : (.get, call.dropFirst(4))
                let answer = try await app.call(
                    method, String(path).replacing("CODE", with: code), as: uid,
                    body: method == .post ? ["username": "\(uid.dropFirst(2))"] : nil)
                #expect(answer.status < 500, "\(call): \(answer.text)")
                let text = (random + [answer["requestId"] ?? "–"]).reduce("\(answer.status) \(answer.text)") {
                    $0.replacing($1, with: "")
                }
                found.withLock { $0[call] = text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "") }
            }
        }
        return found.withLock { $0 }
    }

    @Test(arguments: ["u-cat", "u-dan"])
    func `to their inviter a suspended invitee looks like one who deleted their account`(absent: String)
        async throws
    {
        let calls = [
            "GET /v1/me/invite/stats", "GET /v1/invites/CODE/stats", "GET /v1/me/invitees",
            "GET /v1/invites/CODE/joined", "GET /v1/invites/CODE", "GET /v1/invites", "GET /v1/friends",
            "GET /v1/requests", "GET /v1/users/\(absent)", "GET /v1/friends/\(absent)/path",
            "POST /v1/signup",
            "GET /v1/me",
        ]
        let present = try await answers(as: "u-ann", while: absent, is: "active", calls: calls)
        let suspended = try await answers(as: "u-ann", while: absent, is: "suspended", calls: calls)
        let deleted = try await answers(as: "u-ann", while: absent, is: "deleted", calls: calls)
        for call in calls { #expect(suspended[call] == deleted[call], "\(call)") }
        func friends(_ answers: [String: String]) -> Bool {
            answers["GET /v1/me/invite/stats"]?.contains(#""friendship":1"#) == true
                && answers["GET /v1/me/invite/stats"]?.contains(#""signUp":2"#) == true
        }
        #expect(friends(suspended) && !friends(present), "\(suspended)")
        #expect(
            suspended["GET /v1/invites/CODE/stats"]?.contains(#""friendship":\#(absent == "u-cat" ? 0 : 1)"#)
                == true)
    }

    @Test(arguments: ["u-cat", "u-dan"])
    func `to their invitee a suspended inviter looks like one who deleted their account`(uid: String)
        async throws
    {
        let calls = [
            "POST /v1/signup", "GET /v1/me/export", "GET /v1/me", "GET /v1/friends", "GET /v1/users/u-ann",
        ]
        let present = try await answers(as: uid, while: "u-ann", is: "active", calls: calls)
        let suspended = try await answers(as: uid, while: "u-ann", is: "suspended", calls: calls)
        let deleted = try await answers(as: uid, while: "u-ann", is: "deleted", calls: calls)
        for call in calls where call != "GET /v1/me/export" {
            #expect(suspended[call] == deleted[call], "\(call)")
        }
        // A suspension ends nothing, so the export has no end of it.
        func signUp(_ answers: [String: String]) -> Substring? {
            answers["GET /v1/me/export"]?.firstMatch(of: /"signUp":\{.*?\}/)?.output
        }
        #expect(signUp(suspended) == signUp(deleted))
        #expect(suspended["POST /v1/signup"]?.contains(#""reason":"not_found""#) == true)
        #expect(present["POST /v1/signup"]?.contains(#""uid":"u-ann""#) == true)
        #expect(signUp(present) != signUp(deleted))
    }

    @Test func `a suspended inviter is in the repeated sign-up again once they return`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("dan", invite: TestApp.link("ann", "u-ann"))
            let before = try await app.post("/v1/signup", as: "u-dan", ["username": "dan"])
            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await app.post("/v1/signup", as: "u-dan", ["username": "dan"]).bytes != before.bytes)
            try await app.setStatus("active", of: "u-ann")
            #expect(try await app.post("/v1/signup", as: "u-dan", ["username": "dan"]).bytes == before.bytes)
        }
    }
}
