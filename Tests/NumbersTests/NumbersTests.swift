import Charts
import Counts
import Foundation
import HTTPTypes
import Testing

@testable import AppTesting
@testable import Numbers
@testable import Web

/// How sums become series.
struct NumbersTests {
    func request(
        _ query: String, _ measure: String = "links.clicks", days: Int = 3660, zone: TimeZone = .gmt
    ) throws -> NumbersRequest {
        var policy = CountPolicy(days: days)
        policy.zone = zone
        return try NumbersRequest(
            Query(query), of: #require(Measure.named(measure)),
            now: #require(Date(rfc3339: "2026-11-24T20:00:00Z")), policy)
    }

    func sum(_ count: Int64, _ dimension: CountDimension = .country, _ parts: [String: Int64] = [:])
        -> DaySum
    {
        var sum = DaySum()
        (sum.count, sum.parts) = (count, CountParts([dimension: parts]))
        return sum
    }

    private func numbers(
        _ query: String, least: Int = 1, _ sums: [(day: String, sum: DaySum)]
    ) throws -> MeasuredNumbers {
        try MeasuredNumbers(
            sums, request(query), of: #require(Measure.named("links.clicks")), least: least)
    }

    @Test func `without a dimension there is one series, and days without anything are 0`() throws {
        let numbers = try numbers(
            "from=2026-11-20&to=2026-11-23",
            [
                ("2026-11-20", sum(2)), ("2026-11-22", sum(5)), ("2026-11-22", sum(1)),
            ])
        #expect(numbers.times == ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"])
        #expect(numbers.total.counts == [2, 0, 6, 0] && numbers.total.total == 8)
        #expect(numbers.series.isEmpty && numbers.others == nil && numbers.unknown == nil)
    }

    @Test func `a dimension divides the total into values, others and unknown`() throws {
        let numbers = try numbers(
            "from=2026-11-20&to=2026-11-21&by=country&limit=2",
            [
                ("2026-11-20", sum(10, .country, ["JP": 4, "US": 1, "FR": 2])),
                ("2026-11-21", sum(3, .country, ["US": 2])),
            ])
        #expect(numbers.series.map(\.value) == ["JP", "US"])
        #expect(numbers.series.map(\.counts) == [[4, 0], [1, 2]])
        #expect(numbers.others?.counts == [2, 0] && numbers.unknown?.counts == [3, 1])
        #expect(numbers.total.counts == [10, 3])
    }

    @Test func `low numbers by country are among the others`() throws {
        let numbers = try numbers(
            "from=2026-11-20&to=2026-11-20&by=country", least: 5,
            [
                ("2026-11-20", sum(12, .country, ["JP": 5, "US": 4, "FR": 3]))
            ])
        #expect(numbers.series.map(\.value) == ["JP"] && numbers.others?.total == 7)
        let one = try self.numbers(
            "from=2026-11-20&to=2026-11-20&country=US", least: 5,
            [
                ("2026-11-20", sum(12, .country, ["JP": 5, "US": 4, "FR": 3]))
            ])
        #expect(one.total.total == nil && one.total.counts == [nil])
    }

    @Test func `ten years of values that somebody invented every day are summed in one pass`() throws {
        let days = try request("from=2016-11-20&to=2026-11-24").span.days
        let sums = days.enumerated().map { number, day in
            var invented = Dictionary(uniqueKeysWithValues: (0..<100).map { ("x\(number)-\($0)", Int64(1)) })
            invented["mail"] = 2
            return (day: day, sum: sum(102, .source, invented))
        }
        let numbers = try numbers("from=2016-11-20&to=2026-11-24&by=utm_source&limit=1", sums)
        #expect(numbers.series.map(\.value) == ["mail"] && numbers.series.first?.total == 2 * days.count)
        #expect(numbers.others?.total == 100 * days.count && numbers.unknown?.total == 0)
    }

    @Test func `one value of a dimension is asked for by its name`() throws {
        let numbers = try numbers(
            "from=2026-11-20&to=2026-11-20&platform=ios",
            [
                ("2026-11-20", sum(12, .platform, ["ios": 5, "android": 7]))
            ])
        #expect(numbers.total.value == "ios" && numbers.total.counts == [5])
    }

    @Test(arguments: [
        ("week", ["2026-10-26", "2026-11-02", "2026-11-09", "2026-11-16", "2026-11-23"]),
        ("month", ["2026-10-01", "2026-11-01"]),
    ])
    func `days are summed to weeks from Monday on, and to months`(per: String, times: [String]) throws {
        let days = try request("from=2026-10-31&to=2026-11-24").span.days
        let numbers = try numbers("from=2026-10-31&to=2026-11-24&per=\(per)", days.map { ($0, sum(1)) })
        #expect(numbers.times == times && numbers.total.total == 25)
        #expect(numbers.total.counts == (per == "week" ? [2, 7, 7, 7, 2] : [1, 24]))
    }

    @Test func `a table for spreadsheets has a column a value, and no formula`() throws {
        let numbers = try numbers(
            "from=2026-11-20&to=2026-11-20&by=utm_source",
            [
                ("2026-11-20", sum(9, .source, ["=1+1": 4, #"a "b", c"#: 2, "x": 1]))
            ])
        #expect(
            numbers.table(of: try #require(Measure.named("links.clicks"))).text
                == "time,'=1+1,\"a \"\"b\"\", c\",x,(others),(unknown),total\r\n2026-11-20,4,2,1,0,2,9\r\n")
    }

    /// With 100 days July is a month, since 16 August is the last of the days: its month stays.
    @Test(arguments: [
        ("from=2026-08-01&to=2026-08-01", "2026-08-01", "2026-08-01", 1),
        ("from=2026-07-10&to=2026-07-10&per=month", "2026-07-01", "2026-07-31", 1),
        ("from=2026-02-03&to=2026-08-03&per=month", "2026-02-01", "2026-08-31", 7),
        ("from=2026-08-13&to=2026-08-20&per=week", "2026-08-10", "2026-08-23", 2),
        ("from=2026-08-01&to=2026-08-01&per=week", "2026-08-01", "2026-08-02", 1),
        ("from=2024-02-29&to=2024-02-29&per=month", "2024-02-01", "2024-02-29", 1),
        ("from=2025-12-31&to=2026-01-01&per=month", "2025-12-01", "2026-01-31", 2),
    ])
    func `of weeks and months the answer tells whole ones, and says so`(
        query: String, from: String, to: String, times: Int
    ) throws {
        let request = try request(query, days: 100)
        #expect((request.span.first, request.span.last) == (from, to))
        let numbers = try MeasuredNumbers([], request, of: #require(Measure.named("links.clicks")), least: 1)
        #expect(numbers.times.count == times)
        #expect(
            Set(request.span.days).count == request.span.days.count
                && request.span.days == request.span.days.sorted())
    }

    @Test(arguments: ["", "&per=day", "&per=week"])
    func `days and weeks of what is months by now are refused, and the answer says from when on they are`(
        per: String
    ) throws {
        let problem = #expect(throws: Problem.self) { try request("from=2026-07-31\(per)", days: 100) }
        #expect(
            problem?.field == "from" && problem?.detail.contains("2026-08-01") == true,
            "\(String(describing: problem))")
        #expect(try request("from=2026-07-31", "versions.calls", days: 100).span.first == "2026-07-31")
    }

    @Test func `which days are months by now is a matter of the operator's time zone`() throws {
        // It is 25 November in Tokyo. 85 days before it is 1 September there, and 31 August in UTC.
        let tokyo = try #require(TimeZone(identifier: "Asia/Tokyo"))
        #expect(
            CountPolicy(days: 85).firstDay(now: try #require(Date(rfc3339: "2026-11-24T20:00:00Z")))
                == "2026-08-01")
        #expect(try request("from=2026-09-01", days: 85, zone: tokyo).span.first == "2026-09-01")
        #expect(throws: Problem.self) { try request("from=2026-08-31", days: 85, zone: tokyo) }
        #expect(try request("from=2026-08-31", days: 85).span.first == "2026-08-31")
    }

    @Test(arguments: [
        ("to=2026-10-31", ["2026-10-01"]), ("from=2026-10-02&to=2026-11-01", ["2026-10-01", "2026-11-01"]),
        ("", ["2026-10-01", "2026-11-01"]),
    ])
    func `what is counted by month is told of each month of which a day is asked`(
        query: String, times: [String]
    )
        throws
    {
        let request = try request(query, "people.active_monthly")
        let numbers = try MeasuredNumbers(
            [("2026-10-01", sum(7)), ("2026-11-01", sum(5))], request,
            of: #require(Measure.named("people.active_monthly")), least: 1)
        #expect(request.per == .month && request.span.first == times.first && numbers.times == times)
        #expect(numbers.total.counts.first == 7)
        #expect(throws: Problem.self) { try self.request("per=day", "people.active_monthly") }
    }

    @Test func `a level is told from its first look on, and each time has the last of its days`() throws {
        let free = try #require(Measure.named("offers.free"))
        func numbers(_ query: String) throws -> MeasuredNumbers {
            try MeasuredNumbers(
                [
                    ("2026-11-11", sum(4, .item, ["spring": 4])),
                    ("2026-11-13", sum(7, .item, ["spring": 5, "gift": 2])),
                ],
                request("from=2026-11-10&to=2026-11-14&\(query)", "offers.free"), of: free, least: 1)
        }
        let days = try numbers("")
        #expect(days.total.counts == [nil, 4, nil, 7, nil] && days.total.total == 7)
        #expect(try numbers("item=gift").total.counts == [nil, 0, nil, 2, nil])
        let parts = try numbers("by=item")
        #expect(parts.series.map(\.counts) == [[nil, 4, nil, 5, nil], [nil, 0, nil, 2, nil]])
        #expect(parts.others?.counts == [nil, 0, nil, 0, nil] && parts.unknown?.total == 0)
        #expect(try numbers("per=week").total.counts == [7])
        #expect(parts.table(of: free).text.contains("\r\n2026-11-12,,,,,\r\n2026-11-13,5,2,0,0,7\r\n"))
        let before = try MeasuredNumbers([], request("", "offers.free"), of: free, least: 1)
        #expect(before.total.total == nil && before.total.counts.allSatisfy { $0 == nil })
    }

    @Test func `what is owed in different units is never added`() throws {
        let owed = try #require(Measure.named("rewards.owed"))
        func numbers(_ query: String) throws -> MeasuredNumbers {
            try MeasuredNumbers(
                [("2026-11-20", sum(107, .item, ["coins": 100, "gems": 7]))],
                request("from=2026-11-20&to=2026-11-20&\(query)", "rewards.owed"), of: owed, least: 1)
        }
        for query in ["", "by=item"] {
            let all = try numbers(query)
            #expect(all.total.total == nil && all.total.counts == [nil], "\(query)")
            #expect(all.series.map(\.total) == [100, 7] && all.others == nil && all.unknown == nil)
            #expect(all.table(of: owed).text == "time,coins,gems\r\n2026-11-20,100,7\r\n")
            let picture = try all.picture(
                of: owed, request(query, "rewards.owed"), CountPolicy(), .english,
                width: 720)
            #expect(picture.svg.contains(">gems<") && !picture.svg.contains("107"))
            let text = try NumbersResponse(
                all, of: owed, request(query, "rewards.owed"), CountPolicy()
            ).text
            #expect(!text.contains("107") && text.contains("100  –"), "\(text)")
        }
        #expect(try numbers("item=gems").total.total == 7)
    }

    @Test func `a table for spreadsheets has the quantiles of each time`() throws {
        let share = try #require(Measure.named("invites.time_to_share"))
        let numbers = try MeasuredNumbers(
            [("2026-11-20", sum(4, .seconds, ["59": 3, "3444": 1]))],
            request("from=2026-11-20&to=2026-11-21", share.name), of: share, least: 1)
        #expect(
            numbers.table(of: share).text
                == "time,total,median,p90\r\n2026-11-20,4,59,3444\r\n2026-11-21,0,,\r\n")
        #expect(numbers.quantiles?.median == 59 && numbers.quantiles?.medians == [59, nil])
    }

    @Test(arguments: [
        ("by=colour", "by"), ("by=kind", "by"), ("by=", "by"), ("per=hour", "per"), ("limit=0", "limit"),
        ("limit=101", "limit"), ("limit=x", "limit"), ("from=2026-02-30", "from"), ("to=yesterday", "to"),
        ("from=2026-11-25&to=2026-11-24", "from"), ("from=2016-01-01", "from"), ("kind=name", "kind"),
        ("platform=ios&country=JP", "country"), ("platform=ios&by=country", "platform"),
        ("domain=https://go.example.com&link=https://go.example.com/x", "link"),
        ("by=country&by=platform", "by"),
    ])
    func `what cannot be asked is refused, and names the parameter`(query: String, field: String) throws {
        let problem = #expect(throws: Problem.self) { try request(query) }
        #expect(problem?.status == .badRequest && problem?.field == field)
    }

    @Test func `a measure that divides by nothing, and is of no links, says so`() throws {
        for query in ["by=country", "domain=https://go.example.com", "platform=ios"] {
            #expect(throws: Problem.self, "\(query)") { try request(query, "people.deletions") }
        }
    }

    @Test func `each measure has a name of its own, and says what one is in a sentence`() {
        #expect(Set(Measure.all.map(\.name)).count == Measure.all.count)
        for measure in Measure.all { #expect(measure.summary.hasSuffix("."), "\(measure.name)") }
    }
}
