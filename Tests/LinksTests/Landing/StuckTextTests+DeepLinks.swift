import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// That a deep link never leads to another person than its uid names, wherever that stands.
extension StuckTextTests {
    private static let user = "\(TestApp.origin)/users/ann"
    private static let quoted = PercentEncoding.encode(user)
    private static let domain = "\(TestApp.origin)/l"
    private static let named = "\(user)?invitedBy=u-1"

    /// `ann` was the name of `u-1`, who is `ann1` now, and is that of `u-2`.
    private func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.runFirebase(.server) { app, key in
            try await Self.handOn("ann", from: "u-1", to: "u-2", app)
            try await test(app, key)
        }
    }

    private func path(_ url: String) -> String { String(url.trimmingPrefix(TestApp.origin)) }

    @Test(arguments: [
        "link=\(user)?utm_source=mail&invitedBy=u-1", "link=\(quoted)&invitedBy=u-1",
        "invitedBy=u-1&link=\(quoted)", "link=\(quoted)&utm_source=x?invitedBy=u-1",
        "link=\(quoted)&invited%D0%92y=u-1", "link=https://example.com/&ofl=\(user)?x=1&invitedBy=u-1",
        "link=\(PercentEncoding.encode(named))&ofl=\(user)?x=1&invitedBy=u-1",
    ])
    func `row 3: a uid beside the link makes no short link by the name alone, as it is no long one`(
        query: String
    ) async throws {
        try await run { app, key in
            let long = "\(Self.domain)/?\(query)"
            #expect(try await app.get(path(long)).status == 404)
            let short = try await app.firebase("shortLinks", key, ["longDynamicLink": long])
            short.isFirebaseError(400, "INVALID_ARGUMENT")
            let managed = try await app.firebase(
                "managedShortLinks:create", key,
                ["name": "n", "longDynamicLink": long])
            managed.isFirebaseError(400, "INVALID_ARGUMENT")
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `row 3: a uid beside the link in a call makes no link by the name alone`() async throws {
        try await run { app, key in
            let parameters: Body = ["link": Self.user, "invitedBy": "u-1"]
            let made = try await app.post(
                "/v1/links", as: nil, headers: key, ["suffix": "short", "parameters": parameters])
            #expect((made.status, made["field"]) == (400, "parameters.link"), "\(made.text)")
            let link = try await app.post(
                "/v1/links", as: nil, headers: key,
                ["suffix": "custom", "code": "c", "parameters": ["link": Self.user]])
            #expect(link.status == 201, "\(link.text)")
            let changed = try await app.call(
                .patch, "/v1/links/c", headers: key, body: ["parameters": parameters] as Body)
            #expect(changed["field"] == "parameters.link", "\(changed.text)")
        }
    }

    @Test func `row 3: a uid that was cut off a pasted or wrapped deep link is not the name alone`()
        async throws
    {
        try await run { app, _ in
            let (user, quoted, domain) = (Self.user, Self.quoted, Self.domain)
            let inner = "\(domain)/?link=\(user)?utm=x"
            let texts = [
                "\(domain)/?link=\(user)\n?invitedBy=u-1",
                "https://l.facebook.com/l.php?u=\(inner)&invitedBy=u-1",
                "https://l.facebook.com/l.php?u=\(PercentEncoding.encode(inner))&invitedBy=u-1",
                "https://x.page.link/?link=\(inner)&invitedBy=u-1",
                "\(domain)/?link=\(quoted) ?invitedBy=u-1",
                "\(domain)/?link=\(quoted)\"&invitedBy=u-1", "\(domain)/?link=\(quoted)|invitedBy=u-1",
                "\(domain)/?link=\(quoted)<br>invitedBy=u-1", "\(domain)/?link=\(quoted)#?invitedBy=u-1",
            ]
            for (number, text) in texts.enumerated() {
                let claim = try await app.claim(["platform": "ios", "pasteboard": text], of: "i-\(number)")
                #expect(claim.code == "claim_not_found", "\(text) \(claim.text)")
                let came = try await app.claim(
                    ["platform": "android", "referrer": "kith_link=\(PercentEncoding.encode(text))"],
                    of: "i-\(number)")
                #expect((came["inviter.uid"] ?? "u-1") == "u-1", "\(text) \(came.text)")
                let found = try await app.post(
                    "/v1/links/resolve", as: nil, headers: app.keyed(.client), ["url": text])
                let target = found["target"] ?? "invitedBy=u-1"
                #expect(target.hasSuffix("invitedBy=u-1"), "\(text) \(found.text)")
            }
            // Without one, the name decides.
            let claim = try await app.claim(["platform": "ios", "pasteboard": "See \(inner)."])
            #expect(claim["inviter.uid"] == "u-2" && claim["proof"] == "name_only", "\(claim.text)")
        }
    }

    @Test func `what somebody adds to a short link takes no place of its uid or code`() async throws {
        try await run { app, key in
            let code = try #require(try await app.get("/v1/me/invite", as: "u-1")["shortUrl"]?.suffix(16))
            let coded = "\(Self.named)&code=\(code)"
            for (number, target) in [
                Self.named, coded, "\(Self.user)?x=1&amp;invitedBy=u-1", "\(Self.user)%3FinvitedBy=u-1",
            ]
            .enumerated() {
                let made = try await app.post(
                    "/v1/links", as: nil, headers: key,
                    [
                        "suffix": "custom", "code": "c\(number)", "domain": Self.domain,
                        "parameters": ["link": target],
                    ])
                #expect(made.status == 201, "\(made.text)")
                for added in [
                    "invitedBy=u-2", "invitedBy=", "invitedBy", "%69nvitedBy=u-2", "x=2&amp;invitedBy=u-2",
                    "amp;invitedBy=u-2", "code=", "x=2", "invitedby=u-2",
                ] {
                    let url = "\(Self.domain)/c\(number)?\(added)"
                    let claim = try await app.claim(
                        ["platform": "ios", "pasteboard": url], of: "i-\(number)-\(added)")
                    #expect(claim["inviter.uid"] == "u-1", "\(target) \(url) \(claim.text)")
                    #expect(target != coded || claim["proof"] == "code", "\(url) \(claim.text)")
                    let way = try await app.get(path(url)).headers[.location]
                    #expect(way?.hasPrefix("\(TestApp.origin)/users/ann1?") == true, "\(url) \(way ?? "")")
                    let page = try await app.get(path(way ?? ""))
                    #expect(
                        page.text.contains("qr.svg?invitedBy=u-1\"") || target == coded, "\(url) \(way ?? "")"
                    )
                }
            }
            // A name alone gets the uid that somebody adds, and other targets get all.
            for (code, target) in [("n", Self.user), ("o", "https://example.com/?invitedBy=1")] {
                _ = try await app.post(
                    "/v1/links", as: nil, headers: key,
                    [
                        "suffix": "custom", "code": code, "domain": Self.domain,
                        "parameters": ["link": target],
                    ])
            }
            #expect(
                try await app.get("/l/n?invitedBy=u-1").headers[.location]
                    == "\(TestApp.origin)/users/ann1?invitedBy=u-1")
            #expect(
                try await app.get("/l/o?invitedBy=2").headers[.location] == "https://example.com/?invitedBy=2"
            )
        }
    }

    @Test func `row 8: a deep link to a user whose question mark was encoded follows the former name`()
        async throws
    {
        try await run { app, _ in
            let long = "\(Self.domain)/?link=\(PercentEncoding.encode("\(Self.user)%3FinvitedBy=u-1"))"
            let target = "\(TestApp.origin)/users/ann1?invitedBy=u-1"
            let found = try await app.post(
                "/v1/links/resolve", as: nil, headers: app.keyed(.client), ["url": long])
            #expect(found["target"] == target, "\(found.text)")
            let opened = try await app.firebase(
                "reopenAttribution", app.keyed(.client), ["requestedLink": long])
            #expect(opened["deepLink"] == target, "\(opened.text)")
        }
    }

    @Test func `row 8: what a tap leaves has uid and code, too`() async throws {
        try await run { app, _ in
            let code = try #require(try await app.get("/v1/me/invite", as: "u-1")["shortUrl"]?.suffix(16))
            let referrer = try await app.tap(
                "/users/ann1/play-store?utm_source=x&amp;invitedBy=u-1&amp;code=\(code)")
            let claim = try await app.claim(["platform": "android", "referrer": referrer])
            #expect(claim["inviter.uid"] == "u-1" && claim["proof"] == "code", "\(claim.text)")
        }
    }

    @Test(arguments: [
        "team/blue", "team%2Fblue", "team%252Fblue", "team/%62lue", "team%2fblue%E3%80%82", "te%61m/blue)",
        "team%E2%80%8B/blue", "team%0A/blue", "team/blue/", "team%2Fblue%3Futm_source=x",
    ])
    func `row 6: a code in any encoding is that link, and not the one that it begins with`(code: String)
        async throws
    {
        try await run { app, key in
            for code in ["team", "team/blue"] {
                let made = try await app.post(
                    "/v1/links", as: nil, headers: key,
                    [
                        "suffix": "custom", "code": code, "domain": Self.domain,
                        "parameters": ["link": "https://example.com/\(code)"],
                    ])
                #expect(made.status == 201, "\(made.text)")
            }
            let opened = try await app.get("\(path(Self.domain))/\(code)")
            #expect(
                opened.headers[.location]?.hasPrefix("https://example.com/team/blue") == true, "\(opened)")
        }
    }

    @Test(arguments: [
        "invitedby=u-1", "invited_by=u-1", "utm=x?invitedBy=u-1", "inivtedBy=u-1",
        "invitedBy=u-1&invitedBy=u-2",
    ])
    func `row 3: a target whose uid nobody can read makes no short link`(query: String) async throws {
        try await run { app, key in
            let made = try await app.post(
                "/v1/links", as: nil, headers: key,
                ["suffix": "short", "parameters": ["link": "\(Self.user)?\(query)"]])
            #expect((made.status, made["field"]) == (400, "parameters.link"), "\(made.text)")
        }
    }

    @Test func `a target by /@name is judged as one by /users/name is`() async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            $0.app.vanityLinks = true
        }) { app in
            try await Self.handOn("ann", from: "u-1", to: "u-2", app)
            let (key, vanity) = (try await app.keyed(.server), "\(TestApp.origin)/@ann")
            func make(_ query: String) async throws -> TestApp.Answer {
                try await app.post(
                    "/v1/links", as: nil, headers: key,
                    [
                        "suffix": "custom", "code": "c", "domain": Self.domain,
                        "parameters": ["link": "\(vanity)?\(query)"],
                    ])
            }
            #expect(try await make("invitedby=u-1").status == 400)
            #expect(try await make("invitedBy=u-1").status == 201)
            let opened = try await app.get("/l/c?invitedBy=u-2")
            #expect(opened.headers[.location] == "\(TestApp.origin)/users/ann1?invitedBy=u-1")
            #expect(try await app.get("/l/?link=\(vanity)?x=1&invitedBy=u-1").status == 404)
        }
    }

    @Test func `of deep links and invites in a pasted text the first counts`() async throws {
        try await run { app, key in
            for code in ["team", "team/blue"] {
                let made = try await app.post(
                    "/v1/links", as: nil, headers: key,
                    [
                        "suffix": "custom", "code": code, "domain": Self.domain,
                        "parameters": ["link": "https://example.com/\(code)"],
                    ])
                #expect(made.status == 201, "\(made.text)")
            }
            let (invite, team) = ("\(TestApp.origin)/users/ann1?invitedBy=u-1", "\(Self.domain)/team")
            for (number, (text, uid, target)) in [
                ("\(invite)\n\n\(team)", "u-1" as String?, nil as String?),
                ("\(team) \(invite)", nil, "https://example.com/team"),
                ("x \(team)\u{200B}/blue", nil, "https://example.com/team/blue"),
                ("\(Self.user)?invitedby=u-1 \(team)", nil, nil),
                ("\(Self.domain)/?link=\(Self.user)&invitedBy=u-1 \(invite)", nil, nil),
                ("<a href=\"\(TestApp.origin)/users/ann\">Join</a>", "u-2", nil),
            ].enumerated() {
                let claim = try await app.claim(["platform": "ios", "pasteboard": text], of: "i-\(number)")
                #expect(
                    claim["inviter.uid"] == uid && claim["deepLink.target"] == target, "\(text) \(claim.text)"
                )
            }
        }
    }
}
