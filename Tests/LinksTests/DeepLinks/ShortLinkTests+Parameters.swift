import HTTPTypes
import Postgres
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// Which parameters and codes a short link may have.
extension ShortLinkTests {
    @Test(arguments: ["link", "afl", "al", "ifl", "ipfl", "ofl"])
    func `no parameter leads to a link, not even by dots in its path, and the error says so`(name: String)
        async throws
    {
        try await run { app, key in
            // An app may read what stands nowhere: only a link that exists leads on.
            for domain in ["https://go.example.com", "\(TestApp.origin)/l"] {
                let made = try await make(
                    app, key,
                    [
                        "suffix": "custom", "code": "x", "domain": .some(domain),
                        "parameters": ["link": Self.party] as Body,
                    ])
                #expect(made.status == 201, "\(made.text)")
            }
            for url in [
                "https://go.example.com/x", "https://GO.example.com./x", "\(TestApp.origin)/l/x",
                "\(TestApp.origin)/./l/x", "\(TestApp.origin)/x/%2E%2e/l/x", "\(TestApp.origin)/l?link=x",
            ] {
                let parameters = ["link": Self.party, "apn": "com.example.app"].merging([name: url]) { $1 }
                let answer = try await make(app, key, ["parameters": parameters])
                #expect((answer.status, answer["field"]) == (400, "parameters.\(name)"), "\(answer.text)")
                #expect(answer["detail"]?.contains("a link of a domain of links itself") == true)
            }
            let evil = ["link": Self.party].merging([name: "https://evil.example/"]) { $1 }
            let other = try await make(app, key, ["parameters": evil])
            #expect(other["field"] == "parameters.\(name)")
            #expect(other["detail"]?.contains("KITH_LINK_TARGETS") == true, "\(other.text)")
            #expect(try await app.count("links") == 2)
        }
    }

    @Test(arguments: ["afl", "ofl"])
    func `an old link whose fallback is a link leads on without it`(name: String) async throws {
        try await run { app, key in
            for (code, url) in [("a", "https://go.example.com/a"), ("b", "\(TestApp.origin)/x/.%2E/l/b")] {
                let parameters = ["link": Self.party, "apn": "com.example.app", name: url]
                try await app.db.write.run(
                    """
                    INSERT INTO links (code, domain, kind, parameters)
                    VALUES (\(code), 'https://go.example.com', 'custom', \(JSON.text(parameters))::text::jsonb)
                    """)
                var headers = name == "afl" ? HTTPFields.android : [:]
                headers[.testHost] = "go.example.com"
                let location = try await app.get("/\(code)", headers: headers).headers[.location] ?? ""
                #expect(
                    location.hasPrefix(name == "afl" ? "https://play.google.com/" : Self.party), "\(location)"
                )
            }
        }
    }

    @Test func `a link that is too long says what is too long`() async throws {
        try await run { app, key in
            let long = "https://example.com/\(String(repeating: "x", count: 2048))"
            let one = try await make(app, key, ["parameters": ["link": long]])
            #expect((one.status, one["field"]) == (400, "parameters.link"), "\(one.text)")
            #expect(one["detail"]?.contains("at most 2,048 bytes") == true, "\(one.text)")
            let texts = LinkParameter.allCases.filter {
                $0.kind == .text && $0 != .apn && $0 != .ibi && $0 != .ipbi
            }
            func all(of length: Int) -> [String: String] {
                texts.reduce(into: ["link": Self.party]) { all, parameter in
                    all[parameter.rawValue] = String(repeating: "x", count: length)
                }
            }
            let most = (LinkParameter.mostBytesTogether - Self.party.utf8.count) / texts.count
            #expect(try await make(app, key, ["parameters": all(of: most)]).status == 201)
            let many = try await make(app, key, ["parameters": all(of: most + 1)])
            #expect((many.status, many["field"]) == (400, "parameters.link"), "\(many.text)")
            #expect(many["detail"]?.contains("16,384 bytes together") == true, "\(many.text)")
            let body: Body = [
                "dynamicLinkInfo": [
                    "domainUriPrefix": "https://go.example.com", "link": long,
                ] as Body
            ]
            try await app.firebase("shortLinks", key, body)
                .isFirebaseError(
                    400, "INVALID_ARGUMENT", "Long link is not parsable: `link` must have at most")
        }
    }

    @Test func `of very many unknown parameters, the first twenty are told`() async throws {
        try await run { app, key in
            var parameters = ["link": Self.party]
            for number in 0..<500 { parameters["x\(number)"] = "1" }
            let made = try await make(app, key, ["parameters": parameters])
            #expect(made.status == 201 && (made.json["warnings"] as? [Any])?.count == 20, "\(made.text)")
            let long = "https://go.example.com/?link=\(PercentEncoding.encode(Self.party))"
            let query = (0..<500).map { "&x\($0)=1" }.joined()
            let again = try await app.firebase("shortLinks", key, ["longDynamicLink": "\(long)\(query)"])
            #expect(again.warnings == Array(repeating: "UNRECOGNIZED_PARAM", count: 20), "\(again.text)")
        }
    }

    @Test func `no code stands at the URL of another domain or of a file of the server`() async throws {
        let (domain, below) = ("https://go.example.com", "https://go.example.com/l")
        try await run({ $0.app.linkDomains = "\(domain),\(below)" }) { app, key in
            func make(_ code: String, _ domain: String) async throws -> TestApp.Answer {
                try await self.make(
                    app, key,
                    ["parameters": ["link": Self.party], "suffix": "custom", "code": code, "domain": domain])
            }
            for code in ["l", "l/x", "apple-app-site-association"] {
                let answer = try await make(code, domain)
                #expect((answer.status, answer["field"]) == (400, "code"), "\(code): \(answer.text)")
                let body: Body = [
                    "dynamicLinkInfo": ["domainUriPrefix": domain, "link": Self.party] as Body,
                    "suffix": ["option": "CUSTOM", "customSuffix": code],
                ]
                try await app.firebase("shortLinks", key, body).isFirebaseError(400, "INVALID_ARGUMENT")
            }
            #expect(try await app.count("links") == 0)
            for (code, domain) in [("lx", domain), ("x/l", domain), ("apple-app-site-association", below)] {
                #expect(try await make(code, domain).status == 201)
                let path = "\(domain)/\(code)".dropFirst("https://go.example.com".utf8.count)
                #expect(try await open(app, String(path)).headers[.location] == Self.party)
            }
        }
    }

    @Test func `a slash behind a code is ignored, as Firebase ignored it`() async throws {
        try await run { app, key in
            for code in ["c", "a/b"] {
                _ = try await make(
                    app, key, ["parameters": ["link": Self.party], "suffix": "custom", "code": code])
                #expect(try await open(app, "/\(code)/").headers[.location] == Self.party)
                #expect(try await open(app, "/\(code)/?x=1").headers[.location] == "\(Self.party)&x=1")
                #expect(try await open(app, "/\(code)//").status == 404)
            }
        }
    }

    @Test func `pages of a list show each of 300 links of one moment once`() async throws {
        try await run { app, key in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters, created_at)
                SELECT 'c' || n, 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', '2021-03-04T05:06:07Z'
                FROM generate_series(1, 300) n
                """)
            var (codes, next): ([String], String?) = ([], nil)
            repeat {
                let after = next.map { "&after=\($0)" } ?? ""
                let page = try await app.get("/v1/links?limit=37\(after)", headers: key)
                let links = try #require(page.json["links"] as? [[String: Any]], "\(page.text)")
                codes += links.compactMap { $0["code"] as? String }
                next = page["next"]
            } while next != nil && codes.count <= 300
            #expect(codes.count == 300 && Set(codes).count == 300)
        }
    }
}
