import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// How operators find short links: tags and notes, search, filters, order and counts.
@Suite(.inTurns) struct LinkListTests {
    private static let party = "https://example.com/party?id=7"

    private func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.app.linkDomains = "https://go.example.com,\(TestApp.origin)/l"
            $0.app.linkTargets = "example.com"
        }) { app in try await test(app, try await app.keyed(.server)) }
    }

    @discardableResult
    private func make(
        _ app: TestApp, _ key: HTTPFields, _ code: String, link: String = party, _ more: Body? = nil
    ) async throws -> TestApp.Answer {
        let body: Body = ["parameters": ["link": link], "suffix": "custom", "code": code]
        let made = try await app.post("/v1/links", as: nil, headers: key, body.with(more))
        #expect(made.status == 201, "\(made.text)")
        return made
    }

    private func page(_ app: TestApp, _ key: HTTPFields, _ query: String = "") async throws
        -> (links: [[String: Any]], codes: [String], next: String?)
    {
        let page = try await app.get("/v1/links?\(query)", headers: key)
        #expect(page.status == 200, "\(query): \(page.text)")
        let links = page.json["links"] as? [[String: Any]] ?? []
        return (links, links.compactMap { $0["code"] as? String }, page["next"])
    }

    /// All codes of a list, page by page.
    private func all(
        _ app: TestApp, _ key: HTTPFields, _ query: String, between: () async throws -> Void = {}
    )
        async throws -> [String]
    {
        var (codes, next): ([String], String?) = ([], nil)
        repeat {
            let page = try await page(app, key, query + (next.map { "&after=\($0)" } ?? ""))
            codes += page.codes
            next = page.next
            try await between()
        } while next != nil && codes.count < 2000
        return codes
    }

    @Test func `tags and a note stay with a link until an operator changes them`() async throws {
        try await run { app, key in
            let made = try await make(
                app, key, "a", ["tags": ["Spring", "SPRING", " Print  run "], "note": " For the fair "])
            func tags(_ answer: TestApp.Answer) -> [String]? { answer.json["tags"] as? [String] }
            #expect(tags(made) == ["spring", "print run"] && made["note"] == "For the fair", "\(made.text)")
            let body: Body = [
                "parameters": ["link": Self.party], "suffix": "custom", "code": "a", "tags": ["other"],
            ]
            let again = try await app.post("/v1/links", as: nil, headers: key, body)
            #expect(again.status == 200 && tags(again) == ["spring", "print run"], "\(again.text)")
            func change(_ body: Body) async throws -> TestApp.Answer {
                try await app.call(.patch, "/v1/links/a", headers: key, body: body)
            }
            let named = try await change(["name": "Flyer"])
            #expect(tags(named) == ["spring", "print run"] && named["note"] == "For the fair")
            #expect(try await tags(change(["tags": ["b", "a"]])) == ["b", "a"])
            #expect(try await change(["note": "x"])["note"] == "x")
            let bare = try await change(["tags": [String](), "note": ""])
            #expect(bare.status == 200 && tags(bare) == nil && bare["note"] == nil, "\(bare.text)")
            let shown = try await app.get("/v1/links/a", headers: key)
            #expect(tags(shown) == nil && shown["note"] == nil && shown.json["leads"] != nil)
        }
    }

    @Test func `no app and no visitor learns tags or note`() async throws {
        try await run { app, key in
            let made = try await app.post(
                "/v1/links", as: nil, headers: key,
                ["parameters": ["link": Self.party], "tags": ["secretly"], "note": "hidden words"] as Body)
            let code = try #require(made["code"])
            let client = try await app.keyed(.client)
            let found = try await app.post(
                "/v1/links", as: nil, headers: client, ["parameters": ["link": Self.party]] as Body)
            #expect(
                found["code"] == code && found.json["tags"] == nil && found["note"] == nil, "\(found.text)")
            let resolved = try await app.post(
                "/v1/links/resolve", as: nil, headers: client, ["url": "https://go.example.com/\(code)"])
            var texts = [resolved.text]
            for path in ["/\(code)", "/\(code)?d=1"] {
                let answer = try await app.get(path, headers: [.testHost: "go.example.com"])
                texts += [answer.text, "\(answer.headers)"]
            }
            for text in texts { #expect(!text.contains("secretly") && !text.contains("hidden words")) }
            for body in [["tags": ["x"]], ["note": "x"]] as [Body] {
                let refused = try await app.post(
                    "/v1/links", as: nil, headers: client,
                    body.with(["parameters": ["link": Self.party]]))
                #expect(refused.status == 403, "\(refused.text)")
            }
        }
    }

    @Test(
        arguments: [
            (["tags": [String](repeating: "t", count: 10_000)], "tags"), (["tags": ["a\u{202E}b"]], "tags"),
            (["tags": ["a,b"]], "tags"), (["tags": [""]], "tags"), (["tags": "spring"], "tags"),
            (["tags": [1]], "tags"), (["note": String(repeating: "x", count: 501)], "note"),
            (["note": "a\u{0}b"], "note"), (["note": "a\nb"], "note"), (["note": "a\u{202E}b"], "note"),
            (["note": " "], "note"),
        ] as [(Body, String)])
    func `a bad tag or note is a 400 that names the field`(body: Body, field: String) async throws {
        try await run { app, key in
            try await make(app, key, "a")
            let changed = try await app.call(.patch, "/v1/links/a", headers: key, body: body)
            #expect((changed.status, changed["field"]) == (400, field), "\(changed.text)")
            let other = body.with(["parameters": ["link": "https://example.com/"]])
            let made = try await app.post("/v1/links", as: nil, headers: key, other)
            #expect((made.status, made["field"]) == (400, field), "\(made.text)")
        }
    }

    @Test func `a note of a megabyte is refused before it is read`() async throws {
        try await run { app, key in
            try await make(app, key, "a")
            let note = String(repeating: "x", count: 1_000_000)
            let changed = try await app.call(.patch, "/v1/links/a", headers: key, body: ["note": note])
            #expect(changed.status == 413, "\(changed.text)")
        }
    }

    @Test func `a search finds each part of a link, in any case, and takes each character for itself`()
        async throws
    {
        try await run { app, key in
            try await make(app, key, "Code_1", ["name": "100 % Café"])
            try await make(app, key, "b", link: "https://example.com/Zoo?a=b")
            try await make(app, key, "c", ["tags": ["winter", "Übergang"]])
            try await make(app, key, "d", ["name": "ガイド \\ x"])
            let mine = try await app.keyed(.links)
            let other = try await make(app, mine, "e")["keyId"] ?? ""
            for (text, codes) in [
                ("code_", ["Code_1"]), ("CAFÉ", ["Code_1"]), ("cafe", ["Code_1"]), ("zoo?A=", ["b"]),
                ("INTER", ["c"]), ("uber", ["c"]), ("がいど", ["d"]), (other.uppercased(), ["e"]),
                ("%", ["Code_1"]),
                ("_", ["Code_1"]), ("\\", ["d"]), ("%%", []), ("'; --", []), ("e\nb", nil),
                ("a\u{202E}", nil),
                ("", nil), (" ", nil), (String(repeating: "x", count: 101), nil),
                ("example.com", ["e", "d", "c", "b", "Code_1"]),
            ] as [(String, [String]?)] {
                let query = "q=\(PercentEncoding.encode(text))"
                for order in ["newest", "clicks", "name", "oldest"] {
                    guard let codes else {
                        let answer = try await app.get("/v1/links?\(query)&order=\(order)", headers: key)
                        #expect((answer.status, answer["field"]) == (400, "q"), "\(text): \(answer.text)")
                        continue
                    }
                    let found = try await page(app, key, "\(query)&order=\(order)").codes
                    #expect(order == "newest" ? found == codes : Set(found) == Set(codes), "\(text) \(found)")
                }
            }
        }
    }

    @Test func `filters count together, each of its own domain`() async throws {
        try await run { app, key in
            let mine = try await app.keyed(.links)
            try await make(app, key, "a", ["tags": ["spring", "print"]])
            try await make(app, key, "b", ["tags": ["spring"], "name": "Poster"])
            let maker = try await make(app, mine, "c", ["tags": ["spring"]])["keyId"] ?? ""
            try await make(app, key, "d", ["tags": ["spring"], "domain": "\(TestApp.origin)/l"])
            try await make(app, key, "e")
            _ = try await app.call(.patch, "/v1/links/b", headers: key, body: ["archived": true])
            for (query, codes) in [
                ("tag=spring", ["c", "b", "a"]), ("tag=SPRING&archived=false", ["c", "a"]),
                ("tag=print", ["a"]),
                ("archived=true", ["b"]), ("archived=true&tag=print", []), ("keyId=\(maker)", ["c"]),
                ("keyId=\(maker)&order=name", ["c"]), ("tag=spring&q=poster", ["b"]), ("tag=none", []),
                ("tag=spring&domain=\(TestApp.origin)/l", ["d"]), ("", ["e", "c", "b", "a"]),
                ("order=oldest", ["a", "b", "c", "e"]), ("order=name", ["a", "c", "e", "b"]),
            ] {
                #expect(try await page(app, key, query).codes == codes, "\(query)")
            }
            #expect(
                try await app.get("/b", headers: [.testHost: "go.example.com"]).status == 302,
                "an archived link leads on")
            for (query, field) in [
                ("tag=a%2Cb", "tag"), ("tag=", "tag"), ("archived=yes", "archived"),
                ("archived=", "archived"),
                ("order=best", "order"), ("keyId=%0A", "keyId"), ("keyId=", "keyId"), ("sort=name", "sort"),
            ] {
                let answer = try await app.get("/v1/links?\(query)", headers: key)
                #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
            }
        }
    }

    @Test(arguments: ["newest", "oldest", "clicks", "name"])
    func `pages of 500 links that are alike show each once, also if the cursor's link goes`(order: String)
        async throws
    {
        try await run { app, key in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters, name, created_at, clicks, tags)
                SELECT 'c' || n, 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', 'Name ' || n % 3,
                       '2021-03-04T05:06:07Z'::timestamptz + n % 3 * interval '1 microsecond', n % 3, ARRAY['t']
                FROM generate_series(1, 500) n
                """)
            for filter in ["", "&q=name", "&tag=t"] {
                let codes = try await all(app, key, "limit=37&order=\(order)\(filter)")
                #expect(codes.count == 500 && Set(codes).count == 500, "\(filter)")
                let whole = try await page(app, key, "limit=100&order=\(order)\(filter)")
                #expect(whole.codes == Array(codes.prefix(100)))
            }
            let first = try await page(app, key, "limit=37&order=\(order)")
            try await app.db.write.run("DELETE FROM links WHERE code = \(first.codes.last ?? "")")
            let after = "limit=100&order=\(order)&after=\(first.next ?? "")"
            let rest = try await page(app, key, after).codes
            #expect(Set(rest).isDisjoint(with: first.codes) && rest.count == 100)
            for other in ["order=\(order == "name" ? "clicks" : "name")", "order=\(order)&tag=t"] {
                let answer = try await app.get("/v1/links?\(other)&after=\(first.next ?? "")", headers: key)
                #expect((answer.status, answer["field"]) == (400, "after"), "\(answer.text)")
            }
        }
    }

    @Test func `a link that is opened while others are read by clicks comes once at most`() async throws {
        try await run { app, key in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters, clicks)
                SELECT 'c' || n, 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', n % 7
                FROM generate_series(1, 300) n
                """)
            let codes = try await all(app, key, "limit=20&order=clicks") {
                try await app.db.write.run("UPDATE links SET clicks = clicks + 3 WHERE code LIKE '%5'")
            }
            #expect(codes.count == Set(codes).count)
            let still = Set((1...300).map { "c\($0)" }.filter { !$0.hasSuffix("5") })
            #expect(still.isSubset(of: codes), "a link that stays as it is comes")
        }
    }

    @Test func `counts of a list are those of the statistics, and its order follows them`() async throws {
        try await run { app, key in
            let nested = "\(TestApp.origin)/l"
            try await make(app, key, "a")
            try await make(app, key, "b")
            try await make(app, key, "x/y")
            try await make(app, key, "x/y", ["domain": .some(nested)])
            let host = String(TestApp.origin.split(separator: "/").last ?? "")
            func open(_ path: String, _ times: Int, _ host: String = "go.example.com") async throws {
                for _ in 0..<times {
                    #expect(try await app.get(path, headers: [.testHost: host]).status == 302)
                }
            }
            try await open("/b", 2)
            try await open("/x/y", 3)
            try await open("/l/x/y", 1, host)
            try await app.count()
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, parts) VALUES
                ('https://go.example.com/b', 'links.page', current_date - 31, 5, '{"platform": {"ios": 5}}'),
                ('https://go.example.com/b', 'links.install', current_date, 4, '{"platform": {"ios": 4}}'),
                ('https://go.example.com/b', 'links.sign_ups', current_date - 1, 2, '{"platform": {"ios": 2}}'),
                ('https://go.example.com/b', 'links.sign_ups', current_date - 40, 1, NULL),
                ('https://go.example.com/b', 'links.friendships', current_date, 3, NULL)
                """)
            // This one waits for being counted.
            try await open("/b", 1)
            let list = try await page(app, key, "order=clicks")
            #expect(list.codes == ["x/y", "b", "a"])
            let counts = list.links.map { $0["counts"] as? [String: Int] ?? [:] }
            let names = ["clicks", "recentClicks", "installs", "signUps", "friendships"]
            #expect(
                counts.map { count in names.map { count[$0] } } == [
                    [3, 3, 0, 0, 0], [8, 3, 4, 3, 3], [0, 0, 0, 0, 0],
                ])
            #expect(try await page(app, key, "domain=\(nested)&order=clicks").links.count == 1)
            for (code, count) in zip(list.codes, counts) {
                func total(_ days: Int, _ event: String) async throws -> Int? {
                    let path = "/v1/links/\(PercentEncoding.encode(code))/stats?days=\(days)"
                    return (try await app.get(path, headers: key).json["total"] as? [String: Int])?[event]
                }
                #expect(try await total(3650, "click") == count["clicks"])
                #expect(try await total(30, "click") == count["recentClicks"])
                #expect(try await total(3650, "install") == count["installs"])
                #expect(try await total(3650, "signUp") == count["signUps"])
            }
        }
    }
}

extension Body {
    /// Returns the body with the members of another.
    fileprivate func with(_ other: Body?) -> Body {
        other.map { Body(stringLiteral: "\(json.dropLast()),\($0.json.dropFirst())") } ?? self
    }
}
