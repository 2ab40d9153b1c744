import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import AppTesting
@testable import Links

/// What operators wrote down of a link, on its page.
extension LinkPageTests {
    @Test func `the page shows what operators wrote down of it`() async throws {
        try await run { app, key in
            try await make(app, key, "party")
            #expect(!(try await app.get("/links/party+", headers: key)).text.contains(#"class="tags""#))
            let changed = try await app.call(
                .patch, "/v1/links/party", as: nil, headers: key,
                body: ["tags": ["Spring", "print"], "note": "For <the> fair"])
            #expect(changed.status == 200, "\(changed.text)")
            let page = try await app.get("/links/party+", headers: key).text
            for shown in ["<bdi>spring</bdi>", "<bdi>print</bdi>", "For &lt;the&gt; fair"] {
                #expect(page.contains(shown), "\(shown)")
            }
        }
    }

    @Test
    func `the page and the statistics tell who signed up by the link, and which friendships came of it`()
        async throws
    {
        try await run { app, key in
            try await make(app, key, "party")
            for (measure, age, count) in [
                ("sign_ups", 1, 2), ("sign_ups", 40, 1), ("friendships", 0, 3), ("friendships", 1, 1),
            ] {
                try await app.db.write.run(
                    """
                    INSERT INTO counts (subject, measure, day, count)
                    VALUES ('https://go.example.com/party', \("links.\(measure)"),
                            (now() AT TIME ZONE 'UTC')::date - \(Int64(age))::int, \(Int64(count)))
                    """)
            }
            let answer = try await app.get("/v1/links/party/stats", headers: key)
            let ends = (answer.json["counts"] as? [[String: Any]] ?? []).map {
                "\($0["event"] ?? "") \($0["count"] ?? 0) \($0["platform"] ?? "")"
            }
            #expect(ends == ["signUp 2 ", "friendship 1 ", "friendship 3 "], "\(answer.text)")
            #expect(answer["total.signUp"] == "2" && answer["total.friendship"] == "4")
            let page = try await app.get("/links/party+", headers: key).text
            #expect(page.contains(/Sign-ups<\/th>(<td>–<\/td>){4}<td>2</), "\(page)")
            #expect(page.contains(/Friendships<\/th>(<td>–<\/td>){4}<td>4</))
        }
    }
}
