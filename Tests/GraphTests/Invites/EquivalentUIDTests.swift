import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Rollout
@testable import Web

/// Two users whose uids are different bytes, but the same text to Unicode: in Swift their texts are equal.
@Suite(.inTurns) struct EquivalentUIDTests {
    private static let (anna, bert) = ("u-e\u{301}", "u-\u{E9}")

    private func run(_ test: @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run { app in
            try await app.signUp("anna", uid: Self.anna)
            try await app.signUp("bert", uid: Self.bert)
            try await test(app)
        }
    }

    /// The uids of a list, as bytes.
    private func uids(_ answer: TestApp.Answer, _ list: String) -> [[UInt8]] {
        (answer.json[list] as? [[String: Any]] ?? []).compactMap {
            ($0["uid"] as? String).map { Array($0.utf8) }
        }
    }

    private static let both = [anna, bert].map { Array($0.utf8) }

    @Test func `they are two uids, whether alone, in a profile, or in a set`() {
        let (anna, bert) = (User.UID(stored: Self.anna), User.UID(stored: Self.bert))
        #expect(anna != bert && Set([anna, bert]).count == 2)
        #expect(User.Profile(uid: anna, username: "a") != User.Profile(uid: bert, username: "a"))
        #expect(ExperimentUnit(Self.anna) != ExperimentUnit(Self.bert))
    }

    @Test func `the page of one shows nothing of the other one's code`() async throws {
        try await run { app in
            let code = try await app.post("/v1/invites", as: Self.bert, ["label": "BERTS PARTY"])
            let short = try #require(code["code"])
            let own = "?invitedBy=\(PercentEncoding.encode(Self.bert))&code=\(short)"
            #expect(try await app.get("/users/bert\(own)").text.contains("BERTS PARTY"))
            let page = try await app.get(
                "/users/anna?invitedBy=\(PercentEncoding.encode(Self.anna))&code=\(short)")
            #expect(page.status == 200)
            #expect(
                !page.text.contains("BERTS PARTY") && !page.text.contains("\(TestApp.origin)/\(short)"),
                "\(page.text)")
        }
    }

    @Test func `a link with one's name, uid and the other one's code joins by the name`() async throws {
        try await run { app in
            let code = try #require(try await app.post("/v1/invites", as: Self.bert)["code"])
            let url =
                "\(TestApp.origin)/users/anna?invitedBy=\(PercentEncoding.encode(Self.anna))&code=\(code)"
            let invite: Body = ["url": url]
            let answer = try await app.post(
                "/v1/signup", as: "u-new", ["username": "newcomer", "invite": invite])
            #expect(answer["invite.inviter.username"] == "anna", "\(answer.text)")
        }
    }

    @Test func `suggestions, lists, sync and look-ups tell them apart`() async throws {
        try await run { app in
            for name in ["cara", "dora"] { try await app.signUp(name) }
            for uid in [Self.anna, Self.bert] { try await app.befriend("u-dora", uid) }
            let friends = try await app.get("/v1/friends", as: "u-dora")
            #expect(Set(uids(friends, "friends")) == Set(Self.both), "\(friends.text)")
            let changes = try await app.get("/v1/me/changes", as: "u-dora")
            #expect(Set(uids(changes, "changes")) == Set(Self.both), "\(changes.text)")
            try await app.befriend("u-cara", "u-dora")
            let suggestions = try await app.get("/v1/suggestions", as: "u-cara")
            #expect(Set(uids(suggestions, "suggestions")) == Set(Self.both), "\(suggestions.text)")
            try await app.act(.want, "u-cara", on: Self.anna)
            let found = try await app.post("/v1/users", as: "u-cara", ["uids": [Self.bert, Self.anna]])
            #expect(uids(found, "users") == Self.both.reversed(), "\(found.text)")
            let users = found.json["users"] as? [[String: Any]] ?? []
            #expect(users.map { $0["relationship"] as? String } == ["none", "outgoing"], "\(found.text)")
            #expect(users.map { $0["username"] as? String } == ["bert", "anna"], "\(found.text)")
            let asked = try await app.post("/v1/requests", as: "u-cara", ["uids": [Self.anna, Self.bert]])
            #expect(uids(asked, "requests") == Self.both, "\(asked.text)")
            try await app.act(.block, "u-cara", on: Self.anna)
            #expect(uids(try await app.get("/v1/blocks", as: "u-cara"), "blocks") == [Self.both[0]])
            let invite = try await app.get("/v1/me/invite", as: Self.anna)
            #expect(invite["url"]?.hasSuffix("?invitedBy=u-e%CC%81") == true, "\(invite.text)")
        }
    }

    @Test func `no letter of another script stands for one of a code or an app`() throws {
        // In lower case a Kelvin sign is a k; in Swift it is equal to a K.
        #expect(Invite.Code("0123456789abc\u{212A}") == nil)
        var app = AppConfig()
        app.androidPackage = "com.example.Kapp"
        let apps = LinkedApps(own: LinkedApps.standard, settings: AppConfig(), ["other": app])
        #expect(apps.knows(.android, "com.example.Kapp") && !apps.knows(.android, "com.example.\u{212A}app"))
        #expect(apps.key(of: .android, "com.example.Kapp") == "other")
        #expect(HostPatterns("\u{212A}.example.com") == nil)
    }
}
