import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith
@testable import Web

/// The table "Consent" in docs/rules.md: what an invite of Ann makes of her and a newcomer, or Bob, who has
/// an account.
@Suite(.inTurns) struct ConsentTests {
    enum Proof: CaseIterable {
        case shortCode, link, askingLink, name, formerName, nameOnly
    }

    enum Choice: String {
        case auto, ask, off
    }

    struct Row: CustomTestStringConvertible {
        var number: Int
        var proof: Proof
        var invites = Choice.auto
        var byName = Invite.Mode.auto
        var newcomer, member: String

        var testDescription: String { "row \(number): \(proof), invites \(invites), by name \(byName)" }
    }

    static let rows: [Row] = [
        Row(number: 1, proof: .shortCode, newcomer: "friends", member: "friends"),
        Row(number: 1, proof: .link, newcomer: "friends", member: "friends"),
        Row(number: 1, proof: .link, byName: .ask, newcomer: "friends", member: "friends"),
        Row(number: 2, proof: .askingLink, newcomer: "requested", member: "requested"),
        Row(number: 3, proof: .name, newcomer: "friends", member: "requested"),
        Row(number: 3, proof: .formerName, newcomer: "friends", member: "requested"),
        Row(number: 3, proof: .name, byName: .ask, newcomer: "requested", member: "requested"),
        Row(number: 3, proof: .formerName, byName: .ask, newcomer: "requested", member: "requested"),
        Row(number: 4, proof: .nameOnly, newcomer: "requested", member: "requested"),
    ]
    static let refusing = Proof.allCases.flatMap { proof in
        [
            Row(number: 7, proof: proof, invites: .ask, newcomer: "requested", member: "requested"),
            Row(number: 8, proof: proof, invites: .off, newcomer: "none", member: "invite_not_found"),
        ]
    }

    @Test(arguments: rows + refusing)
    func `an invite makes what the table says, and resolve tells it before`(row: Row) async throws {
        try await TestApp.run(configure: { $0.invites.byName = row.byName }) { app in
            let invite = try await makeInvite(app, row.proof)
            try await app.signUp("bob")
            try await choose(row.invites, app)

            let resolved = try await app.post("/v1/invites/resolve", as: "u-bob", invite)
            #expect((resolved["friendship"] ?? resolved.code) == row.member, "\(resolved.text)")
            let accepted = try await app.post("/v1/invites/accept", as: "u-bob", invite)
            #expect((accepted["friendship"] ?? accepted.code) == row.member, "\(accepted.text)")

            let told = try await app.post("/v1/invites/resolve", as: "u-new", invite)
            #expect((told["friendship"] ?? "none") == row.newcomer, "\(told.text)")
            let joined = try await app.post("/v1/signup", as: "u-new", ["username": "new", "invite": invite])
            #expect(joined["invite.friendship"] == row.newcomer, "\(joined.text)")
            #expect(joined["invite.reason"] == (row.newcomer == "none" ? "not_found" : nil))
            try await app.verify()
        }
    }

    enum Past: CaseIterable {
        case ended, endedByBlock, endedThenAskedAgain, declined

        var isHidden: Bool { self == .declined }
    }

    @Test(arguments: Past.allCases, [Proof.shortCode, .link, .name, .nameOnly])
    func `row 5: whom Ann parted from or declined, no invite of hers makes a friend`(past: Past, proof: Proof)
        async throws
    {
        try await TestApp.run { app in
            let invite = try await makeInvite(app, proof)
            try await app.signUp("bob")
            if past == .declined {
                try await app.act(.want, "u-bob", on: "u-ann")
            } else {
                try await app.befriend("u-ann", "u-bob")
            }
            try await app.act(past == .endedByBlock ? .block : .unwant, "u-ann", on: "u-bob")
            if past == .endedByBlock { try await app.act(.unblock, "u-ann", on: "u-bob") }
            if past == .endedThenAskedAgain {
                try await app.act(.want, "u-bob", on: "u-ann")
                try await app.act(.unwant, "u-bob", on: "u-ann")
            }
            let accepted = try await app.post("/v1/invites/accept", as: "u-bob", invite)
            #expect(accepted["friendship"] == "requested", "\(accepted.text)")
            #expect(try await app.requests("incoming", "u-ann") == (past.isHidden ? [] : ["u-bob"]))
            try await app.verify()

            // Her own wish, and only that, undoes it.
            try await app.act(.want, "u-ann", on: "u-bob")
            #expect(try await app.friends("u-bob") == ["u-ann"])
            try await app.verify()
        }
    }

    @Test func `row 5: whom Ann asks again after an end becomes her friend by her code`() async throws {
        try await TestApp.run { app in
            let invite = try await makeInvite(app, .shortCode)
            try await app.signUp("bob")
            try await app.befriend("u-ann", "u-bob")
            try await app.act(.unwant, "u-ann", on: "u-bob")
            try await app.act(.want, "u-ann", on: "u-bob")
            #expect(try await app.post("/v1/invites/accept", as: "u-bob", invite)["friendship"] == "friends")
        }
    }

    @Test func `row 5: an end by the other side changes nothing for Ann's invites`() async throws {
        try await TestApp.run { app in
            let invite = try await makeInvite(app, .shortCode)
            try await app.signUp("bob")
            try await app.befriend("u-ann", "u-bob")
            try await app.act(.unwant, "u-bob", on: "u-ann")
            #expect(try await app.post("/v1/invites/accept", as: "u-bob", invite)["friendship"] == "friends")
        }
    }

    @Test(arguments: Proof.allCases)
    func `row 6: whom Ann blocks, she never hears`(proof: Proof) async throws {
        try await TestApp.run { app in
            let invite = try await makeInvite(app, proof)
            try await app.signUp("bob")
            for uid in ["u-bob", "u-new"] { try await app.act(.block, "u-ann", on: uid) }
            #expect(
                try await app.post("/v1/invites/accept", as: "u-bob", invite)["friendship"] == "requested")
            let joined = try await app.post("/v1/signup", as: "u-new", ["username": "new", "invite": invite])
            #expect(joined["invite.friendship"] == "requested", "\(joined.text)")
            #expect(try await app.requests("incoming", "u-ann") == [])
            #expect(try await app.friends("u-ann") == [])
            try await app.verify()
        }
    }

    @Test func `a user who turns their invites off has a page without one, and their codes lead there`()
        async throws
    {
        try await TestApp.run { app in
            try await makeInvite(app, .shortCode)
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            for choice in [Choice.off, .auto] {
                try await choose(choice, app)
                #expect(try await app.get("/v1/me", as: "u-ann")["invites"] == choice.rawValue)
                let page = try await app.get("/users/ann?invitedBy=u-ann")
                #expect(page.status == 200)
                #expect(page.text.contains("invites you") == (choice == .auto))
                #expect(page.headers[.robotsTag] == "noindex")
                #expect(page.headers[.referrerPolicy] == "no-referrer")
                #expect(try await app.get("/\(code)").status == 302)
            }
        }
    }

    @Test func `a deleted account keeps no choice`() async throws {
        try await TestApp.run { app in
            try await makeInvite(app, .shortCode)
            try await choose(.off, app)
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            #expect(try await app.count("users WHERE invites <> 'auto'") == 0)
        }
    }

    @Test func `an unknown choice is refused and changes nothing`() async throws {
        try await TestApp.run { app in
            try await makeInvite(app, .shortCode)
            let before = try await app.footprint()
            for body: Body in [
                ["invites": "loud"], ["invites": 1],
                ["invites": "loud", "displayName": "Ann"],
            ] {
                let answer = try await app.call(.patch, "/v1/me", as: "u-ann", body: body)
                #expect(answer.status == 400, "\(answer.text)")
                #expect(answer["field"] == "invites")
            }
            #expect(try await app.footprint() == before)
        }
    }

    /// Signs up Ann and returns an invite of hers, as a body names it.
    @discardableResult
    private func makeInvite(_ app: TestApp, _ proof: Proof) async throws -> Body {
        try await app.signUp("ann")
        switch proof {
        case .shortCode:
            let code: String = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            return ["code": code]
        case .link, .askingLink:
            let link = try await app.post(
                "/v1/invites", as: "u-ann", ["friendship": proof == .link ? "auto" : "ask"])
            let url: String = try #require(link["url"])
            return ["url": url]
        case .name: return TestApp.link("ann", "u-ann")
        case .formerName:
            try await app.rename("u-ann", to: "anna")
            return TestApp.link("ann", "u-ann")
        case .nameOnly: return ["username": "ann"]
        }
    }

    private func choose(_ choice: Choice, _ app: TestApp) async throws {
        let answer = try await app.call(
            .patch, "/v1/me", as: "u-ann", body: ["invites": choice.rawValue])
        try #require(answer.status == 200, "\(answer.text)")
    }
}
