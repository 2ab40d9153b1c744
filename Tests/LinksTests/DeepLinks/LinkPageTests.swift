import Foundation
import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Charts
@testable import Counts
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits
@testable import Web

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// `/links/{code}+`: what people with an operator's key see of a short link.
@Suite(.inTurns) struct LinkPageTests {
    private static let party = "https://example.com/party?id=7"
    private static let parameters = [
        "link": party, "apn": "com.example.app", "ibi": "com.example.app", "isi": "6448311069",
        "ofl": "https://example.com/desk", "st": "Party", "sd": "By the lake",
    ]

    func run(
        _ setup: TestingSetup = .router, _ adjust: @Sendable (inout Config) -> Void = { _ in },
        _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                $0.app.linkDomains = "https://go.example.com,\(TestApp.origin)/l"
                $0.app.linkTargets = "example.com"
                adjust(&$0)
            }, setup
        ) { app in try await test(app, try await app.keyed(.server)) }
    }

    func make(
        _ app: TestApp, _ key: HTTPFields, _ code: String, _ parameters: [String: String] = parameters,
        domain: String? = nil, name: String? = nil
    ) async throws {
        let body: Body = [
            "parameters": parameters, "suffix": "custom", "code": code,
            "domain": domain ?? "https://go.example.com", "name": name,
        ]
        let made = try await app.post("/v1/links", as: nil, headers: key, body)
        try #require(made.status == 201, "\(made.text)")
    }

    func basic(_ password: String, user: String = "") -> HTTPFields {
        let pair = Data("\(user):\(password)".utf8).base64EncodedString()
        return [.authorization: "Basic \(pair)", .accept: "text/html,*/*"]
    }

    func text(of key: HTTPFields) -> String { String(key[.authorization]?.dropFirst(7) ?? "") }

    @Test func `the page shows the link, and where each device goes`() async throws {
        try await run { app, key in
            try await make(app, key, "party", name: "Flyer")
            for headers in [key, basic(text(of: key)), basic(text(of: key), user: "ann")] {
                let page = try await app.get("/links/party+", headers: headers)
                #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8")
                #expect(page.headers[.cacheControl] == "no-store")
                #expect(page.headers[.robotsTag] == "noindex")
                #expect(page.headers[.referrerPolicy] == "no-referrer")
                for shown in ["https://go.example.com/party", "Flyer", "Created", "Party", "By the lake"] {
                    #expect(page.text.contains(shown), "\(shown)")
                }
                var host: HTTPFields = [.testHost: "go.example.com"]
                for agent in [HTTPFields.android[.userAgent], "Mozilla/5.0 (Windows NT 10.0) Chrome/141.0"] {
                    host[.userAgent] = agent
                    let visit = try await app.get("/party", headers: host)
                    let place = try #require(visit.headers[.location])
                    #expect(page.text.contains(#"href="\#(HTML.escape(place))""#), "\(place)")
                }
                #expect(page.text.contains("https://apps.apple.com/app/id6448311069"))
                #expect(page.text.contains("https://go.example.com/party?d=1"))
            }
        }
    }

    @Test(arguments: [
        "nothing+", "party", "party++", "party+/x", "+", "party+/qr.gif", "par%ty+", "party%00+", "a/+", "/+",
    ])
    func `an unknown link is the page for what is not found`(path: String) async throws {
        try await run { app, key in
            try await make(app, key, "party")
            var headers = key
            headers[.accept] = "text/html"
            let answer = try await app.get("/links/\(path)", headers: headers)
            #expect(answer.status == 404 && answer.text.contains("<h1>Page not found</h1>"))
        }
    }

    @Test func `the host of links does not serve it`() async throws {
        try await run { app, key in
            try await make(app, key, "links/party")
            var headers = key
            headers[.testHost] = "go.example.com"
            // There it is the link, with something stuck to it.
            #expect(try await app.get("/links/party+", headers: headers).status == 302)
            #expect(try await app.get("/links/party", headers: [.testHost: "go.example.com"]).status == 302)
        }
    }

    @Test func `a code may have segments, and each domain its own link`() async throws {
        try await run { app, key in
            let (own, other) = ("https://example.com/own", "https://example.com/other")
            try await make(app, key, "a/b", ["link": own])
            try await make(app, key, "a/b", ["link": other], domain: "\(TestApp.origin)/l")
            for path in ["a/b+", "a%2Fb+", "a/b%2B", "a/b+?domain=https%3A%2F%2Fgo.example.com"] {
                let page = try await app.get("/links/\(path)", headers: key)
                #expect(page.status == 200 && page.text.contains(own) && !page.text.contains(other))
            }
            let domain = PercentEncoding.encode("\(TestApp.origin)/l")
            let page = try await app.get("/links/a/b+?domain=\(domain)", headers: key)
            #expect(page.text.contains(other) && !page.text.contains(own))
            #expect(page.text.contains("/links/a/b+/qr.png?domain=\(domain)"))
            let unknown = try await app.get("/links/a/b+?domain=https://x.example", headers: key)
            #expect((unknown.status, unknown["field"]) == (400, "domain"))
        }
    }

    @Test func `without a domain there is no link to show`() async throws {
        try await run(.router, { $0.app.linkDomains = nil }) { app, key in
            let answer = try await app.get("/links/a+", headers: key)
            #expect((answer.status, answer.code) == (409, "no_link_domain"))
        }
    }

    @Test func `its numbers are those of the statistics`() async throws {
        try await run { app, key in
            try await make(app, key, "party")
            try await make(app, key, "other")
            for (code, event, platform, age, count) in [
                ("party", "page", "ios", 0, 5), ("party", "redirect", "android", 0, 7),
                ("party", "redirect", "desktop", 3, 1), ("party", "page", "ios", 29, 1200),
                ("party", "page", "ios", 30, 64), ("party", "firstOpen", "ios", 1, 2),
                ("other", "page", "ios", 0, 99), ("party", "page", "other", 100, 3),
            ] {
                try await app.db.write.run(
                    """
                    INSERT INTO counts (subject, measure, day, count, parts)
                    VALUES (\("https://go.example.com/\(code)"), \("links.\(event)"),
                            (now() AT TIME ZONE 'UTC')::date - \(Int64(age))::int, \(Int64(count)),
                            \(CountParts([.platform: [platform: Int64(count)]]).json)::text::jsonb)
                    """)
            }
            for (query, days) in [("", 30), ("?days=90", 90), ("?days=365", 365), ("?days=1", 1)] {
                let statistics = try await app.get("/v1/links/party/stats?days=\(days)", headers: key)
                let page = try await app.get("/links/party+\(query)", headers: key)
                let total = try #require(Int(statistics["total.click"] ?? ""))
                #expect(page.text.contains("Clicks <span>\(total.grouped)</span>"), "\(days)")
                let rows = page.text.matches(of: /<bdi>\w+ \d+, \d{4}<\/bdi><\/th>(.*)<\/tr>/).map {
                    $0.output.1.matches(of: /<td>([0-9,]+)<\/td>/).map {
                        Int($0.output.1.replacing(",", with: "")) ?? -1
                    }
                }
                #expect(rows.allSatisfy { $0.count == 5 && $0.dropLast().reduce(0, +) == $0[4] })
                #expect(rows.reduce(0) { $0 + $1[4] } == total, "\(days): \(rows)")
                for (event, text) in [("redirect", "Sent on without a page"), ("firstOpen", "First opens")] {
                    let count = Int(statistics["total.\(event)"] ?? "")?.grouped ?? ""
                    #expect(
                        page.text.contains(
                            try Regex("\(text)</th>(<td>[0-9,]+</td>){4}<td>\(count)</td></tr>")),
                        "\(event) \(days)")
                }
            }
        }
    }

    @Test func `each click stands on its day, and no number is lost`() {
        let counts = [
            ("2026-11-24", Click.Platform.ios, 3), ("2026-11-24", .android, 2), ("2026-11-22", .other, 11),
            ("2026-11-21", .ios, 9),
        ].map { ClickStore.Count(day: $0, event: .click, platform: $1, count: $2) }
        let redirect = ClickStore.Count(day: "2026-11-24", event: .redirect, platform: .ios, count: 3)
        let statistics = StatisticsResponse(counts + [redirect], days: 3, in: CountPolicy())
        let chart = TimeChart(clicksOf: statistics, lastDay: "2026-11-24") { $0.rawValue }
        #expect(chart.times == ["2026-11-22", "2026-11-23", "2026-11-24"])
        let series = Dictionary(uniqueKeysWithValues: chart.series.map { ($0.name, $0.counts) })
        #expect(
            series == ["ios": [0, 0, 3], "android": [0, 0, 2], "desktop": [0, 0, 0], "other": [11, 0, 0]])
    }

    @Test(arguments: ["en", "ja", "ar"]) func `the picture of clicks is told in words, too`(language: String)
        async throws
    {
        try await run { app, key in
            try await make(app, key, "party")
            let page = try await app.get("/links/party+?hl=\(language)", headers: key)
            let sources = page.text.matches(
                of: /(srcset|src)="data:image\/svg\+xml;base64,([A-Za-z0-9+\/=]+)"/)
            #expect(sources.map { String($0.1) } == ["srcset", "src"])
            for source in sources {
                let picture = try #require(Data(base64Encoded: String(source.2)))
                #expect(XMLParser(data: picture).parse())
                #expect(String(decoding: picture, as: UTF8.self).contains("lang=\"\(language)\""))
            }
            #expect(page.text.contains(/alt="[^"]+: 0[^"]*"/))
        }
    }

    @Test(arguments: ["0", "x", "3651", "1&days=2", ""])
    func `days that are none are a 400`(days: String) async throws {
        try await run { app, key in
            try await make(app, key, "party")
            let answer = try await app.get("/links/party+?days=\(days)", headers: key)
            #expect((answer.status, answer["field"]) == (400, "days"))
        }
    }

    @Test func `what others wrote is text`() async throws {
        try await run { app, key in
            let script = #""'><script>alert(1)</script>"#
            try await make(
                app, key, "party",
                [
                    "link": "https://example.com/?q='onmouseover=alert(1)&a=b", "st": script, "sd": script,
                    "utm_source": script,
                ],
                name: script)
            let page = try await app.get("/links/party+?days=30&x='%22%3E%3Cscript%3E&y='", headers: key)
            #expect(page.status == 200)
            #expect(!page.text.contains("<script") && page.text.contains(HTML.escape(script)))
            #expect(!page.text.contains("'"), "only as an entity")
        }
    }

    @Test func `a link that leads nowhere says so, and one with parameters that no longer hold says which`()
        async throws
    {
        try await run { app, key in
            for code in ["expired", "elsewhere", "gone", "partly"] { try await make(app, key, code) }
            try await app.db.write.run("UPDATE links SET expires_at = now() WHERE code = 'expired'")
            for (code, name, value) in [
                ("elsewhere", "link", "https://evil.example/"),
                ("gone", "link", "\(TestApp.origin)/users/nobody?invitedBy=u-nobody"),
                ("partly", "apn", "com.other"),
            ] {
                try await app.db.write.run(
                    """
                    UPDATE links SET parameters = parameters || jsonb_build_object(\(name)::text, \(value)::text)
                    WHERE code = \(code)
                    """)
            }
            for (code, isNowhere) in [
                ("expired", true), ("elsewhere", true), ("gone", true), ("partly", false),
            ] {
                let page = try await app.get("/links/\(code)+", headers: key)
                #expect(page.status == 200, "\(code)")
                #expect(page.text.contains(#"class="nowhere""#) == isNowhere, "\(code)")
                let visit = try await app.get(
                    "/\(code)", headers: [.testHost: "go.example.com", .userAgent: "Mozilla/5.0 Chrome/1"])
                #expect((visit.status == 302) != isNowhere, "\(code)")
                #expect(page.text.contains("NOT_IN_PROJECT_ANDROID_PACKAGE_NAME") == (code == "partly"))
            }
        }
    }

    @Test(arguments: [("ja", "リンク先"), ("ar", "إلى أين يقود"), ("en", "Where it leads")])
    func `it speaks the visitor's language`(language: String, title: String) async throws {
        try await run { app, key in
            try await make(app, key, "party")
            var headers = key
            headers[.acceptLanguage] = language
            let page = try await app.get("/links/party+", headers: headers)
            #expect(page.headers[.contentLanguage] == language && page.text.contains(">\(title)</h2>"))
            #expect(try await app.get("/links/party+?hl=\(language)", headers: key).text.contains(title))
        }
    }

    @Test func `beside it are its QR codes`() async throws {
        try await run { app, key in
            try await make(app, key, "a/b")
            for format in [QRPicture.Format.svg, .png] {
                for level in [nil, QRCode.Level.Q] {
                    let path = "/links/a/b+/qr.\(format)\(level.map { "?level=\($0)" } ?? "")"
                    let answer = try await app.get(path, headers: key)
                    #expect(answer.status == 200 && answer.headers[.contentType] == format.mediaType)
                    let drawn = try QRPicture(
                        link: "https://go.example.com/a/b?qr=1", format: format, level: level ?? .M
                    ).draw()
                    #expect(answer.bytes == drawn)
                    var headers = key
                    headers[.ifNoneMatch] = answer.headers[.eTag]
                    #expect(try await app.get(path, headers: headers).status == 304)
                }
            }
            for (query, field) in [("logo=app", "logo"), ("level=X", "level")] {
                let answer = try await app.get("/links/a/b+/qr.svg?\(query)", headers: key)
                #expect((answer.status, answer["field"]) == (400, field))
            }
            #expect(try await app.get("/links/a+/qr.svg", headers: key).status == 404)
        }
    }

    @Test func `a domain may not stand where the pages are`() throws {
        var config = Config()
        config.server.linkURL = "https://join.example.com"
        for (domain, isAllowed) in [
            ("https://join.example.com/links", false), ("https://join.example.com/links/x", false),
            ("https://join.example.com/linksx", true), ("https://go.example.com/links", true),
        ] {
            config.app.linkDomains = domain
            #expect(((try? LinkedProject(config)) != nil) == isAllowed, "\(domain)")
        }
    }
}
