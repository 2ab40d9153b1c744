import Charts
import Counts
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Numbers
@testable import Web

/// Which numbers by country and referrer are told with `KITH_NUMBERS_LEAST`.
@Suite(.inTurns) struct ToldCountsTests {
    /// What is told of a time, with a least of 5. Other countries than these are asked for, too.
    @Test(
        arguments: [
            (["JP": 9, "US": 6], 0, ["JP": 9, "US": 6, "IS": 0]),
            (["JP": 9, "US": 6, "IS": 1], 0, ["JP": 9, "US": nil, "IS": nil, "FR": nil]),
            (["JP": 9, "US": 6, "IS": 4, "FR": 1], 0, ["JP": 9, "US": 6, "IS": nil, "FR": nil, "DE": nil]),
            (["JP": 9, "IS": 4], 0, ["JP": nil, "IS": nil]),
            (["JP": 9, "IS": 4], 1, ["JP": 9, "IS": nil]),
            (["JP": 9, "US": 9, "IS": 1], 0, ["JP": nil, "US": 9, "IS": nil]),
            (["JP": 9], 3, ["JP": nil, "US": nil]), (["IS": 4], 0, ["IS": nil, "FR": nil]),
            ([:], 0, ["IS": 0]), ([:], 4, ["IS": nil]), (["JP": 5], 0, ["JP": 5, "IS": 0]),
        ] as [([String: Int64], Int64, [String: Int?])])
    func `what is hidden is told neither alone nor by what remains`(
        counts: [String: Int64], others: Int64, told: [String: Int?]
    ) {
        let all = ToldCounts(counts, others: others, of: .country, least: 5)
        for (value, count) in told { #expect(all[value] == count, "\(value)") }
        let open = ToldCounts(counts, others: others, of: .platform, least: 5)
        for (value, count) in counts { #expect(open[value] == Int(count)) }
        #expect(ToldCounts(counts, others: others, of: .country, least: 1)["XX"] == 0)
    }

    private static let countries = ["JP", "US", "IS", "FR", "DE", "BR"]

    /// Somebody asks everything about some days in one way, and computes.
    @Test(arguments: [2, 5, 20])
    func `no answer, and no difference of answers about the same times, tells a low number`(
        least: Int
    ) throws {
        var random = SeededGenerator()
        let clicks = try #require(Measure.named("links.clicks"))
        func request(_ query: String) throws -> NumbersRequest {
            try NumbersRequest(
                Query("from=2026-11-01&to=2026-11-30&\(query)"), of: clicks,
                now: #require(Date(rfc3339: "2026-11-30T12:00:00Z")), CountPolicy())
        }
        for _ in 0..<50 {
            let sums = try request("").span.days.map { day in
                var sum = DaySum()
                let counts = Self.countries.prefix(.random(in: 0...6, using: &random)).map {
                    ($0, Int64.random(in: 0...Int64(2 * least), using: &random))
                }
                sum.parts = CountParts([.country: Dictionary(uniqueKeysWithValues: counts)])
                sum.count = counts.reduce(.random(in: 0...3, using: &random)) { $0 + $1.1 }
                return (day: day, sum: sum)
            }
            for per in ["day", "week", "month"] {
                func numbers(_ query: String) throws -> MeasuredNumbers {
                    try MeasuredNumbers(sums, request("per=\(per)&\(query)"), of: clicks, least: least)
                }
                let (divided, few) = try (numbers("by=country"), numbers("by=country&limit=1"))
                let alone = try Self.countries.map { try numbers("country=\($0)").total }
                for one in divided.series {
                    #expect(alone.first { $0.value == one.value } == one)
                }
                for time in divided.times.indices {
                    let told = alone.compactMap { $0.counts[time] }
                    let all = try #require(divided.total.counts[time])
                    let unknown = try #require(divided.unknown?.counts[time] ?? nil)
                    let hidden = all - unknown - told.reduce(0, +)
                    let isHidden = told.count < alone.count
                    #expect(!isHidden || told.allSatisfy { $0 >= least })
                    #expect(isHidden || hidden == 0)
                    #expect(!isHidden || hidden >= least || told.isEmpty, "\(hidden)")
                    #expect(divided.others?.counts[time] == hidden)
                    #expect((few.others?.counts[time] ?? nil) ?? 0 >= hidden)
                }
                for series in divided.series + alone {
                    let told = series.counts.compactMap(\.self)
                    #expect(
                        series.total == (told.isEmpty ? nil : told.reduce(0, +)), "no more is in the total")
                }
            }
        }
    }

    /// On each of three days two came from Iceland, and many from Japan and the US.
    private func run(_ test: @Sendable (TestApp, HTTPFields) async throws -> Void) async throws {
        try await TestApp.run(configure: { $0.counts.least = 5 }) { app in
            for measure in ["people.sign_ups", "invites.sign_ups"] {
                try await app.db.write.run(
                    """
                    INSERT INTO counts (subject, measure, day, count, parts)
                    SELECT '', \(measure), '2026-10-01'::date + n, 42, '{"country":{"JP":30,"US":10,"IS":2}}'
                    FROM generate_series(0, 2) n
                    """)
            }
            try await test(app, app.keyed(.viewer))
        }
    }

    private static let span = "from=2026-10-01&to=2026-10-03"

    @Test func `a value that came a little each day is told of no day, in no form, but of the month`()
        async throws
    {
        try await run { app, viewer in
            let path = "/v1/admin/numbers/people.sign_ups?\(Self.span)"
            let answer = try await app.get("\(path)&by=country", headers: viewer)
            #expect(
                answer.objects("series").map { $0["value"] as? String } == ["JP"], "\(answer.text)")
            #expect(answer.text.contains(#""others":{"counts":[12,12,12],"total":36}"#), "\(answer.text)")
            for country in ["IS", "US", "FR"] {
                let one = try await app.get("\(path)&country=\(country)", headers: viewer)
                #expect(
                    one.text.contains(#""counts":[null,null,null]"#) && one["total"] == nil, "\(one.text)")
            }
            let month = try await app.get("\(path)&per=month&country=IS", headers: viewer)
            #expect(month["total"] == "6", "\(month.text)")
            var headers = viewer
            headers[.accept] = "text/csv"
            let csv = try await app.get("\(path)&country=IS", headers: headers)
            #expect(csv.text == "time,total\r\n2026-10-01,\r\n2026-10-02,\r\n2026-10-03,\r\n")
            headers[.accept] = "image/svg+xml"
            let picture = try await app.get("\(path)&country=IS", headers: headers)
            #expect(
                picture.text.contains("Oct 1, 2026: Total –") && picture.text.contains("Nothing was counted"),
                "\(picture.text)")
            let command = try await KithCommand(
                [
                    "numbers", "people.sign_ups", "--from", "2026-10-01", "--to", "2026-10-03", "--only",
                    "country=IS",
                ],
                ["KITH_DATABASE_URL": app.app.config.database.url, "KITH_NUMBERS_LEAST": "5"]
            ).run()
            #expect(
                command.output.hasSuffix("\n\n–  –  ···  total\n"), "\(command.output) \(command.error)")
        }
    }

    @Test func `a share tells neither its number nor its base`() async throws {
        try await run { app, viewer in
            let path = "/v1/admin/numbers/invites.sign_ups?\(Self.span)"
            let hidden = try await app.get("\(path)&country=IS", headers: viewer)
            #expect(hidden["base.total"] == nil && hidden["base.share"] == nil, "\(hidden.text)")
            #expect(hidden.text.contains(#""shares":[null,null,null]"#), "\(hidden.text)")
            let told = try await app.get("\(path)&country=JP", headers: viewer)
            #expect(told["base.share"] == "1" && told["base.total"] == "90", "\(told.text)")
            // Of one day too few came by invites.
            try await app.db.write.run(
                """
                UPDATE counts SET parts = '{"country":{"JP":4,"US":10}}'
                WHERE measure = 'invites.sign_ups' AND day = '2026-10-02'
                """)
            let some = try await app.get("\(path)&country=JP", headers: viewer)
            #expect(some.text.contains(#""shares":[1,null,1]"#) && some["base.share"] == nil, "\(some.text)")
            #expect(some["total"] == "60", "\(some.text)")
        }
    }
}
