import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// The table "Text stuck to a link" in docs/rules.md, at each place that reads links.
@Suite(.inTurns) struct StuckTextTests {
    /// What stands behind a link, as a URL has it.
    static let tails = [
        ")", ".", ",", "!", "*", "'", "%22%3E", "%3E", ")%E3%80%82", "%E3%80%82", "%EF%BC%89", "%E2%80%99",
        "?utm_source=mail", "%3Futm_source=mail", "%26amp%3Butm_source=mail", "%E2%80%8B", "%EF%BB%BF",
        "%C2%AD",
        "%E2%A0%80", "%20hello", "+hello", "%E3%81%A7%E5%BE%85%E3%81%A3%E3%81%A6%E3%81%BE%E3%81%99", "%",
        "%E3%80", "%zz",
        "%0A%0Ahello", "%00", "%5D(", "%7C", "." + String(repeating: "x", count: 300),
    ]
    private static let ann = "/users/ann?invitedBy=u-ann"

    private static func url(_ tail: String) -> Body { ["url": "\(TestApp.origin)\(ann)\(tail)"] }

    @Test func `row 2: on the page it is the user whose uid stands before it`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for tail in Self.tails + ["&amp;utm_source=x"] {
                let page = try await app.get(Self.ann + tail)
                #expect(page.status == 200, "\(tail)")
                #expect(page.text.contains("/users/ann/qr.svg?invitedBy=u-ann\""), "\(tail)")
            }
            try await app.rename("u-ann", to: "anna")
            let old = try await app.get("\(Self.ann))")
            #expect(old.headers[.location] == "\(TestApp.origin)/users/anna?invitedBy=u-ann)")
            #expect(try await app.get("/users/anna/qr.svg?invitedBy=u-ann)").status == 200)
        }
    }

    @Test func `row 2: resolving, accepting and signing up read it alike`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            for (number, tail) in Self.tails.enumerated() {
                let invite = Self.url(tail)
                let resolved = try await app.post("/v1/invites/resolve", as: "u-bob", invite)
                #expect(resolved["inviter.uid"] == "u-ann", "\(tail) \(resolved.text)")
                let joined = try await app.post(
                    "/v1/signup", as: "u-\(number)", ["username": "new\(number)", "invite": invite])
                #expect(joined["invite.friendship"] == "friends", "\(tail) \(joined.text)")
                #expect(joined["invite.inviter.uid"] == "u-ann")
            }
            let accepted = try await app.post("/v1/invites/accept", as: "u-bob", Self.url("。ぜひ"))
            #expect(accepted["friendship"] == "requested", "\(accepted.text)")
            for tail in ["]", "](", "#x#y", "\\", "\"", "{", "^"] {
                let resolved = try await app.post("/v1/invites/resolve", as: "u-bob", Self.url(tail))
                #expect(resolved["inviter.uid"] == "u-ann", "\(tail) \(resolved.text)")
            }
            let angle = try await app.post(
                "/v1/invites/resolve", as: "u-bob", ["url": "<\(TestApp.origin)\(Self.ann)>"])
            #expect(angle["inviter.uid"] == "u-ann")
            try await app.verify()
        }
    }

    @Test(arguments: [
        "\(TestApp.origin)\(ann).", "（\(TestApp.origin)\(ann)）", "\(TestApp.origin)\(ann)。待ってます",
        "[Ann](\(TestApp.origin)\(ann))!", "\(TestApp.origin)\(ann)\u{200B} hi",
        "\(TestApp.origin)/users/ann.",
    ])
    func `row 2: claiming a pasted text reads it alike`(text: String) async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let claim = try await app.claim(["platform": "ios", "pasteboard": text])
            #expect(claim["inviter.uid"] == "u-ann", "\(claim.text)")
            let joined = try await app.post(
                "/v1/signup", as: "u-new", ["username": "new", "invite": ["claim": claim["claim"] ?? ""]])
            #expect(joined["invite.inviter.uid"] == "u-ann", "\(joined.text)")
        }
    }

    @Test func `row 1: a uid as written is that user, also one that ends so`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann", uid: "u-1")
            try await app.signUp("bob", uid: "u-1.")
            try await app.signUp("eve", uid: "u-1.2")
            for (name, uid) in [
                ("ann", "u-1"), ("bob", "u-1."), ("eve", "u-1.2"), ("bob", "u-1.)"), ("eve", "u-1.2."),
            ] {
                let found = try await app.post(
                    "/v1/invites/resolve", as: "u-x",
                    ["url": "\(TestApp.origin)/users/\(name)?invitedBy=\(uid)"])
                #expect(found["inviter.username"] == name, "\(uid) \(found.text)")
            }
            // The uid is somebody else's, and never had the name.
            #expect(try await app.get("/users/ann?invitedBy=u-1.").status == 404)
        }
    }

    @Test(arguments: ["u-ann2", "u-ann-2", "u-ann_2", "u-annX"])
    func `row 3: a uid that may go on is another, and leads to nobody`(uid: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let page = try await app.get("/users/ann?invitedBy=\(uid)")
            #expect(page.status == 200 && !page.text.contains("invitedBy=u"), "\(uid)")
            let link = TestApp.link("ann", uid)
            #expect(try await app.post("/v1/invites/resolve", as: "u-x", link).status == 404)
        }
    }

    @Test func `row 3: the longest uid that is anybody's decides, so nobody gets another's invite`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann", uid: "u-1")
            try await app.signUp("eve", uid: "u-1.2")
            #expect(try await !app.get("/users/ann?invitedBy=u-1.2)").text.contains("invitedBy=u"))
            try await app.setStatus("deleted", of: "u-1.2")
            #expect(try await !app.get("/users/ann?invitedBy=u-1.2)").text.contains("invitedBy=u"))
            // Ann never had this name.
            #expect(try await app.get("/users/eve?invitedBy=u-1)").status == 404)
        }
    }

    @Test func `row 3: a name that changed hands leads its new owner's visitors to nobody else`() async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann", uid: "u-1")
            try await app.rename("u-1", to: "anna")
            try await app.age("u-1", hours: 24 * 91)
            try await app.signUp("ann", uid: "u-2")
            #expect(
                try await app.get("/users/ann?invitedBy=u-1)").headers[.location]
                    == "\(TestApp.origin)/users/anna?invitedBy=u-1)")
            #expect(try await app.get("/users/ann?invitedBy=u-2)").text.contains("invitedBy=u-2"))
            try await app.rename("u-1", to: "annabel", oldLinks: "sever")
            for uid in ["u-1", "u-1)"] {
                #expect(try await app.get("/users/anna?invitedBy=\(uid)").status == 404)
            }
        }
    }

    @Test(arguments: ["suspended", "deleted"])
    func `row 2: of users who are gone it tells nothing`(status: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.setStatus(status, of: "u-ann")
            for tail in ["", ")", "%E3%80%82"] {
                #expect(try await app.get("\(Self.ann)\(tail)").status == 404)
                let resolved = try await app.post("/v1/invites/resolve", as: "u-x", Self.url(tail))
                #expect(resolved.code == "invite_not_found")
            }
        }
    }

    @Test func `row 2: one who blocks looks like one who has not answered`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            _ = try await app.call(.put, "/v1/blocks/u-bob", as: "u-ann")
            let (clean, stuck) = try await (
                app.post("/v1/invites/resolve", as: "u-bob", Self.url("")),
                app.post("/v1/invites/resolve", as: "u-bob", Self.url(")"))
            )
            #expect(clean.text == stuck.text && clean.status == 200)
        }
    }

    @Test func `row 5: a code is what stands before the first character that no code has`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["shortUrl"]?.suffix(16))
            let target = "\(TestApp.origin)\(Self.ann)&code=\(code)"
            for tail in Self.tails where !tail.contains("?") {
                let short = try await app.get("/\(code)\(tail)")
                #expect(short.headers[.location] == target, "\(tail) \(short.text)")
                #expect(
                    try await app.get("\(Self.ann)&code=\(code)\(tail)").text.contains("/\(code)/qr.svg"),
                    "\(tail)")
                for url in ["\(TestApp.origin)/\(code)\(tail)", target + tail] {
                    let resolved = try await app.post(
                        "/v1/invites/resolve", as: "u-x", ["url": url])
                    #expect(resolved["proof"] == "code", "\(url) \(resolved.text)")
                }
            }
            for tail in ["", ")", "。", " hello", "\u{200B}", "😀", "%20"] {
                let resolved = try await app.post(
                    "/v1/invites/resolve", as: "u-x", ["code": "\(code)\(tail)"])
                #expect(resolved["proof"] == "code", "\(tail) \(resolved.text)")
            }
            let longer = try await app.post("/v1/invites/resolve", as: "u-x", ["code": "\(code)0"])
            #expect(longer.status == 404)
            #expect(try await app.get("/\(code)0").status == 404)
            #expect(try await app.get("/\(code.dropLast()))").status == 404)
            #expect(try await app.get("/\(code))/qr.svg").status == 200)
        }
    }

    @Test
    func `row 7: a name that nobody ever had is what stands before the first character that no name has`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for tail in [")", ".", "%E3%80%82", "%E3%81%A7%E5%BE%85", "%3E", "%E2%80%8B", "%20hello"] {
                #expect(try await app.get("/users/ann\(tail)").status == 200, "\(tail)")
                let resolved = try await app.post(
                    "/v1/invites/resolve", as: "u-x",
                    ["url": "\(TestApp.origin)/users/ann\(tail)"])
                #expect(resolved["proof"] == "name_only", "\(tail) \(resolved.text)")
            }
            for other in ["ann2", "ann_", "an", "ann%E2%80%8Bhello"] {
                #expect(try await app.get("/users/\(other)").status == 404, "\(other)")
            }
            // Whoever had this name is meant, and nobody else.
            try await app.db.write.run(
                "INSERT INTO usernames (name_key, state, held_until) VALUES ('ann.', 'reserved', now() + interval '1 day')"
            )
            #expect(try await app.get("/users/ann.").status == 404)
        }
    }

    @Test func `row 8: the signs between the parts may be encoded`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for path in [
                "/users/ann%3FinvitedBy%3Du-ann", "/users/ann%3finvitedBy=u-ann&utm_source=x",
                "/users/ann?utm_source=x&amp;invitedBy=u-ann", "/users/ann?a=b&AMP;amp;invitedBy=u-ann",
            ] {
                let page = try await app.get(path)
                #expect(page.text.contains("/users/ann/qr.svg?invitedBy=u-ann\""), "\(path)")
                let resolved = try await app.post(
                    "/v1/invites/resolve", as: "u-x", ["url": "\(TestApp.origin)\(path)"])
                #expect(resolved["inviter.uid"] == "u-ann", "\(path) \(resolved.text)")
            }
        }
    }

    @Test func `row 2: explaining says whom it leads to`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let url = PercentEncoding.encode("\(TestApp.origin)\(Self.ann))。")
            let answer = try await app.get("/v1/admin/explain?url=\(url)", headers: app.keyed())
            #expect(answer["steps.0.row"] == "1", "\(answer.text)")
            #expect(answer["signingUp.result"] == "friends")
        }
    }

    @Test(arguments: [("u-1|a", 1), ("u-2|a", 3), ("u-1|a)", 4)])
    func `a clean link takes one statement, and only one that finds nobody takes more`(
        uid: String, statements: Int
    ) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann", uid: "u-1|a")
            let before = app.db.statistics.landings.statements
            _ = try await app.get("/users/ann?invitedBy=\(PercentEncoding.encode(uid))")
            #expect(app.db.statistics.landings.statements - before == statements)
        }
    }

    @Test(arguments: [
        ("ann", "ann"), ("%E8%8A%B1", "花"), ("ann%FF", "ann"), ("ann%FFbob", "ann"), ("ann%E3%80", "ann"),
        ("ann%E3%80bob", "ann"), ("ann%C0%80", "ann"), ("ann%ED%A0%80", "ann"), ("ann%00bob", "ann"),
        ("%FFann", ""), ("%00", ""), ("%E8%8A%B1%FF", "花"),
        // Somebody wrote this one.
        ("ann%EF%BF%BD", "ann\u{FFFD}"),
    ])
    func `a text ends before bytes that are none, and before a NUL`(encoded: String, text: String) {
        #expect(Array(StuckText.decoded(encoded.utf8).utf8) == Array(text.utf8))
    }

    @Test func `broken bytes behind a uid lead to no other user whose uid ends like them`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann", uid: "u-ann")
            try await app.signUp("eve", uid: "u-ann\u{FFFD}")
            for tail in ["%FF", "%E3%80", "%00"] {
                let page = try await app.get(Self.ann + tail)
                #expect(page.text.contains("/users/ann/qr.svg?invitedBy=u-ann\""), "\(tail)")
                let resolved = try await app.post("/v1/invites/resolve", as: "u-x", Self.url(tail))
                #expect(resolved["inviter.uid"] == "u-ann", "\(tail) \(resolved.text)")
            }
        }
    }

    @Test func `what a uid may be is cut at characters with which ids seldom go on, the longest first`()
        throws
    {
        let uid: User.UID = "auth0|1.a_b-c"
        #expect(uid.readings == ["auth0|1", "auth0"])
        let long = try #require(User.UID(inLink: "u-1.\(String(repeating: "x", count: 200))".utf8))
        #expect(long.text == "u-1")
        #expect(User.UID(inLink: String(repeating: "x", count: 200).utf8) == nil)
    }
}
