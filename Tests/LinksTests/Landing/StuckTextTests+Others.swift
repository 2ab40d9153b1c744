import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Web

/// That a link never leads to another person than its uid names, whatever became of it on its way.
extension StuckTextTests {
    /// Gives a name first to one user, then to another.
    static func handOn(_ name: String, from first: String, to second: String, _ app: TestApp)
        async throws
    {
        try await app.signUp(name, uid: first)
        try await app.rename(first, to: "\(name)1")
        try await app.age(first, hours: 24 * 91)
        try await app.signUp(name, uid: second)
    }

    /// The uids to which the page and the API lead by this link; nil if it is nobody's invite.
    private static func readers(of path: String, _ app: TestApp) async throws -> [String?] {
        var page = try await app.get(path)
        if page.status == 302, let next = page.headers[.location] {
            page = try await app.get(String(next.trimmingPrefix(TestApp.origin)))
        }
        let shown = page.text.firstMatch(of: /qr\.svg\?invitedBy=([^"&]+)/).map {
            PercentEncoding.decode($0.1.utf8) ?? "?"
        }
        let found = try await app.post("/v1/invites/resolve", as: "u-x", ["url": "\(TestApp.origin)\(path)"])
        return [shown, found["inviter.uid"]]
    }

    @Test(arguments: [
        (first: "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r", second: "a.b"),
        ("ユーザーの番号は十八文字より長いのです", "ユ"), ("p%2Dq", "p-q"), ("k&amp;x", "k"), ("w\u{FFFD}abc", "w"),
    ])
    func `row 2: who has a name by now gets no invite of who had it, however their uids look`(
        first: String, second: String
    ) async throws {
        try await TestApp.run { app in
            try await Self.handOn("ann", from: first, to: second, app)
            let uid = PercentEncoding.encode(first)
            for tail in ["", ")", ".", "%E3%80%82", "%20Hi", "%FF"] {
                let path = "/users/ann?invitedBy=\(uid)\(tail)"
                #expect(try await Self.readers(of: path, app) == [first, first], "\(path)")
            }
            for path in [
                "/users/ann%3FinvitedBy=\(uid)", "/users/ann%3FinvitedBy%3D\(PercentEncoding.encode(uid))",
            ] {
                #expect(try await Self.readers(of: path, app) == [first, first], "\(path)")
            }
        }
    }

    /// `second` is what `first` begins with, and has the name by now.
    @Test(arguments: [
        "ann%2540x.org", "ann%252540x.org", "ann%2540x.org.", "ann%40x.or", "ann%40x", "ann%40", "ann%4",
        "ann%",
        "ann%5Bat%5Dx.org", "ann%40X.ORG", "ann%EF%BC%A0x.org", "ann@x.org%E3%80%82", "ann%2540x.org)",
        "%61nn%2540x.org", "ann@x.orgg",
    ])
    func `row 2: a longer uid that was cut or encoded more often is not the shorter one`(written: String)
        async throws
    {
        try await TestApp.run { app in
            try await Self.handOn("annab", from: "ann@x.org", to: "ann", app)
            let readers = try await Self.readers(of: "/users/annab?invitedBy=\(written)", app)
            #expect(!readers.contains("ann"), "\(readers)")
            if written.contains("x.org") && !written.contains("orgg") && written.contains("%2") {
                #expect(readers == ["ann@x.org", "ann@x.org"])
            }
            // Of a name that was always theirs it can only be theirs.
            try await app.signUp("eve", uid: "eve")
            #expect(try await Self.readers(of: "/users/eve?invitedBy=eve.Join!", app) == ["eve", "eve"])
        }
    }

    /// `second` is what is left of `first`, and has the name by now.
    @Test(arguments: [
        (first: "jo1.smith", second: "jo1", written: "jo1."), ("fay:x", "fay", "fay%3A"),
        ("auth0|123", "auth0", "auth0%7C"), ("ora/1/2", "ora", "ora%2F"), ("nia(1)", "nia", "nia%28"),
        ("gus?x", "gus", "gus?"), ("cat smith", "cat", "cat%20smi"), ("bob·smith", "bob", "bob%C2%B7smi"),
        ("用户甲乙丙", "用户甲", "%E7%94%A8%E6%88%B7%E7%94%B2%E4%B9%99"), ("ian日本", "ian", "ian%E6%97"),
        ("eve%41b", "eveA", "eve%2541"),
    ])
    func `row 2: a uid that was cut at any place is not the shorter one of another who has the name`(
        first: String, second: String, written: String
    ) async throws {
        try await TestApp.run { app in
            try await Self.handOn("annab", from: first, to: second, app)
            let path = "/users/annab?invitedBy=\(written)"
            #expect(try await Self.readers(of: path, app) == [nil, nil])
            // Of a name that was only theirs it can only be theirs.
            try await app.rename(second, to: "other")
            #expect(try await Self.readers(of: "/users/other?invitedBy=\(written)", app) == [second, second])
        }
    }

    @Test func `row 2: the longest uid decides even if that user never had the name, or is gone`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob", "eve"] { try await app.signUp(name) }
            try await app.setStatus("deleted", of: "u-eve")
            for uid in ["u-bob", "u-eve"] {
                for tail in ["", ".", "%20x", "%E3%80%82"] {
                    #expect(
                        try await app.get("/users/ann?invitedBy=\(uid)\(tail)").status == 404, "\(uid)\(tail)"
                    )
                }
            }
        }
    }

    @Test(arguments: ["ann?invitedBy=u-1", "ann%3FinvitedBy%3Du-1", "ann?utm_source=x&invited_by=u-1"])
    func `row 3: a username with the rest of the link is not the name alone`(username: String) async throws {
        try await TestApp.run { app in
            try await Self.handOn("ann", from: "u-1", to: "u-2", app)
            let found = try await app.post("/v1/invites/resolve", as: "u-x", ["username": username])
            #expect(found["inviter.uid"] == (username.contains("invitedBy") ? "u-1" : nil), "\(found.text)")
        }
    }

    @Test func `row 3: a uid that was cut off with a part of the text is not the name alone`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await Self.handOn("ann", from: "u-1", to: "u-2", app)
            let page = "\(TestApp.origin)/users/ann"
            let quoted = PercentEncoding.encode("\(page)?fbclid=1")
            let texts =
                [
                    "\(page)\u{FF1F}invitedBy=u-1", "\(page)\n?invitedBy=u-1", "\(page)\r?invitedBy=u-1",
                    "\(page)\t?invitedBy=u-1",
                    "\(page)\\?invitedBy\\=u-1", "\(page)?utm_source=x\\&invitedBy=u-1",
                    "\(page)#?invitedBy=u-1",
                    "\(page)?x=1&#38;invitedBy=u-1", "\(page)?x=1&#x26;invitedBy=u-1",
                    "\(page)?x=1&invitedBy&#61;u-1",
                    "https://l.facebook.com/l.php?u=\(quoted)&invitedBy=u-1",
                    "https://www.google.com/url?q=\(quoted)&invitedBy=u-1",
                    "https://x.page.link/?link=\(page)?x=1&invitedBy=u-1",
                    "https://urldefense.com/v3/__\(page)__;?invitedBy=u-1",
                    "<\(page)>?invitedBy=u-1", "\(page)?inv=\r\nitedBy=3Du-1", "\(page)?invited\\_by=u-1",
                    "\(page)?invited&#8203;By=u-1", "\(page)?invited&shy;By=u-1",
                    "\(page)&invitedBy&equals;u-1",
                    "https://urldefense.com/v3/__\(page)*3FinvitedBy**3Du-1__;JSU!!A!x$",
                ] + keys.map { "\(page)?\($0)u-1" }
            for (number, text) in texts.enumerated() {
                let found = try await app.post("/v1/invites/resolve", as: "u-x", ["url": text])
                #expect(found["inviter.uid"] != "u-2", "\(text) \(found.text)")
                let claim = try await app.claim(["platform": "ios", "pasteboard": text], of: "i-\(number)")
                #expect(claim["inviter.uid"] != "u-2", "\(text) \(claim.text)")
            }
            for key in keys {
                #expect(try await !Self.readers(of: "/users/ann?\(key)u-1", app).contains("u-2"), "\(key)")
            }
        }
    }

    /// `invitedBy=` as it may have become.
    private var keys: [String] {
        let often = (0..<6).reduce("&invitedBy=") { text, _ in PercentEncoding.encode(text) }
        return [
            "invited%E2%80%8BBy=", "invited%C2%ADBy=", "invitedBy%EF%BC%9D", "%EF%BD%89nvitedBy=",
            "invited%0D%0ABy=",
            "invited%20By=", "invited+By=", "invited_by=", "invitedBy.=", "invitedBy[]=", "invitedBy%3A",
            "invited-By%3D", "invited%3D%0D%0ABy=", "invited%3DBy=", "%C4%B0NV%C4%B0TEDBY=",
            "inv%C4%B1tedby=",
            "%D1%96nvitedBy=", "%F0%9D%90%A2nvitedBy=", "invited%5C_by=", "invited%5Cu200bBy=",
            "invited%3Cwbr%3EBy=", "invitedBy[0]=", "invitedBy.0=", "invitedBy%u003D", "invitedBy%EF%B9%A6",
            "invitedBy%20", "invitedBy;", "invitedBy/", "invitedBy/=", "invitedBy?=",
            "invited%D0%92y=", "in%CE%BDitedBy=", "%E2%93%98nvitedBy=", "%CE%B9%CE%BD%CE%BDitedBy=",
            "inivtedBy=",
            "invite_by=", "inv1tedBy=",
            "u=x\(often)", "x=%69%6e%76%69%74%65%64%42%79%3D",
        ]
    }

    @Test func `row 3: a uid that cannot be read where it stands is not the name alone`() async throws {
        try await TestApp.run { app in
            try await Self.handOn("ann", from: "u-1", to: "u-2", app)
            for rest in [
                "%253FinvitedBy=u-1", "?invitedBy%3Du-1", "?utm_source=mail%26invitedBy=u-1",
                "??invitedBy=u-1",
                "?utm_source=a&amp%3BinvitedBy=u-1", "?utm_source=x?invitedBy=u-1", "&invitedBy=u-1",
                ";invitedBy=u-1",
                "%EF%BC%9FinvitedBy=u-1", "?invitedby=u-1", "?invitedBy%20=u-1", "?%69nvited%2542y=u-1",
            ] {
                let readers = try await Self.readers(of: "/users/ann\(rest)", app)
                #expect(!readers.contains("u-2"), "\(rest) \(readers)")
            }
            // These mean nobody, so the name decides.
            for rest in [
                "", "?utm_content=invitedBy", "?x=1", "?invite=7", "?invite_id=7", "?%E6%8B%9B%E5%BE%85=7",
                "?utm_source=invited", "?%E5%8F%8B%E3%81%A0%E3%81%A1%E3%81%AEhello=7",
            ] {
                #expect(try await Self.readers(of: "/users/ann\(rest)", app)[1] == "u-2", "\(rest)")
            }
        }
    }

    @Test(arguments: [
        ("v%", "v", "v%.", "v%"), ("vb%zz", "vb", "vb%zz", "vb%zz"), ("vc", "vc%zz", "vc%", nil),
    ])
    func `row 4: page and API read a percent sign that encodes nothing alike`(
        one: String, other: String, written: String, meant: String?
    ) async throws {
        try await TestApp.run { app in
            try await Self.handOn("ann", from: other, to: one, app)
            #expect(try await Self.readers(of: "/users/ann?invitedBy=\(written)", app) == [meant, meant])
        }
    }

    @Test func `row 8: what was encoded as a whole is sent on as a URL`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answer = try await app.get(
                "/users/ANN%3FinvitedBy=u-ann%26x=a%20b%22%3Cscript%3E%0d%0aX-Evil:1%C3%A9")
            let location = try #require(answer.headers[.location])
            #expect(
                location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>".utf8.contains($0) },
                "\(location)")
        }
    }

    /// `first` begins with `second`, which has the name by now.
    @Test(arguments: [
        "u\u{200B}12", "u1\u{200B}2", "u1|2", "u1\"2", "u1<2", "u1>2", "u1{2", "u1}2", "u1^2", "u1`2",
        "u1\\2", "u1。2",
        "u1é", "u1\u{AD}2", "u1」", "u1🎉", "u1ー",
    ])
    func `row 2: a pasted link with any character in its uid is that user's`(first: String) async throws {
        let second = first.hasPrefix("u1") ? "u1" : "u"
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await Self.handOn("ann", from: first, to: second, app)
            let link = "\(TestApp.origin)/users/ann?invitedBy=\(first)"
            for (number, text) in [link, "見て \(link) です", "\(link)\n\nHi", "<\(link)> or so"].enumerated() {
                let claim = try await app.claim(
                    ["platform": "ios", "pasteboard": text], of: "installation-\(number)")
                #expect([first, nil].contains(claim["inviter.uid"]), "\(text) \(claim.text)")
                let found = try await app.post(
                    "/v1/invites/resolve", as: "u-x", ["url": text])
                #expect([first, nil].contains(found["inviter.uid"]), "\(text) \(found.text)")
            }
            let claim = try await app.claim(["platform": "ios", "pasteboard": "Hi! \(link)"], of: "last")
            #expect(claim["inviter.uid"] == first, "\(claim.text)")
        }
    }

    @Test(arguments: ["\n", "\r\n", "\u{200B}", "\t"])
    func `row 2: a uid that a mail program broke is read whole, unless its beginning had the name, too`(
        mark: String
    ) async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await Self.handOn("ann", from: "u12", to: "u1", app)
            try await app.signUp("bob", uid: "v12")
            for (number, (link, uid)) in [
                ("/users/ann?invitedBy=u1\(mark)2", nil), ("/users/ann?invitedBy=u1\(mark)See you!", nil),
                ("/users/bob?invitedBy=v1\(mark)2", "v12" as String?),
                ("/users/bob?invitedBy=v12\(mark)See you!", "v12"),
            ].enumerated() {
                let text = "\(TestApp.origin)\(link)"
                let claim = try await app.claim(
                    ["platform": "ios", "pasteboard": "Join me: \(text)"], of: "installation-\(number)")
                #expect(claim["inviter.uid"] == uid, "\(link) \(claim.text)")
                let found = try await app.post("/v1/invites/resolve", as: "u-x", ["url": text])
                #expect(found["inviter.uid"] == uid, "\(link) \(found.text)")
            }
        }
    }

    @Test func `of two links in a pasted text the first counts, even if nobody can read its uid`()
        async throws
    {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            let ann = "\(TestApp.origin)/users/ann?invitedBy=u-ann"
            let stuck = try await app.claim(
                ["platform": "ios", "pasteboard": "公式https://example.com/、招待\(ann)"], of: "installation")
            #expect(stuck["inviter.uid"] == "u-ann", "\(stuck.text)")
            for (number, (first, uid)) in [
                ("\(TestApp.origin)/users/bob?invitedBy=u-bob", "u-bob" as String?),
                ("\(TestApp.origin)/users/bob?invitedby=u-bob", nil),
                ("\(TestApp.origin)/users/bob?invitedBy=u-bob&invitedBy=u-1", nil),
                ("https://example.com/?invitedBy=u-bob", nil), ("\(TestApp.origin)/robots.txt", "u-ann"),
            ].enumerated() {
                let claim = try await app.claim(
                    ["platform": "ios", "pasteboard": "\(first) \(ann)"], of: "installation-\(number)")
                #expect(claim["inviter.uid"] == uid, "\(first) \(claim.text)")
            }
        }
    }
}
