import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// Changes between the look at an invite and the write.
@Suite(.inTurns) struct InviteRaceTests {
    /// Lets a call wait for a row that changes meanwhile, and returns its answer.
    private func answer(
        _ app: TestApp, while change: Statement,
        of call: @escaping @Sendable () async throws -> TestApp.Answer
    ) async throws -> TestApp.Answer {
        let calling = try await app.db.transaction { meanwhile in
            try await meanwhile.run(change)
            let calling = Task { try await call() }
            try await app.untilSomebodyWaits()
            return calling
        }
        return try await calling.value
    }

    private func suspend(_ uid: String) -> Statement {
        "UPDATE users SET status = 'suspended' WHERE uid = \(uid)"
    }

    @Test(arguments: ["revoked": "revoked_at = now()", "expired": "expires_at = now()"])
    func `row 5: a link that is dead by the time of the write is not an invite`(
        reason: String, change: String
    )
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let dead = Statement(text: "UPDATE invites SET \(change) WHERE code = '\(code)'")
            let answer = try await answer(app, while: dead) {
                try await app.post(
                    "/v1/signup", as: "u-bob", ["username": "bob", "invite": ["code": code]])
            }
            #expect(answer.status == 201)
            #expect((answer["invite.outcome"], answer["invite.reason"]) == ("ignored", reason))
            #expect(try await app.count("invite_uses") == 0)
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `a link that asks by the time of the write leaves a request`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "cat"] { try await app.signUp(name) }
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let ask = Statement(
                text: """
                    WITH locked AS (
                        UPDATE users SET revision = revision + 1 WHERE uid = 'u-ann' RETURNING id)
                    UPDATE invites SET mode = 'ask' FROM locked WHERE code = '\(code)'
                    """)
            let signedUp = try await answer(app, while: ask) {
                try await app.post(
                    "/v1/signup", as: "u-bob", ["username": "bob", "invite": ["code": code]])
            }
            #expect((signedUp.status, signedUp["invite.friendship"]) == (201, "requested"))
            try await app.db.write.run("UPDATE invites SET mode = 'auto' WHERE kind = 'custom'")
            let accepted = try await answer(app, while: ask) {
                try await app.post("/v1/invites/accept", as: "u-cat", ["code": code])
            }
            #expect((accepted.status, accepted["friendship"]) == (200, "requested"))
            #expect(try await app.friends("u-ann") == [])
            #expect(try await app.count("invite_uses") == 2)
            try await app.verify()
        }
    }

    @Test func `row 5: a name that is severed by the time of the write is not an invite`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("cat")
            try await app.rename("u-ann", to: "anna")
            let invite = TestApp.link("ann", "u-ann")
            let sever: Statement = """
                WITH locked AS (
                    UPDATE users SET revision = revision + 1 WHERE uid = 'u-ann' RETURNING id)
                UPDATE username_periods p SET severed = true FROM locked
                WHERE p.user_id = locked.id AND p.name_key = 'ann'
                """
            let answer = try await answer(app, while: sever) {
                try await app.post("/v1/signup", as: "u-bob", ["username": "bob", "invite": invite])
            }
            #expect(answer.status == 201)
            #expect((answer["invite.outcome"], answer["invite.reason"]) == ("ignored", "not_found"))
            try await app.db.write.run("UPDATE username_periods SET severed = false")
            let accepted = try await self.answer(app, while: sever) {
                try await app.post("/v1/invites/accept", as: "u-cat", invite)
            }
            #expect((accepted.status, accepted.code) == (404, "invite_not_found"))
            #expect(try await app.count("acceptances") == 0)
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `row 5: a user whose invites are frozen by the time of the write invites nobody`() async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("cat")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let freeze: Statement =
                "UPDATE users SET frozen_at = now(), frozen_reason = 'x' WHERE uid = 'u-ann'"
            let answer = try await answer(app, while: freeze) {
                try await app.post(
                    "/v1/signup", as: "u-bob", ["username": "bob", "invite": ["code": code]])
            }
            #expect((answer["invite.outcome"], answer["invite.reason"]) == ("ignored", "not_found"))
            try await app.db.write.run("UPDATE users SET frozen_at = NULL, frozen_reason = NULL")
            let accepted = try await self.answer(app, while: freeze) {
                try await app.post("/v1/invites/accept", as: "u-cat", ["code": code])
            }
            #expect((accepted.status, accepted.code) == (404, "invite_not_found"))
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test(arguments: ["/v1/invites", "/v1/me/invite/rotate", "/v1/me/invite"])
    func `a user suspended meanwhile gets no link`(path: String) async throws {
        try await TestApp.run { app in
            // As imported: without the link that a sign-up makes.
            let ann = try await app.people("ann", 1)[0]
            let answer = try await answer(app, while: suspend(ann)) {
                try await app.call(
                    path == "/v1/me/invite" ? .get : .post, path, as: ann,
                    body: path == "/v1/me/invite" ? nil : [:])
            }
            #expect((answer.status, answer.code) == (403, "account_suspended"))
            #expect(try await app.count("invites") == 0)
            #expect(try await app.count("invites_by_owner") == 0)
        }
    }

    @Test func `a user suspended by the time of the write gets no short code, first or new`() async throws {
        try await TestApp.run { app in
            let uid = try await app.people("ann", 1)[0]
            try await app.db.write.run(suspend(uid))
            let (invites, ann) = (InviteStore(db: app.db), User.ID(of: User.UID(stored: uid)))
            let code = Invite.Code(random: [UInt8](repeating: 7, count: Invite.Code.length))
            await #expect(throws: AccountError.inactive) {
                try await invites.personalCode(of: ann, orNew: code)
            }
            await #expect(throws: AccountError.inactive) {
                try await invites.rotatePersonal(to: code, for: ann, key: nil)
            }
        }
    }

    @Test func `a user suspended while they accept is told so, and not that the invite is invalid`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let answer = try await answer(app, while: suspend("u-bob")) {
                try await app.post("/v1/invites/accept", as: "u-bob", TestApp.link("ann", "u-ann"))
            }
            #expect((answer.status, answer.code) == (403, "account_suspended"))
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `a link issued while the account is deleted does not outlive it`() async throws {
        try await TestApp.run { app in
            for round in 0..<10 {
                let uid = try await app.signUp("ann\(round)")
                async let deleted = app.call(.delete, "/v1/me", as: uid)
                async let issued = withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask { try await app.post("/v1/invites", as: uid, ["label": "x"]).status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(try await deleted.status == 204)
                #expect(try await Set(issued).isSubset(of: [201, 403]))
            }
            #expect(try await app.count("invites WHERE revoked_at IS NULL OR label IS NOT NULL") == 0)
        }
    }

    @Test func `links of one instant are sorted by code, and each comes once`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            var codes: [String] = []
            for _ in 0..<7 {
                codes.append(try #require(try await app.post("/v1/invites", as: "u-ann")["code"]))
            }
            for table in ["invites", "invites_by_owner"] {
                try await app.db.write.run(
                    Statement(text: "UPDATE \(table) SET created_at = '2026-01-01Z'"))
            }
            let listed = try await app.list("/v1/invites", "invites", "code", as: "u-ann", limit: 2)
            #expect(listed == codes.sorted())
        }
    }
}
