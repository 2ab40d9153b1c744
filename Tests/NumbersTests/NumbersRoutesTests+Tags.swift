import HTTPTypes
import Postgres
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// Numbers of links that have a tag.
extension NumbersRoutesTests {
    @Test func `numbers by tag are of the links that have it now`() async throws {
        try await run { app, viewer in
            let key = try await app.keyed(.server)
            for (code, tags) in [("a", ["spring", "print"]), ("b", ["spring"]), ("c", ["winter"])] {
                let made = try await app.post(
                    "/v1/links", as: nil, headers: key,
                    [
                        "parameters": ["link": "https://join.example.com/party"] as Body, "suffix": "custom",
                        "code": .some(code), "tags": tags,
                    ])
                try #require(made.status == 201, "\(made.text)")
            }
            func visit(_ code: String, _ country: String) async throws {
                var headers: HTTPFields = [.testHost: "go.example.com"]
                if let field = HTTPField.Name("CF-IPCountry") { headers[field] = country }
                #expect(try await app.get("/\(code)", headers: headers).status == 302)
            }
            for (code, country) in [("a", "JP"), ("a", "US"), ("b", "JP"), ("c", "FR")] {
                try await visit(code, country)
            }
            try await app.count()
            #expect(try await total(app, viewer, "links.clicks", "tag=SPRING") == 3)
            #expect(try await total(app, viewer, "links.clicks", "tag=print") == 2)
            #expect(try await total(app, viewer, "links.clicks", "tag=spring&country=JP") == 2)
            #expect(try await total(app, viewer, "links.clicks", "tag=spring&per=month&by=country") == 3)
            #expect(
                try await series(app, viewer, "links.clicks?tag=spring&by=country") == ["JP": 2, "US": 1])
            #expect(try await series(app, viewer, "links.clicks?tag=spring&by=utm_source") == [:])
            let change: Body = ["tags": ["spring"]]
            #expect(try await app.call(.patch, "/v1/links/c", headers: key, body: change).status == 200)
            #expect(try await total(app, viewer, "links.clicks", "tag=spring") == 4)
            let gone = try await app.get("/v1/admin/numbers/links.clicks?tag=winter", headers: viewer)
            #expect(gone.status == 400 && gone["field"] == "tag", "\(gone.text)")
        }
    }

    @Test func `of very many links with a tag those count that were clicked most, and the answer says so`()
        async throws
    {
        try await run { app, viewer in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters, tags, clicks)
                SELECT 'c' || n, 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', ARRAY['many'], n
                FROM generate_series(1, 1003) n
                """)
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                SELECT 'https://go.example.com/c' || n, 'links.redirect', current_date, CASE WHEN n > 3 THEN 1 ELSE 1000 END
                FROM generate_series(1, 1003) n
                """)
            let path = "/v1/admin/numbers/links.clicks?tag=many"
            let answer = try await app.get(path, headers: viewer)
            #expect(answer.json["total"] as? Int == 1000 && answer.json["linksLeftOut"] as? Int == 3)
            let picture = try await app.get("\(path)&format=svg", headers: viewer)
            #expect(picture.text.contains("without 3 links that were clicked least"), "\(picture.text)")
        }
    }

    @Test func `numbers by tag keep the most frequent values of a day`() async throws {
        try await run { app, viewer in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters, tags)
                SELECT 'c' || n, 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', ARRAY['many']
                FROM generate_series(1, 300) n
                """)
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, parts)
                SELECT 'https://go.example.com/c' || n, 'links.redirect', current_date, 9,
                       jsonb_build_object('utm_source', jsonb_build_object('all', 5, 's' || n, 2, '', 1))
                FROM generate_series(1, 300) n
                """)
            let answer = try await app.get(
                "/v1/admin/numbers/links.clicks?tag=many&by=utm_source&limit=100", headers: viewer)
            let series = answer.json["series"] as? [[String: Any]] ?? []
            #expect(series.count == 100 && series.first?["total"] as? Int == 1500, "\(answer.text)")
            #expect(answer["others.total"] == "\(300 + 201 * 2)", "\(answer.text)")
            #expect(answer["unknown.total"] == "300" && answer.json["total"] as? Int == 2700)
        }
    }

    @Test func `a value that is spelled in two ways is one by tag, too`() async throws {
        try await run { app, viewer in
            for (code, parts) in [
                ("a", #"{"utm_campaign": {"caf\u00e9": 3}}"#), ("b", #"{"utm_campaign": {"cafe\u0301": 2}}"#),
            ] {
                try await app.db.write.run(
                    """
                    INSERT INTO links (code, domain, kind, parameters, tags)
                    VALUES (\(code), 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', ARRAY['a'])
                    """)
                try await app.db.write.run(
                    """
                    INSERT INTO counts (subject, measure, day, count, parts)
                    VALUES ('https://go.example.com/' || \(code), 'links.redirect', current_date, 3, \(parts)::text::jsonb)
                    """)
            }
            let found = try await series(app, viewer, "links.clicks?tag=a&by=utm_campaign")
            #expect(found == ["caf\u{e9}": 5])
        }
    }

    @Test(arguments: [#"{"country": 7}"#, #"{"country": {"JP": "x", "US": 1}}"#, #"[{"country": 1}]"#])
    func `parts that nobody can read are unknown by tag and in a funnel, too`(parts: String) async throws {
        try await run { app, viewer in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters, tags)
                VALUES ('a', 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', ARRAY['a'])
                """)
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, parts)
                VALUES ('https://go.example.com/a', 'links.redirect', current_date, 4, \(parts)::text::jsonb),
                       ('', 'invites.page', current_date, 4, \(parts)::text::jsonb)
                """)
            let path = "/v1/admin/numbers/links.clicks?tag=a"
            let divided = try await app.get("\(path)&by=country", headers: viewer)
            #expect(divided.json["total"] as? Int == 4, "\(divided.text)")
            let known = parts.contains("US") ? 1 : 0
            #expect(try await total(app, viewer, "links.clicks", "tag=a&country=US") == known)
            let funnel = try await app.get("/v1/admin/numbers/invites.funnel?country=US", headers: viewer)
            let steps = funnel.json["steps"] as? [[String: Any]]
            #expect(steps?.first?["count"] as? Int == known, "\(funnel.text)")
        }
    }

    @Test(arguments: [
        ("links.clicks?tag=a%2Cb", "tag"), ("links.clicks?tag=", "tag"),
        ("links.clicks?tag=a%E2%80%AE", "tag"),
        ("links.clicks?tag=a&link=x", "tag"), ("links.clicks?tag=a&domain=x", "tag"),
        ("links.clicks?tag=a&tag=b", "tag"), ("links.visitors?tag=a", "tag"),
        ("people.sign_ups?tag=a", "tag"),
    ])
    func `a tag that cannot be is a 400`(query: String, field: String) async throws {
        try await run { app, viewer in
            let answer = try await app.get("/v1/admin/numbers/\(query)", headers: viewer)
            #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
        }
    }
}
