import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith

/// The number of friends on the page of an invite, which the operator may turn on.
@Suite(.inTurns) struct FriendCountTests {
    private static let invite = "/users/ann?invitedBy=u-ann"

    /// Ann has two friends, and a third one who is suspended.
    private func withFriends(
        isOn: Bool = true, _ body: @Sendable @escaping (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: { $0.app.showsFriendCount = isOn }) { app in
            try await app.signUp("ann")
            for name in ["bob", "cleo", "dan"] {
                try await app.signUp(name)
                try await app.befriend("u-ann", "u-\(name)")
            }
            try await app.signUp("eve")
            try await app.act(.want, "u-eve", on: "u-ann")
            try await app.setStatus("suspended", of: "u-dan")
            try await body(app)
        }
    }

    @Test func `the page of an invite counts the friends whom the inviter sees`() async throws {
        try await withFriends { app in
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            for path in [Self.invite, "\(Self.invite)&code=\(code)"] {
                #expect(try await app.get(path).text.contains("<p class=\"handle\">Friends: 2</p>"))
                #expect(
                    try await app.get(path, headers: [.acceptLanguage: "ja"]).text.contains("友だち2人"))
            }
            try await app.act(.unwant, "u-ann", on: "u-bob")
            let page = try await app.get(Self.invite)
            #expect(page.text.contains("Friends: 1") && page.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `it stands on no page without an invite of the inviter's`() async throws {
        try await withFriends { app in
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let dead = "\(Self.invite)&code=\(code)"
            _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            for path in ["/users/ann", "/users/ann?invitedBy=nobody", "/users/eve?invitedBy=u-eve", dead] {
                #expect(try await !app.get(path).text.contains("Friends:"), "\(path)")
            }
            _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["invites": "ask"])
            #expect(try await app.get(Self.invite).text.contains("Friends: 2"))
            _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["invites": "off"])
            let off = try await app.get(Self.invite)
            #expect(off.status == 200 && !off.text.contains("Friends:"))
        }
    }

    @Test func `it is off by default, and then nobody counts`() async throws {
        #expect(!AppConfig().showsFriendCount)
        try await withFriends(isOn: false) { app in
            #expect(try await !app.get(Self.invite).text.contains("Friends:"))
            let store = InviterStore(
                db: app.db, byName: .auto, profile: User.Profile.shown(), countsFriends: false)
            let statement = store.statement([
                User.ID(of: User.UID(stored: "u-ann")): try #require(Username.Key("ann"))
            ])
            #expect(!statement.sql.contains("relationships"))
        }
    }
}
