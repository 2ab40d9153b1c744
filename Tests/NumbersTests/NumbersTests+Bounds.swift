import Counts
import Foundation
import Testing

@testable import Charts
@testable import Numbers
@testable import Web

/// What an answer tells of times that do not add up or are not over, and what it has no room for.
extension NumbersTests {
    @Test func `different ones have a total only of one time, and what it is stands beside`() throws {
        for name in ["links.visitors", "people.active", "versions.installations", "people.active_monthly"] {
            let measure = try #require(Measure.named(name))
            func numbers(_ query: String) throws -> MeasuredNumbers {
                try MeasuredNumbers(
                    [("2026-10-01", sum(7)), ("2026-11-20", sum(5))], request(query, name), of: measure,
                    least: 1)
            }
            let months = try numbers("from=2026-10-01&to=2026-11-30&per=month")
            #expect(months.total.total == nil && months.total.counts == [7, 5], "\(name)")
            #expect(months.reason?.contains("there is no total") == true)
            #expect(months.reason?.contains("the sum of its days") == (measure.distinct == .day))
            let one = try numbers("from=2026-11-20&to=2026-11-20&per=month")
            #expect(one.total.total == 5 && (one.reason == nil) == (measure.distinct == .month), "\(name)")
            let text = try NumbersResponse(
                months, of: measure, request("from=2026-10-01&to=2026-11-30&per=month", name), CountPolicy()
            ).text
            #expect(text.contains("–") && text.contains("there is no total"), "\(text)")
        }
    }

    @Test func `what of the parts of different ones is a sum is told as shares alone`() throws {
        let measure = try #require(Measure.named("versions.installations"))
        let query = "from=2026-11-20&to=2026-11-21&by=version"
        let days = ["2026-11-20", "2026-11-21"].map { ($0, sum(4, .version, ["5.2": 3, "5.1": 1])) }
        let numbers = try MeasuredNumbers(days, request(query, measure.name), of: measure, least: 1)
        #expect(
            numbers.series.map(\.total) == [nil, nil] && numbers.series.map(\.counts) == [[3, 3], [1, 1]])
        let svg = try numbers.picture(
            of: measure, request(query, measure.name), CountPolicy(), .english, width: 720
        ).svg
        #expect(svg.contains("5.2 75%, 5.1 25%.") && !svg.contains("(6)"), "\(svg)")
        let text = try NumbersResponse(
            numbers, of: measure, request(query, measure.name), CountPolicy()
        ).text
        #expect(text.contains("–   75%  ██  5.2") && !text.contains(" 6 "), "\(text)")
    }

    @Test(arguments: [
        ("from=2026-11-20&to=2026-11-24", "links.clicks", "2026-11-24"),
        ("from=2026-11-20&to=2026-11-23", "links.clicks", nil),
        ("from=2026-11-20&to=2026-11-23&per=week", "links.clicks", "2026-11-23"),
        ("from=2026-11-20&to=2026-11-22&per=week", "links.clicks", nil),
        ("from=2026-10-20&to=2026-11-02&per=month", "links.clicks", "2026-11-01"),
        ("from=2026-11-10&to=2026-11-23", "cohorts.joined_7", "2026-11-17"),
        ("from=2026-09-01&to=2026-11-23&per=month", "cohorts.opened_30", "2026-10-01"),
        ("from=2026-11-23&to=2026-11-26", "offers.free", "2026-11-24"),
    ])
    func `a time that is not over is marked`(query: String, measure: String, first: String?) throws {
        let (request, measure) = try (request(query, measure), #require(Measure.named(measure)))
        let numbers = MeasuredNumbers([], request, of: measure, least: 1)
        #expect(numbers.unfinished.map { numbers.times[$0] } == first)
        let lines = numbers.table(of: measure).text.components(separatedBy: "\r\n")
        #expect((lines.first?.hasSuffix(",unfinished") == true) == (first != nil))
        #expect(lines.first { $0.hasSuffix(",yes") }?.hasPrefix(first ?? "-") == (first == nil ? nil : true))
        let picture = numbers.picture(of: measure, request, CountPolicy(), .english, width: 720)
        #expect(picture.svg.contains("not over: ") == (first != nil))
    }

    @Test func `the picture draws a time lighter that is not over, also if it draws sums of times`() throws {
        for from in ["2026-11-20", "2022-11-20"] {
            let request = try request("from=\(from)&to=2026-11-24")
            let measure = try #require(Measure.named("links.clicks"))
            let svg = MeasuredNumbers(
                [("2026-11-20", sum(4)), ("2026-11-24", sum(1))], request, of: measure, least: 1
            ).picture(of: measure, request, CountPolicy(), .english, width: 720).svg
            #expect(svg.components(separatedBy: "class=\"ground\"").count == 3, "\(svg)")
        }
    }

    @Test func `an answer has 20,000 numbers at most`() throws {
        #expect(try request("from=2016-11-20&by=country").limit == 5)
        #expect(try request("from=2026-01-01&by=country").limit == 20)
        #expect(try request("from=2025-10-21&by=country&limit=50").limit == 50)
        #expect(try request("from=2016-11-20&by=country&per=month&limit=100").limit == 100)
        for query in ["from=2016-11-20&by=country&limit=6", "from=2025-10-21&by=country&limit=51"] {
            let problem = #expect(throws: Problem.self) { try request(query) }
            #expect(problem?.field == "limit" && problem?.detail.contains("20000") == true)
        }
    }

    @Test(arguments: [
        ("platform=iphone", "links.clicks", "ios, android, desktop, other"),
        ("platform=desktop", "versions.calls", "ios, android"), ("via=mail", "links.clicks", "qr"),
        ("kind=email", "invites.made", "name, personal, custom"),
        ("cause=x", "people.sign_ups", "invited, alone"),
        ("cause=x", "versions.calls", "none, soft, hard, block"),
        ("cause=x", "rewards.ended", "cap, operator"),
        ("friends=5", "people.accounts", "0, 1, 2-4, 5-9"),
    ])
    func `a value that Kith never gives is refused, and the answer says which there are`(
        query: String, measure: String, values: String
    ) throws {
        let problem = #expect(throws: Problem.self) { try request(query, measure) }
        #expect(problem?.field == query.split(separator: "=").first.map(String.init))
        #expect(problem?.detail.contains(values) == true, "\(String(describing: problem))")
    }
}
