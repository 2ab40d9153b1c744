import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith
@testable import Numbers
@testable import Web

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The way of invites, step by step.
@Suite(.inTurns) struct FunnelTests {
    private static let path = "/v1/admin/numbers/invites.funnel?from=2026-10-01&to=2026-10-31"

    /// October: 200 pages, of which 30 were sent on at once, to 5 who brought a friend.
    private func run(
        least: Int = 1, _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: { $0.counts.least = least }) { app in
            for (measure, day, count, parts) in [
                (
                    "invites.page", 1, 100,
                    [CountDimension.platform: ["ios": 60, "": 10], .country: ["JP": 3]]
                ),
                ("invites.page", 31, 70, [.platform: ["ios": 20]]),
                ("invites.redirect", 2, 30, [.platform: ["android": 30]]),
                ("invites.tap", 2, 50, [.platform: ["ios": 40]]),
                ("invites.firstOpen", 2, 20, [.platform: ["ios": 10]]),
                ("invites.sign_ups", 3, 40, [.platform: ["ios": 20]]),
                ("invites.friendships", 3, 10, [.kind: ["name": 10]]),
                ("invites.passed_on", 4, 5, [:]),
            ] as [(String, Int, Int64, [CountDimension: [String: Int64]])] {
                let texts = parts.map { key, values in
                    "\(key.rawValue.json):{\(values.map { "\($0.key.json):\($0.value)" }.joined(separator: ","))}"
                }
                try await app.db.write.run(
                    """
                    INSERT INTO counts (subject, measure, day, count, parts)
                    VALUES ('', \(measure), '2026-10-01'::date + \(Int64(day - 1))::int, \(count),
                            nullif(\("{\(texts.joined(separator: ","))}"), '{}')::jsonb),
                           ('', \(measure), '2026-11-01'::date + \(Int64(day - 1))::int, 1000, NULL)
                    """)
            }
            let key = try await APIKeyStore(db: app.db).create(name: "reader", scope: .viewer)
            try await test(app, [.authorization: "Bearer \(key)"])
        }
    }

    private func steps(_ app: TestApp, _ viewer: HTTPFields, _ query: String = "") async throws -> [String] {
        let answer = try await app.get(Self.path + query, headers: viewer)
        return try #require(answer.json["steps"] as? [[String: Any]], "\(answer.text)").map { step in
            ["measure", "count", "ofPrevious", "ofFirst"].map { key in step[key].map { "\($0)" } ?? "-" }
                .joined(separator: " ")
        }
    }

    @Test func `days are counted to the day, unless they became months`() async throws {
        try await run { app, viewer in
            let path = "/v1/admin/numbers/invites.funnel"
            let month = try await app.get("\(path)?from=2026-10-01&to=2026-10-31", headers: viewer)
            let both = try await app.get("\(path)?from=2026-10-01&to=2026-11-30", headers: viewer)
            let part = try await app.get("\(path)?from=2026-10-31&to=2026-11-29", headers: viewer)
            #expect(part["from"] == "2026-10-31" && part["to"] == "2026-11-29")
            #expect(month["steps.0.count"] == "200" && both["steps.0.count"] != "200")
            let day = try await app.get("\(path)?from=2026-10-31&to=2026-10-31", headers: viewer)
            #expect(day["steps.0.count"] == "70", "\(day.text)")
        }
    }

    @Test func `each step has its share of the one before and of the first`() async throws {
        try await run { app, viewer in
            let answer = try await app.get(Self.path, headers: viewer)
            #expect(answer["from"] == "2026-10-01" && answer["timeZone"] == "UTC")
            #expect(
                try await steps(app, viewer) == [
                    "invites.pages 200 - 1", "invites.taps 50 0.25 0.25", "invites.first_opens 20 0.4 0.1",
                    "invites.sign_ups 40 2 0.2", "invites.friendships 10 0.25 0.05",
                    "invites.passed_on 5 0.5 0.025",
                ])
        }
    }

    @Test func `a step that does not divide by what is asked for has no count`() async throws {
        try await run { app, viewer in
            let ofPlatform = try await steps(app, viewer, "&platform=ios")
            #expect(
                ofPlatform == [
                    "invites.pages 80 - 1", "invites.taps 40 0.5 0.5", "invites.first_opens 10 0.25 0.125",
                    "invites.sign_ups 20 2 0.25", "invites.friendships - - -", "invites.passed_on - - -",
                ])
            #expect(
                try await steps(app, viewer, "&kind=name") == [
                    "invites.pages 0 - -", "invites.taps 0 - -", "invites.first_opens - - -",
                    "invites.sign_ups 0 - -", "invites.friendships 10 - -", "invites.passed_on - - -",
                ])
            #expect(
                try await steps(app, viewer, "&referrer=")[0]
                    == "invites.pages 0 - -")
        }
    }

    @Test(arguments: [(1, "3 - 1"), (3, "3 - 1"), (4, "- - -")])
    func `low numbers by country are not told, nor is what they are a share of`(least: Int, told: String)
        async throws
    {
        try await run(least: least) { app, viewer in
            let steps = try await steps(app, viewer, "&country=JP")
            #expect(steps[0] == "invites.pages \(told)", "\(steps)")
            // Nobody of any country is among the taps.
            #expect(steps[1].hasPrefix("invites.taps 0"), "\(steps)")
        }
    }

    @Test func `a step whose number is hidden by what stands beside it is hidden in a funnel, too`()
        async throws
    {
        try await run(least: 5) { app, viewer in
            try await app.db.write.run(
                """
                UPDATE counts SET parts = '{"country":{"JP":60,"US":20,"IS":4,"FR":0}}'
                WHERE measure = 'invites.page' AND day = '2026-10-01'
                """)
            for (country, told) in [("JP", "60 - 1"), ("US", "- - -"), ("IS", "- - -"), ("DE", "- - -")] {
                let first = try await steps(app, viewer, "&country=\(country)")[0]
                #expect(first == "invites.pages \(told)", "\(country)")
                let alone = try await app.get(
                    "/v1/admin/numbers/invites.pages?from=2026-10-01&to=2026-10-31&per=month&country=\(country)",
                    headers: viewer)
                #expect((alone["total"] ?? "-") == told.prefix { $0 != " " }, "\(alone.text)")
            }
            var headers = viewer
            headers[.accept] = "text/csv"
            let table = try await app.get("\(Self.path)&country=IS", headers: headers)
            #expect(table.text.contains("invites.pages,,,\r\n"), "\(table.text)")
        }
    }

    @Test func `it is a table and a picture, in English and Japanese`() async throws {
        try await run { app, viewer in
            var headers = viewer
            headers[.accept] = "text/csv"
            let table = try await app.get(Self.path, headers: headers)
            #expect(table.text.hasPrefix("step,count,of_previous,of_first\r\ninvites.pages,200,,1.0\r\n"))
            #expect(table.text.contains("invites.taps,50,0.25,0.25\r\n"), "\(table.text)")
            headers[.accept] = "image/svg+xml"
            for (language, texts) in [
                "en": [
                    "The way of invites", "80 · 100%<", "40 · 50% · ↓ 50%<", "Of the step before 25%",
                    "not known by platform: Friendships by invites",
                ],
                "ja": ["招待のファネル", "10 · 13% · ↓ 25%<", "プラットフォーム別の記録なし", "前段階比"],
            ] {
                headers[.acceptLanguage] = language
                let picture = try await app.get("\(Self.path)&platform=ios&width=320", headers: headers)
                #expect(XMLParser(data: Data(picture.bytes)).parse())
                for text in texts { #expect(picture.text.contains(text), "\(text): \(picture.text)") }
            }
        }
    }

    @Test(arguments: [
        ("item=x", "item"), ("platform=ios&kind=name", "kind"), ("per=week", "per"), ("by=platform", "by"),
        ("width=9", "width"),
    ])
    func `a wrong question is refused by its field`(query: String, field: String) async throws {
        try await TestApp.run { app in
            let answer = try await app.get("\(Self.path)&\(query)", headers: app.keyed())
            #expect(answer.status == 400 && answer["field"] == field, "\(answer.text)")
        }
    }

    @Test func `the command prints a line a step`() async throws {
        try await run { app, _ in
            let command = ["numbers", "invites.funnel", "--from", "2026-10-01", "--to", "2026-10-31"]
            func run(_ more: [String] = []) async throws -> KithCommand.Outcome {
                try await KithCommand(command + more, ["KITH_DATABASE_URL": app.app.config.database.url])
                    .run()
            }
            let shown = try await run(["--only", "platform=ios"])
            #expect(
                shown.output == """
                    invites.funnel: From the page of an invite to those who came by it and brought a friend.
                    2026-10-01 – 2026-10-31, UTC, platform ios

                    count  of first  of previous
                       80      100%               invites.pages
                       40       50%          50%  invites.taps
                       10       13%          25%  invites.first_opens
                       20       25%         200%  invites.sign_ups
                        ?                         invites.friendships
                        ?                         invites.passed_on
                    ?: not known by platform

                    """, "\(shown.output) \(shown.error)")
            let csv = try await run(["--csv"])
            #expect(csv.output.contains("invites.taps,50,0.25,0.25\r\n"), "\(csv.output) \(csv.error)")
            let wrong = try await run(["--by", "platform"])
            #expect(wrong.status == 1 && wrong.error.contains("`by` is no parameter"), "\(wrong.error)")
        }
    }
}
