import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

@Suite(.inTurns) struct InviteRoutesTests {
    @Test func `the permanent link is always the same, and its code leads to the same place`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for _ in 0..<8 { group.addTask { try await app.get("/v1/me/invite", as: "u-ann") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.bytes)).count == 1)
            let invite = answers[0]
            #expect(invite["url"] == "\(TestApp.origin)/users/ann?invitedBy=u-ann")
            #expect(invite["shortUrl"] == "\(TestApp.origin)/\(invite["code"] ?? "")")
            #expect(invite["qr.svg"] == "\(invite["shortUrl"] ?? "")/qr.svg")
            let short = try await app.get("/\(invite["code"] ?? "")?utm=1&invitedBy=evil")
            #expect(short.status == 302)
            let code = "&code=\(invite["code"] ?? "")"
            #expect(short.headers[.location] == "\(TestApp.origin)/users/ann?invitedBy=u-ann\(code)&utm=1")
            #expect(short.headers[.cacheControl] == "no-store")
            try await app.rename("u-ann", to: "anna")
            let later = try await app.get("/\(invite["code"] ?? "")")
            #expect(later.headers[.location] == "\(TestApp.origin)/users/anna?invitedBy=u-ann\(code)")
            try await app.verify()
        }
    }

    @Test func `rotating gives a new code and kills the old one, and the link itself stays`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let old = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let rotated = try await app.post("/v1/me/invite/rotate", as: "u-ann")
            let new = try #require(rotated["code"])
            #expect(old != new)
            #expect(try await app.get("/\(old)").status == 410)
            #expect(try await app.get("/\(new)").status == 302)
            #expect(try await app.get("/v1/me/invite", as: "u-ann").bytes == rotated.bytes)
            #expect(try await app.get("/users/ann?invitedBy=u-ann").status == 200)
        }
    }

    @Test func `rotating waits for a sign-up by the code without blocking it`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let ann = User.ID(of: User.UID(stored: "u-ann"))
            let rotating = try await app.db.transaction { signUp in
                try await signUp.run("SELECT FROM users WHERE id = \(ann) FOR NO KEY UPDATE")
                let rotating = Task { try await app.post("/v1/me/invite/rotate", as: "u-ann").status }
                try await app.untilSomebodyWaits()
                try await signUp.run("SET LOCAL lock_timeout = '2s'")
                let changed = try await signUp.run("UPDATE invites SET uses = uses + 1 WHERE code = \(code)")
                #expect(changed == 1)
                return rotating
            }
            #expect(try await rotating.value == 200)
        }
    }

    @Test(arguments: ["piyo://users/ann?invitedBy=u-ann", "PIYO://users/ann?invitedBy=u-ann"])
    func `the link in the app's own scheme is the same invite`(url: String) async throws {
        try await TestApp.run(configure: { $0.app.scheme = "piyo" }) { app in
            try await app.signUp("ann")
            #expect(
                try await app.get("/users/ann?invitedBy=u-ann").text.contains("piyo://users/ann?invitedBy"))
            let answer = try await app.post("/v1/invites/resolve", as: "u-new", ["url": url])
            #expect(answer["proof"] == "current")
        }
    }

    @Test(arguments: [" §", "§\n", "\t§\r\n ", "\u{3000}§"])
    func `white space copied along with a link does not matter`(pasted: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let url = pasted.replacing("§", with: "\(TestApp.origin)/users/ann?invitedBy=u-ann")
            let answer = try await app.post(
                "/v1/signup", as: "u-bob", ["username": "bob", "invite": ["url": url]])
            #expect(answer["invite.outcome"] == "accepted")
        }
    }

    @Test func `a custom link shows what it allows, and who joined by it`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let made = try await app.post(
                "/v1/invites", as: "u-ann",
                ["label": "Party", "maxUses": 9, "expiresIn": 3600, "friendship": "ask"])
            #expect(made.status == 201)
            let code = try #require(made["code"])
            #expect(made["url"] == "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)")
            #expect(
                (made["label"], made["maxUses"], made["uses"], made["friendship"]) == (
                    "Party", "9", "0", "ask"
                ))
            for name in ["bob", "cat", "dan"] { try await app.signUp(name, invite: ["code": code]) }
            let shown = try await app.get("/v1/invites/\(code)", as: "u-ann")
            #expect((shown["uses"], shown["joined"], shown["next"]) == ("3", nil, nil))
            let joined = try await app.list("/v1/invites/\(code)/joined", "joined", as: "u-ann", limit: 2)
            #expect(joined == ["u-dan", "u-cat", "u-bob"])
        }
    }

    @Test func `custom links are listed newest first by pages, and only to their owner`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            _ = try await app.get("/v1/me/invite", as: "u-ann")
            var codes: [String] = []
            for _ in 0..<5 {
                codes.append(try #require(try await app.post("/v1/invites", as: "u-ann")["code"]))
            }
            let listed = try await app.list("/v1/invites", "invites", "code", as: "u-ann", limit: 2)
            #expect(listed == codes.reversed())
            for method: HTTPRequest.Method in [.get, .delete] {
                #expect(try await app.call(method, "/v1/invites/\(codes[0])", as: "u-bob").status == 404)
            }
            #expect(try await app.get("/v1/invites/\(codes[0])/joined", as: "u-bob").status == 404)
        }
    }

    @Test func `a revoked link stays revoked, and leads nowhere`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let first = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            let second = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            #expect(first["revokedAt"] != nil)
            #expect(first.bytes == second.bytes)
            #expect(try await app.get("/\(code)").status == 410)
            let accept = try await app.post("/v1/invites/accept", as: "u-bob", ["code": code])
            #expect((accept.status, accept.code) == (410, "invite_revoked"))
        }
    }

    @Test func `resolving returns the inviter and the proof, and changes nothing`() async throws {
        try await TestApp.run { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let before = try await app.footprint()
            for (body, proof) in [
                (TestApp.link("ann", "u-ann"), "current"), (TestApp.link("old", "u-ann"), "past"),
                (["code": code], "code"), (["username": "ann"], "name_only"),
            ] {
                let answer = try await app.post("/v1/invites/resolve", as: "u-new", body)
                #expect(answer["proof"] == proof)
                #expect(answer["inviter.username"] == "ann")
                #expect(answer["relationship"] == "none")
            }
            let nobody = try await app.post("/v1/invites/resolve", as: "u-new", TestApp.link("ann", "u-none"))
            #expect((nobody.status, nobody.code) == (404, "invite_not_found"))
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `nobody can accept their own invite`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.post("/v1/invites/accept", as: "u-ann", TestApp.link("ann", "u-ann"))
            #expect((answer.status, answer.code) == (422, "self_invite"))
        }
    }

    @Test
    func `a user blocked by the inviter leaves a request, and one who blocks the inviter must unblock first`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            #expect(try await app.call(.put, "/v1/blocks/u-bob", as: "u-ann").status == 200)
            let link = TestApp.link("ann", "u-ann")
            #expect(try await app.post("/v1/invites/resolve", as: "u-bob", link)["relationship"] == "none")
            #expect(try await app.post("/v1/invites/accept", as: "u-bob", link)["friendship"] == "requested")
            #expect(
                try await app.post("/v1/invites/resolve", as: "u-bob", link)["relationship"] == "outgoing")
            let blocker = try await app.post("/v1/invites/accept", as: "u-ann", TestApp.link("bob", "u-bob"))
            #expect((blocker.status, blocker.code) == (409, "unblock_first"))
            #expect(try await app.get("/v1/users/u-ann", as: "u-bob")["relationship"] == "outgoing")
            #expect(try await app.relationship("u-ann", "u-bob") == "blocked")
        }
    }

    @Test func `two users who accept each other's invites at the same instant get one friendship`()
        async throws
    {
        try await TestApp.run { app in
            for round in 0..<100 {
                let (one, two) = try await (app.signUp("one\(round)"), app.signUp("two\(round)"))
                async let first = app.post("/v1/invites/accept", as: one, TestApp.link("two\(round)", two))
                async let second = app.post("/v1/invites/accept", as: two, TestApp.link("one\(round)", one))
                // The first one asks, and the second one thereby accepts.
                #expect(try await Set([first, second].map { $0["friendship"] }) == ["requested", "friends"])
            }
            #expect(try await app.count("relationships WHERE since IS NOT NULL") == 200)
            try await app.verify()
        }
    }

    @Test func `codes cannot be guessed: they have 80 bits, evenly distributed`() {
        var counts: [Character: Int] = [:]
        for _ in 0..<4000 {
            for letter in Invite.Code(random: World.live.randomBytes(Invite.Code.length)).text {
                counts[letter, default: 0] += 1
            }
        }
        #expect(counts.count == 32)
        #expect(counts.values.allSatisfy { (1700...2300).contains($0) })
    }
}
