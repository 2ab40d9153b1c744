import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// A name that its owner severed works as an invite in no call.
@Suite(.inTurns) struct SeveredInviteTests {
    private static let severed = TestApp.link("old", "u-ann")

    private func signUp(_ app: TestApp, _ name: String) async throws -> TestApp.Answer {
        try await app.post(
            "/v1/signup", as: "u-\(name)", ["username": name, "invite": Self.severed])
    }

    private func expectNoInvite(_ app: TestApp) async throws {
        let answer = try await signUp(app, "bob")
        #expect(answer.status == 201)
        #expect((answer["invite.outcome"], answer["invite.reason"]) == ("ignored", "not_found"))
        for call in ["accept", "resolve"] {
            let answer = try await app.post("/v1/invites/\(call)", as: "u-bob", Self.severed)
            #expect((answer.status, answer.code) == (404, "invite_not_found"), "\(call)")
        }
        #expect(try await app.count("relationships") == 0)
        #expect(try await app.count("acceptances") == 0)
    }

    @Test func `row 5: a severed name is not an invite at sign-up, accept or resolve`() async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann", oldLinks: "sever")
            try await expectNoInvite(app)
        }
    }

    @Test func `username rule 8: severing applies to all periods of the name`() async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            try await app.rename("u-ann", to: "old")
            try await app.rename("u-ann", to: "ann", oldLinks: "sever")
            let history =
                try await app.get("/v1/me/usernames", as: "u-ann").json["usernames"] as? [[String: Any]]
            #expect(history?.map { $0["username"] as? String } == ["ann", "old", "ann", "old"])
            #expect(history?.map { $0["severed"] as? Bool } == [false, true, false, true])
            #expect(try await app.get("/users/old?invitedBy=u-ann").status == 404)
            try await expectNoInvite(app)
        }
    }

    /// A rename that severs: its transaction stays open before the COMMIT.
    private func whileSevering(
        _ app: TestApp, _ call: @escaping @Sendable () async throws -> TestApp.Answer
    ) async throws -> TestApp.Answer {
        let ann = User.ID(of: User.UID(stored: "u-ann"))
        let calling = try await app.db.transaction { rename in
            try await rename.run(
                "UPDATE username_periods SET severed = true WHERE user_id = \(ann) AND name_key = 'old'")
            try await rename.run("UPDATE users SET revision = revision + 1 WHERE id = \(ann)")
            let calling = Task { try await call() }
            try await app.untilSomebodyWaits()
            return calling
        }
        return try await calling.value
    }

    @Test func `row 5: a name severed while a sign-up waits for its owner is not an invite`() async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            let answer = try await whileSevering(app) { try await signUp(app, "bob") }
            #expect(answer.status == 201)
            #expect((answer["invite.outcome"], answer["invite.reason"]) == ("ignored", "not_found"))
            #expect(try await app.count("relationships") == 0)
        }
    }

    @Test func `row 6: a name severed while an accept waits for its owner is not an invite`() async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            try await app.signUp("bob")
            let answer = try await whileSevering(app) {
                try await app.post("/v1/invites/accept", as: "u-bob", Self.severed)
            }
            #expect((answer.status, answer.code) == (404, "invite_not_found"))
            #expect(try await app.count("relationships") == 0)
        }
    }
}
