import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Charts
@testable import Counts
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Numbers
@testable import Web

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Numbers, from what people do to what an operator reads.
@Suite(.inTurns) struct NumbersRoutesTests {
    func run(
        _ zone: String = "UTC", _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        let zone = try #require(TimeZone(identifier: zone))
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.app.linkDomains = "https://go.example.com"
            ($0.counts.zone, $0.counts.countryHeader) = (zone, "CF-IPCountry")
            $0.server.trustedProxies.ranges = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { app in
            let key = try await APIKeyStore(db: app.db).create(name: "reader", scope: .viewer)
            try await test(app, [.authorization: "Bearer \(key)"])
        }
    }

    func total(_ app: TestApp, _ viewer: HTTPFields, _ measure: String, _ query: String = "")
        async throws -> Int?
    {
        let answer = try await app.get("/v1/admin/numbers/\(measure)?\(query)", headers: viewer)
        #expect(answer.status == 200, "\(measure): \(answer.text)")
        return answer.json["total"] as? Int
    }

    func series(_ app: TestApp, _ viewer: HTTPFields, _ query: String) async throws -> [String: Int] {
        let answer = try await app.get("/v1/admin/numbers/\(query)", headers: viewer)
        let series = answer.json["series"] as? [[String: Any]] ?? []
        return Dictionary(
            uniqueKeysWithValues: series.compactMap { one in
                (one["value"] as? String).flatMap { value in (one["total"] as? Int).map { (value, $0) } }
            })
    }

    @Test func `what people do is counted once, however often it is counted`() async throws {
        try await run { app, viewer in
            try await app.signUp("ann")
            for name in ["bob", "cat", "dan"] {
                try await app.signUp(name, invite: TestApp.link("ann", "u-ann"))
            }
            try await app.signUp("eve")
            try await app.act(.unwant, "u-cat", on: "u-ann")
            try await app.act(.want, "u-eve", on: "u-ann")
            try await app.act(.want, "u-ann", on: "u-eve")
            _ = try await app.call(.delete, "/v1/me", as: "u-dan")
            for _ in 0..<2 { try await app.count() }
            let wanted = [
                "people.sign_ups": 5, "people.deletions": 1, "invites.sign_ups": 3, "invites.friendships": 3,
                "friendships.made": 4, "friendships.ended": 2, "friendships.requested": 1,
                "people.renames": 0,
            ]
            for (measure, count) in wanted {
                #expect(try await total(app, viewer, measure) == count, "\(measure)")
            }
            #expect(try await series(app, viewer, "people.sign_ups?by=cause") == ["invited": 3, "alone": 2])
            #expect(try await series(app, viewer, "friendships.made?by=cause") == ["invite": 3, "other": 1])
            #expect(try await series(app, viewer, "invites.sign_ups?by=kind") == ["name": 3])
        }
    }

    @Test func `visits divide by what the browser, the proxy and the link say`() async throws {
        try await run { app, viewer in
            let key = try await APIKeyStore(db: app.db).create(name: "links", scope: .server)
            let made = try await app.post(
                "/v1/links", as: nil, headers: [.authorization: "Bearer \(key)"],
                [
                    "parameters": ["link": "https://join.example.com/party", "utm_source": "poster"] as Body,
                    "suffix": "custom", "code": "party",
                ])
            try #require(made.status == 201, "\(made.text)")
            func visit(_ path: String, _ headers: HTTPFields, _ country: String, from referrer: String? = nil)
                async throws
            {
                var headers = headers
                headers[.testHost] = "go.example.com"
                if let field = HTTPField.Name("CF-IPCountry") { headers[field] = country }
                headers[.referer] = referrer
                headers[.acceptLanguage] = "ja-JP,ja;q=0.9"
                #expect(try await app.get(path, headers: headers).status == 302)
            }
            for _ in 0..<3 { try await visit("/party", .android, "JP", from: "https://News.example.org/a?b") }
            try await visit("/party?qr=1", .iPhone, "US")
            try await visit("/party?utm_source=mail&utm_campaign=spring", .iPhone, "JP")
            try await visit("/?link=https://join.example.com/x", .android, "JP")
            try await app.count()
            #expect(try await total(app, viewer, "links.clicks") == 6)
            #expect(try await total(app, viewer, "links.clicks", "link=https://go.example.com/party") == 5)
            #expect(try await total(app, viewer, "links.clicks", "domain=https://go.example.com") == 6)
            #expect(try await total(app, viewer, "links.clicks", "platform=ios") == 2)
            #expect(try await series(app, viewer, "links.clicks?by=country") == ["JP": 5, "US": 1])
            #expect(try await series(app, viewer, "links.clicks?by=referrer") == ["news.example.org": 3])
            #expect(try await series(app, viewer, "links.clicks?by=utm_source") == ["poster": 4, "mail": 1])
            #expect(try await series(app, viewer, "links.clicks?by=language") == ["ja": 6])
            #expect(try await series(app, viewer, "links.clicks?by=via") == ["qr": 1])
            #expect(try await total(app, viewer, "links.redirects", "via=qr") == 1)
        }
    }

    @Test func `days are those of the operator's time zone`() async throws {
        for zone in ["Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati"] {
            try await run(zone) { app, viewer in
                try await app.signUp("ann")
                try await app.db.write.run(
                    "UPDATE outbox SET at = '2026-11-20T15:30:00Z' WHERE type = 'user.signed_up'")
                try await app.count()
                let day = zone == "America/Los_Angeles" ? "2026-11-20" : "2026-11-21"
                #expect(try await total(app, viewer, "people.sign_ups", "from=\(day)&to=\(day)") == 1)
                let answer = try await app.get("/v1/admin/numbers/people.sign_ups", headers: viewer)
                #expect(answer["timeZone"] == zone)
                // Whoever invites sees the same days.
                let own = try await app.get("/v1/me/invite/stats", as: "u-ann")
                #expect(own["timeZone"] == zone)
            }
        }
    }

    @Test func `each measure and dimension has a name in the language that is asked for`() async throws {
        try await run { app, viewer in
            var titles: [[String]] = []
            for language in ["en", "ja"] {
                let answer = try await app.get("/v1/admin/numbers?hl=\(language)", headers: viewer)
                let dimensions = try #require(answer.json["dimensions"] as? [String: String])
                let all = (answer.objects("measures") + answer.objects("funnels")).map {
                    ($0["name"] as? String ?? "", $0["title"] as? String ?? "")
                }
                for (name, title) in all { #expect(!title.isEmpty && title != name) }
                titles.append(all.map(\.1) + dimensions.sorted { $0.key < $1.key }.map(\.value))
            }
            #expect(zip(titles[0], titles[1]).filter { $0 == $1 }.map(\.0) == [])
            let refused = try await app.get("/v1/admin/numbers?hl=fr", headers: viewer)
            #expect(refused.status == 400 && refused["field"] == "hl")
            let numbers = try await app.get("/v1/admin/numbers/people.sign_ups?hl=fr", headers: viewer)
            #expect(numbers.status == 400 && numbers["field"] == "hl", "also as JSON")
        }
    }

    @Test func `the list of measures says how each divides, and each can be asked`() async throws {
        try await run { app, viewer in
            let answer = try await app.get("/v1/admin/numbers", headers: viewer)
            let measures = try #require(answer.json["measures"] as? [[String: Any]])
            #expect(measures.count == Measure.all.count)
            let funnel = try #require(answer.objects("funnels").first)
            #expect(funnel["name"] as? String == "invites.funnel")
            for filter in try #require(funnel["filters"] as? [String]) {
                let value = try Self.value(of: filter, "invites.pages")
                let asked = try await app.get(
                    "/v1/admin/numbers/invites.funnel?\(filter)=\(value)", headers: viewer)
                #expect(asked.status == 200, "\(asked.text)")
            }
            for measure in measures {
                let name = try #require(measure["name"] as? String)
                // Nobody has looked at levels yet, and different ones of several days do not add up.
                let none = Measure.levels.contains(name) || measure["distinct"] as? String == "day" ? nil : 0
                #expect(try await total(app, viewer, name) == none)
                for dimension in try #require(measure["by"] as? [String]) {
                    #expect(try await total(app, viewer, name, "by=\(dimension)") == none)
                    let value = try Self.value(of: dimension, name)
                    #expect(try await total(app, viewer, name, "\(dimension)=\(value)") == none)
                }
            }
        }
    }

    /// A value that may be asked for.
    private static func value(of dimension: String, _ measure: String) throws -> String {
        let (measure, dimension) = try (
            #require(Measure.named(measure)), #require(CountDimension(rawValue: dimension))
        )
        let value = measure.values(of: dimension)?.first ?? (dimension == .app ? LinkedApps.standard : "x")
        return value.replacing("+", with: "%2B")
    }

    @Test func `whoever asks for CSV gets a file`() async throws {
        try await run { app, viewer in
            try await app.signUp("ann")
            try await app.count()
            var headers = viewer
            headers[.accept] = "text/csv"
            let answer = try await app.get(
                "/v1/admin/numbers/people.sign_ups?per=month&by=cause", headers: headers)
            #expect(answer.headers[.contentType] == "text/csv; charset=utf-8")
            let lines = answer.text.components(separatedBy: "\r\n")
            #expect(lines.first == "time,alone,(others),(unknown),total,unfinished", "\(answer.text)")
            #expect(lines.dropLast().last?.hasSuffix(",1,yes") == true, "\(answer.text)")
            let span = try await app.get(
                "/v1/admin/numbers/people.sign_ups?from=2026-10-01&to=2026-10-31", headers: headers)
            #expect(
                span.headers[.contentDisposition]
                    == #"attachment; filename="people.sign_ups_2026-10-01_2026-10-31.csv""#)
        }
    }

    @Test(arguments: [
        ("", "application/json"), ("*/*", "application/json"), ("text/html,*/*;q=0.8", "application/json"),
        ("text/csv", "text/csv; charset=utf-8"), ("image/svg+xml", "image/svg+xml"),
        ("image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8", "image/svg+xml"),
        ("application/json, image/svg+xml", "application/json"), ("text/csv, image/svg+xml", "image/svg+xml"),
        ("image/svg+xml;q=0, text/csv", "text/csv; charset=utf-8"), ("image/png", "application/json"),
        ("text/csv;q=0.1, application/json", "application/json"), ("text/csv;q=0.1, */*", "application/json"),
        ("image/svg+xml;q=0.4, text/csv;q=0.5", "text/csv"), ("TEXT/CSV; charset=utf-16; q=1", "text/csv"),
        ("image/png,image/*;q=0.8,*/*;q=0.5", "image/svg+xml"),
        ("image/*, image/svg+xml;q=0", "application/json"),
    ])
    func `whoever asks for a picture or a file gets it, and all others get JSON`(accept: String, type: String)
        async throws
    {
        try await run { app, viewer in
            var headers = viewer
            headers[.accept] = accept
            let answer = try await app.get("/v1/admin/numbers/people.sign_ups", headers: headers)
            #expect(answer.status == 200 && answer.headers[.contentType]?.hasPrefix(type) == true)
        }
    }

    @Test func `an address that somebody opens in a browser says the form itself`() async throws {
        try await run { app, viewer in
            var headers = viewer
            headers[.accept] = "text/html,image/svg+xml,*/*;q=0.8"
            for path in ["people.sign_ups", "invites.funnel"] {
                for (format, type) in [
                    ("json", "application/json"), ("csv", "text/csv"), ("svg", "image/svg+xml"),
                ] {
                    let answer = try await app.get(
                        "/v1/admin/numbers/\(path)?format=\(format)", headers: headers)
                    #expect(answer.status == 200 && answer.headers[.contentType]?.hasPrefix(type) == true)
                }
                let wrong = try await app.get("/v1/admin/numbers/\(path)?format=xlsx", headers: headers)
                #expect(wrong.status == 400 && wrong["field"] == "format", "\(wrong.text)")
            }
        }
    }

    @Test func `each measure has a picture, divided by each of its dimensions, in both languages`()
        async throws
    {
        try await run { app, viewer in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.count()
            var headers = viewer
            headers[.accept] = "image/svg+xml"
            for measure in Measure.all {
                let queries =
                    ["", measure.counting == .months ? "per=month" : "per=week", "width=320"]
                    + measure.dimensions.flatMap { ["by=\($0.rawValue)", "per=month&by=\($0.rawValue)"] }
                for (language, query) in queries.enumerated().map({ ($0 % 2 == 0 ? "en" : "ja", $1) }) {
                    headers[.acceptLanguage] = language
                    let answer = try await app.get(
                        "/v1/admin/numbers/\(measure.name)?\(query)", headers: headers)
                    #expect(answer.status == 200 && answer.headers[.contentLanguage] == language)
                    #expect(XMLParser(data: Data(answer.bytes)).parse(), "\(measure.name) \(query)")
                    let title = NumbersWords(language == "ja" ? .japanese : .english).name(of: measure)
                    #expect(answer.text.contains(title), "\(measure.name) \(query)")
                }
            }
        }
    }

    @Test func `a picture tells what it shows in the reader's language`() async throws {
        try await run { app, viewer in
            try await app.signUp("ann")
            for name in ["bob", "cat", "dan"] {
                try await app.signUp(name, invite: TestApp.link("ann", "u-ann"))
            }
            try await app.count()
            var headers = viewer
            (headers[.accept], headers[.acceptLanguage]) = ("image/svg+xml", "ja")
            let path = "/v1/admin/numbers/people.sign_ups"
            let japanese = try await app.get("\(path)?by=cause", headers: headers).text
            for text in ["新規登録（きっかけ別）", "招待あり 75% (3)", "招待なし 25% (1)", "日ごと", "合計 4"] {
                #expect(japanese.contains(text), "\(text): \(japanese)")
            }
            headers[.acceptLanguage] = nil
            let one = try await app.get("\(path)?cause=alone&per=month", headers: headers).text
            for text in ["Sign-ups", "cause: alone", "per month", "Total 1"] {
                #expect(one.contains(text), "\(text): \(one)")
            }
            let few = try await app.get("\(path)?by=cause&limit=1", headers: headers).text
            #expect(few.contains("invited 75% (3), others 25% (1)"), "\(few)")
            let wrong = try await app.get("\(path)?width=9", headers: headers)
            #expect(wrong.status == 400 && wrong["field"] == "width")
        }
    }

    @Test func `an unknown measure is a 404, and an unknown parameter a 400`() async throws {
        try await run { app, viewer in
            let answer = try await app.get("/v1/admin/numbers/people.opinions", headers: viewer)
            #expect(answer.status == 404 && answer["code"] == "measure_not_found", "\(answer.text)")
            #expect(
                try await app.get("/v1/admin/numbers/people.sign_ups?colour=red", headers: viewer).status
                    == 400)
        }
    }
}
