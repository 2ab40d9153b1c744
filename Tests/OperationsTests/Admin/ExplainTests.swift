import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// What `GET /v1/admin/explain` says of users' links and codes, beside what their visitors get.
@Suite(.inTurns) struct ExplainTests {
    /// ann was ann0, and sev severed sev0; imp was imported; fro is frozen, off and ask as they want; sus and
    /// del are gone.
    private func populate(_ app: TestApp) async throws {
        try await app.signUp("ann0", uid: "u-ann")
        try await app.rename("u-ann", to: "ann")
        try await app.signUp("sev0", uid: "u-sev")
        try await app.rename("u-sev", to: "sev", oldLinks: "sever")
        for name in ["imp", "fro", "off", "ask", "sus", "del"] { try await app.signUp(name) }
        try await app.db.write.run("UPDATE users SET history_complete = false WHERE uid = 'u-imp'")
        try await app.db.write.run(
            "UPDATE users SET frozen_at = now(), frozen_reason = 'spam' WHERE uid = 'u-fro'")
        for invites in ["off", "ask"] {
            _ = try await app.call(.patch, "/v1/me", as: "u-\(invites)", body: ["invites": invites])
        }
        try await app.setStatus("suspended", of: "u-sus")
        try await app.setStatus("deleted", of: "u-del")
    }

    /// The rows of the steps; each step must say what its URL answers.
    private func rows(_ app: TestApp, _ url: String, _ admin: HTTPFields) async throws -> [Int] {
        let answer = try await app.explain(url, admin)
        let steps = answer.objects("steps")
        for (number, step) in steps.enumerated() {
            let url = try #require(step["url"] as? String)
            let visited = try await app.get(String(url.dropFirst(TestApp.origin.count)))
            #expect(step["status"] as? Int == visited.status, "\(url): \(answer.text)")
            #expect(step["location"] as? String == visited.headers[.location], "\(url)")
            if number + 1 < steps.count {
                #expect(steps[number + 1]["url"] as? String == visited.headers[.location])
            }
            #expect((step["because"] as? String)?.isEmpty == false, "\(url)")
        }
        return steps.map { $0["row"] as? Int ?? 0 }
    }

    private static let links: [(path: String, rows: [Int])] = [
        ("ann?invitedBy=u-ann", [1]), ("ANN?invitedBy=u-ann&x=1", [1, 1]), ("fro?invitedBy=u-fro", [1]),
        ("off?invitedBy=u-off", [1]), ("ask?invitedBy=u-ask", [1]),
        ("ann0?x=%20&invitedBy=u-ann", [2, 1]), ("sev0?invitedBy=u-sev", [3]), ("sev?invitedBy=u-ann", [4]),
        ("ann0?invitedBy=u-sev", [4]), ("never?invitedBy=u-ann", [5]), ("never?invitedBy=u-imp", [5, 1]),
        ("sus?invitedBy=u-sus", [6]), ("ann?invitedBy=u-del", [6]), ("never?invitedBy=u-sus", [6]),
        ("ann?invitedBy=u-nobody", [7]), ("ann?invitedBy=%FF", [7]), ("ann?invitedBy=", [7]),
        ("ann", [8]), ("ANN", [8]), ("off", [8]), ("ann0", [9]), ("never?invitedBy=u-nobody", [9]),
        ("sus", [9]),
        ("%FF?invitedBy=u-ann", [9]), ("%00", [9]),
    ]

    @Test func `each of rows 1 to 9 is explained by the row that decided, with what a visitor gets`()
        async throws
    {
        try await TestApp.run { app in
            try await populate(app)
            let admin = try await app.keyed()
            for (path, rows) in Self.links {
                #expect(try await self.rows(app, "\(TestApp.origin)/users/\(path)", admin) == rows, "\(path)")
            }
        }
    }

    @Test func `it shows the facts that decided, also of users whom visitors may not see`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let admin = try await app.keyed()
            let renamed = try await app.explain("\(TestApp.origin)/users/ann0?invitedBy=u-ann", admin)
            #expect((renamed["inviter.uid"], renamed["inviter.username"]) == ("u-ann", "ann"))
            #expect((renamed["name.now.state"], renamed["name.now.owner.uid"]) == ("held", "u-ann"))
            let period = try #require(
                ((renamed.json["name"] as? [String: Any])?["ofInviter"] as? [[String: Any]])?.first)
            #expect(period["severed"] as? Bool == false && period["to"] != nil)
            let gone = try await app.explain("\(TestApp.origin)/users/sus?invitedBy=u-sus", admin)
            #expect((gone["inviter.status"], gone["inviter.username"]) == ("suspended", "sus"))
            let frozen = try await app.explain("\(TestApp.origin)/users/fro?invitedBy=u-fro", admin)
            #expect(frozen["inviter.frozen.reason"] == "spam")
            let deleted = try await app.explain("\(TestApp.origin)/users/del?invitedBy=u-del", admin)
            #expect((deleted["inviter.status"], deleted["inviter.username"]) == ("deleted", nil))
            let unknown = try await app.explain("\(TestApp.origin)/users/ann?invitedBy=u-x", admin)
            #expect(unknown["inviter"] == nil && unknown["name.now.owner.uid"] == "u-ann")
        }
    }

    @Test func `a code is explained in every state, alone and on a page`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let admin = try await app.keyed()
            func code(_ uid: String, _ body: Body = [:]) async throws -> String {
                try #require(try await app.post("/v1/invites", as: uid, body)["code"])
            }
            let works = try await code("u-ann")
            let (revoked, expired) = try await (code("u-ann"), code("u-ann"))
            let used = try await code("u-ann", ["maxUses": 1])
            _ = try await app.call(.delete, "/v1/invites/\(revoked)", as: "u-ann")
            try await app.db.write.run("UPDATE invites SET expires_at = now() WHERE code = \(expired)")
            try await app.signUp("guest", invite: ["code": used])
            let unknown = "0123456789abcdef"
            for (code, rows, state) in [
                (works, [1, 1], "inForce"), (revoked, [2], "revoked"), (expired, [2], "expired"),
                (used, [2], "usedUp"),
                (unknown, [3], "unknown"), (works.uppercased(), [1, 1], "inForce"), ("shrt", [3], nil),
            ] as [(String, [Int], String?)] {
                #expect(try await self.rows(app, "\(TestApp.origin)/\(code)", admin) == rows, "\(code)")
                let answer = try await app.explain("\(TestApp.origin)/\(code)", admin)
                #expect(answer["code.state"] == state, "\(answer.text)")
                let page = "\(TestApp.origin)/users/ann?invitedBy=u-ann&code=\(code)"
                #expect(try await self.rows(app, page, admin) == [1], "\(page)")
                let step = try await app.explain(page, admin).objects("steps")[0]
                #expect(step["codeRow"] as? Int == (code == "shrt" ? 3 : rows[0]), "\(page)")
            }
            let other = "\(TestApp.origin)/users/sev?invitedBy=u-sev&code=\(works)"
            #expect(try await app.explain(other, admin).objects("steps")[0]["codeRow"] as? Int == 3)
            #expect(try await self.rows(app, other, admin) == [1])
            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await self.rows(app, "\(TestApp.origin)/\(works)", admin) == [3])
            let hidden = try await app.explain("\(TestApp.origin)/\(works)", admin)
            #expect((hidden["code.state"], hidden["code.owner.status"]) == ("inForce", "suspended"))
        }
    }

    @Test(arguments: [
        "%@/users/ann/play-store?invitedBy=u-ann", "%@/users/ann/card.jpg?invitedBy=u-ann",
        "Join me: %@/users/ann?invitedBy=u-ann", "(%@/users/ann?invitedBy=u-ann)",
        "<%@/users/ann?invitedBy=u-ann>",
    ])
    func `a picture of a link, its way to a store, and a text with it are explained by the link`(text: String)
        async throws
    {
        try await TestApp.run { app in
            try await populate(app)
            let answer = try await app.explain(
                text.replacing("%@", with: TestApp.origin), app.keyed())
            #expect(answer.objects("steps").last?["row"] as? Int == 1, "\(answer.text)")
            // An app that opens a picture got no link.
            let isLink = !text.hasPrefix("%@")
            #expect(answer["signingUp.result"] == (isLink ? "friends" : "not_found"))
        }
    }

    @Test func `a name behind @ is explained with KITH_VANITY_LINKS, too`() async throws {
        try await TestApp.run(configure: { $0.app.vanityLinks = true }) { app in
            try await populate(app)
            let admin = try await app.keyed()
            for (path, rows) in [
                ("@ann", [8, 8]), ("@ann0", [8, 8]), ("@never", [9]), ("@sev0", [9]), ("users/ann0", [8, 8]),
                ("@ann?invitedBy=u-sev", [4]), ("@ann0?invitedBy=u-ann", [2, 1]),
            ] {
                #expect(try await self.rows(app, "\(TestApp.origin)/\(path)", admin) == rows, "\(path)")
            }
        }
        try await TestApp.run { app in
            try await populate(app)
            #expect(try await self.rows(app, "\(TestApp.origin)/@ann", app.keyed()) == [0])
        }
    }

    @Test func `what it says of signing up and accepting is what these make`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let admin = try await app.keyed()
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let asking = try #require(
                try await app.post("/v1/invites", as: "u-ann", ["friendship": "ask"])["code"])
            let dead = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            _ = try await app.call(.delete, "/v1/invites/\(dead)", as: "u-ann")
            let paths =
                Self.links.map { "users/\($0.path)" } + [
                    code, asking, dead, "users/ann?invitedBy=u-ann&code=\(code)",
                    "users/ann0?invitedBy=u-ann&code=\(code)",
                    "users/sev?invitedBy=u-sev&code=\(code)", "users/sev?invitedBy=u-ann&code=\(code)",
                    "shrt",
                ]
            for (number, path) in paths.enumerated() {
                let url = "\(TestApp.origin)/\(path)"
                let told = try await app.explain(url, admin)
                let new = try await app.post(
                    "/v1/signup", as: "u-new\(number)",
                    ["username": "new\(number)", "invite": ["url": url] as Body])
                #expect(new.status == 201, "\(new.text)")
                let made = new["invite.reason"] ?? new["invite.friendship"]
                #expect(told["signingUp.result"] == made, "\(path): \(new.text) \(told.text)")
                try await app.signUp("old\(number)")
                let accepted = try await app.post("/v1/invites/accept", as: "u-old\(number)", ["url": url])
                let result =
                    accepted["friendship"]
                    ?? accepted.code?.replacing("invite_", with: "")
                #expect(told["accepting.result"] == result, "\(path): \(accepted.text) \(told.text)")
            }
        }
    }

    @Test func `a link may be named by its code, or by name and uid, and wrapped`() async throws {
        try await TestApp.run(configure: { $0.app.scheme = "sample" }) { app in
            try await populate(app)
            let admin = try await app.keyed()
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            for query in [
                "code=\(code.uppercased())", "username=ann0&invitedBy=u-ann", "username=ANN&invitedBy=u-ann",
                "username=ann",
                "url=sample%3A%2F%2Fusers%2Fann%3FinvitedBy%3Du-ann",
                "url=https%3A%2F%2Fx.page.link%2F%3Flink%3Dhttps%253A%252F%252Fjoin.example.com%252Fusers%252Fann",
            ] {
                let answer = try await app.asked("/v1/admin/explain?\(query)", admin)
                #expect(answer.objects("steps").last?["status"] as? Int == 200, "\(query): \(answer.text)")
            }
        }
    }

    @Test func `the command and the call print the same text, which names row, facts and outcome`()
        async throws
    {
        try await TestApp.run { app in
            try await populate(app)
            var headers = try await app.keyed()
            headers[.accept] = "text/plain"
            let url = "\(TestApp.origin)/users/ann0?invitedBy=u-ann"
            let text = try await app.explain(url, headers)
            #expect(text.headers[.contentType] == "text/plain; charset=utf-8")
            for part in [
                #"Row 2 of the table "Who a link leads to""#,
                "→ 302 to \(TestApp.origin)/users/ann?invitedBy=u-ann",
                "the uid u-ann is ann: active", "held for u-ann (ann)",
                "Signing up by it: the newcomer becomes a friend of ann",
            ] {
                #expect(text.text.contains(part), "\(text.text)")
            }
            let database = app.app.config.database.url
            func run(_ url: String) async throws -> KithCommand.Outcome {
                try await KithCommand(
                    ["explain", url], ["KITH_DATABASE_URL": database, "KITH_LINK_URL": TestApp.origin]
                ).run()
            }
            let said = try await run(url)
            #expect(said.status == 0 && said.output == text.text, "\(said.output)\(said.error)")
            let other = try await run("https://other.example.com/users/ann")
            #expect(other.status == 1 && other.error.contains("is no link of this server"), "\(other.error)")
        }
    }

    @Test(arguments: [
        ("", "url"), ("url=", "url"), ("url=https%3A%2F%2Fother.example.com%2Fusers%2Fann", "url"),
        ("url=%FF", "url"),
        ("url=a&url=b", "url"),
        ("url=https%3A%2F%2Fjoin.example.com%2Fusers%2Fann&code=0123456789abcdef", "url"),
        ("code=x", "code"), ("code=%00", "code"), ("username=", "username"), ("username=%0A", "username"),
        ("username=ann&invitedBy=", "invitedBy"), ("username=ann&invitedBy=a%0Ab", "invitedBy"),
        ("invitedBy=u-ann", "url"),
        ("code=0123456789abcdef&invitedBy=u-ann", "url"), ("url=javascript%3Aalert(1)", "url"),
        ("url=https%3A%2F%2Fjoin.example.com%3A99999%2Fusers%2Fann", "url"),
    ])
    func `a question that names no link is a 400 that names the field`(query: String, field: String)
        async throws
    {
        try await TestApp.run { app in
            let answer = try await app.get("/v1/admin/explain?\(query)", headers: app.keyed())
            #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
        }
    }
}
