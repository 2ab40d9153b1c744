import Crypto
import HTTPTypes
import Hummingbird
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// Many links, made of a table and listed as one.
@Suite(.inTurns) struct LinkSheetTests {
    private func run(_ test: @escaping @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withLinks) { try await test($0, $0.keyed(.links)) }
    }

    private func send(
        _ app: TestApp, _ key: HTTPFields, _ csv: String, dryRun: Bool = false
    ) async throws -> TestApp.Answer {
        try await app.post(
            "/v1/link-sheets", as: nil, headers: key, ["csv": csv, "dryRun": dryRun] as Body)
    }

    @Test func `each line of a table becomes a link, once it was looked at`() async throws {
        try await run { app, key in
            let csv = [
                "\u{FEFF}Name,link,code,tags,utm_source,note",
                "\"Fair, \"\"big\"\"\",https://example.com/party,fair,\"Spring、print\",flyer,for all", "",
                ",https://example.com/two,,,,",
            ].joined(separator: "\r\n")
            let looked = try await send(app, key, csv, dryRun: true)
            #expect(looked.status == 200 && looked["made"] == "0", "\(looked.text)")
            #expect(looked["lines.1.line"] == "4" && looked["lines.0.problems.0"] == nil)
            #expect(try await app.count("links") == 0)
            let made = try await send(app, key, csv)
            #expect(made["made"] == "2" && made["lines.0.url"] == "https://go.example.com/fair")
            let fair = try await app.get("/v1/links/fair", headers: key)
            #expect(fair["name"] == "Fair, \"big\"" && fair["parameters.utm_source"] == "flyer")
            #expect(fair["tags.0"] == "spring" && fair["tags.1"] == "print", "\(fair.text)")
        }
    }

    @Test func `the same table with the same Idempotency-Key makes its links once, also at the same time`()
        async throws
    {
        try await run { app, key in
            let csv = "link,code\nhttps://example.com/a,\nhttps://example.com/a,\nhttps://example.com/b,fair"
            var once = key
            once[.idempotencyKey] = "form-1"
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { [once] group in
                for _ in 0..<4 { group.addTask { try await send(app, once, csv) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let urls = answers.map { answer in (0..<3).map { answer["lines.\($0).url"] } }
            #expect(Set(urls).count == 1 && Set(urls[0]).count == 3, "\(urls)")
            #expect(try await app.count("links") == 3)
            #expect(try await send(app, once, csv + "\nhttps://example.com/c,")["made"] == "4")
            #expect(try await app.count("links") == 6, "another table makes others, but for its own codes")
            #expect(try await send(app, key, "link\nhttps://example.com/a")["made"] == "1")
            #expect(try await app.count("links") == 7)
            once[.idempotencyKey] = ""
            #expect(try await send(app, once, csv)["field"] == "Idempotency-Key")
        }
    }

    @Test func `the same short link with the same Idempotency-Key is made once`() async throws {
        try await run { app, key in
            var once = key
            once[.idempotencyKey] = "form-1"
            func make(_ target: String, _ headers: HTTPFields) async throws -> TestApp.Answer {
                try await app.post(
                    "/v1/links", as: nil, headers: headers,
                    ["parameters": ["link": "https://example.com/\(target)"], "suffix": "short"] as Body)
            }
            let first = try await make("a", once)
            let second = try await make("a", once)
            #expect((first.status, second.status) == (201, 200) && first["code"] == second["code"])
            #expect(try await make("b", once)["code"] != first["code"])
            #expect(try await make("a", key)["code"] != first["code"])
            var ben = try await app.keyed(.links)
            ben[.idempotencyKey] = "form-1"
            #expect(try await make("a", ben)["code"] != first["code"], "another caller's")
            #expect(try await app.count("links") == 4)
        }
    }

    @Test
    func `with the same Idempotency-Key another name makes another link, and one that ended lasts again`()
        async throws
    {
        try await run { app, key in
            var once = key
            once[.idempotencyKey] = "form-1"
            func make(_ more: Body) async throws -> TestApp.Answer {
                try await app.post("/v1/links", as: nil, headers: once, more)
            }
            func link(_ name: String) -> Body {
                ["parameters": ["link": "https://example.com/a"], "suffix": "short", "name": name]
            }
            let fair = try await make(link("fair"))
            let market = try await make(link("market"))
            #expect(market.status == 201 && market["name"] == "market" && market["code"] != fair["code"])
            try await app.db.write.run("UPDATE links SET expires_at = now() - interval '1 hour'")
            let again = try await make(link("fair"))
            #expect(again.status < 300 && again["expiresAt"] == nil, "\(again.text)")
        }
    }

    @Test func `links that were changed since are made anew, however often a call is repeated`() async throws
    {
        try await run { app, key in
            var once = key
            once[.idempotencyKey] = "form-1"
            var codes: Set<String> = []
            for place in 0..<9 {
                let made = try await app.post(
                    "/v1/links", as: nil, headers: once,
                    ["parameters": ["link": "https://example.com/a"], "suffix": "short"] as Body)
                let code = try #require(made["code"])
                #expect(made.status == 201 && codes.insert(code).inserted)
                let moved: Body = ["parameters": ["link": "https://example.com/\(place)"]]
                #expect(
                    try await app.call(.patch, "/v1/links/\(code)", headers: key, body: moved).status == 200)
            }
            let request = Request(
                head: .init(
                    method: .post, scheme: "http", authority: "x", path: "/",
                    headerFields: [.idempotencyKey: "k"]), body: .init(buffer: .init()))
            let repeating = try #require(try IdempotencyKey(request, call: "link", content: ["a"]))
            let domain = try #require(app.app.front.project.domains.first)
            let repeated = RepeatedCodes(
                repeating, in: domain, by: .init(key: "k", isBackend: true), secret: .init(size: .bits256))
            #expect(repeated.code(0, length: 10)?.text.count == 10 && repeated.code(0, length: 11) == nil)
        }
    }

    @Test func `a wrong line is named with its column, and no link is made`() async throws {
        try await run { app, key in
            let csv = """
                link,code,tags
                https://example.com/a,a,
                https://evil.test/,b,
                https://example.com/c,a,
                https://example.com/d,ü,
                https://example.com/e,,!
                """
            let answer = try await send(app, key, csv)
            #expect(answer.status == 200 && answer["made"] == "0", "\(answer.text)")
            #expect(
                (0..<5).map { answer["lines.\($0).problems.0.field"] } == [
                    nil, "link", "code", "code", "tags",
                ])
            #expect(try await app.count("links") == 0)
        }
    }

    @Test func `of two tables with the same codes at once one makes all of its links, and the other none`()
        async throws
    {
        try await run { app, key in
            func sheet(_ name: String, _ codes: [Int]) -> String {
                "link,code\n" + codes.map { "https://example.com/\(name)/\($0),c\($0)\n" }.joined()
            }
            let sheets = [sheet("a", Array(0..<60)), sheet("b", (0..<60).reversed())]
            let made = try await withThrowingTaskGroup(of: String?.self) { group in
                for csv in sheets { group.addTask { try await send(app, key, csv)["made"] } }
                return try await group.reduce(into: []) { $0.append($1 ?? "") }.sorted()
            }
            #expect(made == ["0", "60"])
            #expect(try await app.count("links") == 60)
            #expect(try await app.count("links WHERE parameters ->> 'link' LIKE '%/a/%'") % 60 == 0)
        }
    }

    @Test
    func `a table sent again has the same links by its codes, and another link cannot have one of them`()
        async throws
    {
        try await run { app, key in
            let csv = "link,code\nhttps://example.com/a,a\nhttps://example.com/b,b\n"
            for _ in 0..<2 {
                let answer = try await send(app, key, csv)
                #expect(answer["made"] == "2" && answer["lines.1.url"] == "https://go.example.com/b")
            }
            #expect(try await app.count("links") == 2)
            let other = csv.replacing("/b,b", with: "/other,b") + "https://example.com/c,c\n"
            let answer = try await send(app, key, other)
            #expect(answer["made"] == "0" && answer["lines.1.problems.0.field"] == "code", "\(answer.text)")
            #expect(try await app.count("links WHERE code = 'c'") == 0)
        }
    }

    @Test func `what is no table of links is refused with the field`() async throws {
        try await run { app, key in
            let long = "link\n" + String(repeating: "https://example.com/\n", count: 501)
            for csv in [
                "", "name\nx", "link,link\nx,y", "link,price\nx,1", "link\n", "link\n\"x", "link\nx,y", long,
            ] {
                let answer = try await send(app, key, csv)
                #expect((answer.status, answer["field"]) == (400, "csv"), "\(csv.prefix(20)): \(answer.text)")
            }
        }
    }

    @Test func `the list is a table of all pages, with counts, that no spreadsheet takes for formulas`()
        async throws
    {
        try await run { app, key in
            let rows = (0..<30).map { "=n\($0),https://example.com/\($0),c\($0)\n" }.joined()
            #expect(try await send(app, key, "name,link,code\n\(rows)")["made"] == "30")
            let table = try await app.get("/v1/links?format=csv&order=oldest&limit=1", headers: key)
            #expect(table.headers[.contentType] == "text/csv; charset=utf-8")
            let lines = table.text.split(separator: "\r\n")
            #expect(lines.count == 31 && lines[0].hasPrefix("url,name,link,tags,note,clicks,"))
            #expect(lines[1].hasPrefix("https://go.example.com/c0,'=n0,https://example.com/0,,,0,0,0,0,0,"))
            #expect(try await app.get("/v1/links?format=svg", headers: key)["field"] == "format")
        }
    }

    @Test func `a table is read as RFC 4180 has it`() {
        func read(_ text: String) -> [[String]]? { CSVText.rows(text)?.map(\.fields) }
        #expect(read("a,b\n1,\"2\"\"\n3\"\r\n") == [["a", "b"], ["1", "2\"\n3"]])
        #expect(read("\n\n,\n") == [] && read("a\"b") == [["a\"b"]] && read("\"a") == nil)
        #expect(CSVText.rows("a\n\"x\ny\"\nb")?.map(\.line) == [1, 2, 4])
    }
}
