import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Numbers
@testable import Web

/// Numbers of a part that there is not, and questions that take long.
extension NumbersRoutesTests {
    @Test(arguments: [
        ("links.clicks?link=https://go.example.com/nobody", "link"), ("links.clicks?link=party", "link"),
        ("links.clicks?link=domain%20https://go.example.com", "link"),
        ("links.clicks?link=https://other.example.com/party", "link"),
        ("links.clicks?domain=https://other.example.com", "domain"),
        ("links.clicks?domain=go.example.com", "domain"), ("links.clicks?tag=none", "tag"),
        ("people.sign_ups?app=nobody", "app"), ("invites.funnel?app=nobody", "app"),
        ("invites.funnel?platform=iphone", "platform"),
    ])
    func `a domain, link, tag or app that there is not is a 400, and no zero`(query: String, field: String)
        async throws
    {
        try await run { app, viewer in
            let answer = try await app.get("/v1/admin/numbers/\(query)", headers: viewer)
            #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
        }
    }

    @Test func `what there is counts 0 before the first visit, and what there was is told`() async throws {
        try await run { app, viewer in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters)
                VALUES ('a/b', 'https://go.example.com', 'custom', '{"link": "https://example.com/"}')
                """)
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count, parts)
                VALUES ('domain https://old.example.com', 'links.page', current_date, 3, NULL),
                       ('', 'people.sign_ups', current_date, 2, '{"app": {"old": 2}}')
                """)
            for (measure, query, count) in [
                ("links.clicks", "link=https://go.example.com/a/b", 0),
                ("links.clicks", "domain=https://go.example.com", 0),
                ("links.clicks", "domain=https://old.example.com", 3),
                ("people.sign_ups", "app=\(LinkedApps.standard)", 0),
                ("people.sign_ups", "app=old", 2), ("people.sign_ups", "country=XX", 0),
            ] {
                #expect(try await total(app, viewer, measure, query) == count, "\(query)")
            }
        }
    }

    /// Without an order among questions, both connections would wait, and counting with them.
    @Test func `questions that take long stop no counting, and are told that they do`() async throws {
        try await run { app, viewer in
            try await app.db.write.run(
                """
                INSERT INTO links (code, domain, kind, parameters, tags)
                VALUES ('a', 'https://go.example.com', 'custom', '{"link": "https://example.com/"}', ARRAY['a'])
                """)
            try await app.signUp("ann")
            let waiting =
                "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM links%'"
            try await app.db.withConnection { session in
                try await session.run("BEGIN")
                try await session.run("LOCK TABLE links IN ACCESS EXCLUSIVE MODE")
                async let one = app.get("/v1/admin/numbers/links.clicks?tag=a", headers: viewer)
                async let other = app.get("/v1/admin/numbers/links.clicks?tag=a&by=country", headers: viewer)
                try await waitUntil("a question waits") { try await app.count(waiting) > 0 }
                try await app.count()
                #expect(try await app.count(waiting) == 1)
                for answer in try await [one, other] {
                    #expect(answer.status == 503 && answer["code"] == "answer_too_slow", "\(answer.text)")
                    #expect(answer["detail"]?.contains("shorter time") == true)
                }
                // The driver has cancelled them.
                try await waitUntil("no question waits") { try await app.count(waiting) == 0 }
                try await session.run("ROLLBACK")
            }
            #expect(try await total(app, viewer, "people.sign_ups") == 1)
        }
    }

    @Test func `visitors are told apart also if nothing is limited`() async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        try await TestApp.run(
            configure: {
                $0.app.linkDomains = "https://go.example.com"
                $0.server.trustedProxies.ranges = proxies
            }, .live
        ) { app in
            try #require(app.app.rateLimiter == nil)
            let viewer = try await app.keyed(.viewer)
            for address in ["203.0.113.7", "203.0.113.7", "203.0.113.8"] {
                var headers = HTTPFields.iPhone
                (headers[.testHost], headers[.xForwardedFor]) = ("go.example.com", address)
                _ = try await app.get("/?link=https://join.example.com/x", headers: headers)
            }
            try await app.count()
            let day = try await app.get("/v1/admin/numbers/links.visitors", headers: viewer)
            #expect((day.json["counts"] as? [Int])?.last == 2, "\(day.text)")
            #expect(day.json["total"] == nil && day["distinct"] == "day", "\(day.text)")
            #expect(day["reason"]?.contains("no total") == true && day.json["unfinished"] != nil)
        }
    }
}
