import Foundation
import Testing

@testable import Charts
@testable import Counts
@testable import Numbers
@testable import Web

/// How levels, shares and times went on, in pictures and in a terminal.
extension NumbersTests {
    @Test func `a level is drawn from its first look on, with gaps, and nobody sums it`() throws {
        let free = try #require(Measure.named("offers.free"))
        let days = (1...30).map { "2026-11-\($0 < 10 ? "0" : "")\($0)" }
        let sums = days.enumerated().filter { $0.offset > 9 && $0.offset != 20 }.map { place, day in
            (day, sum(100 + Int64(place), .item, ["spring": 100, "gift": Int64(place)]))
        }
        for (query, texts) in [
            ("", ["Total 129", "Latest 129 on Nov 30, 2026", "Nov 21, 2026: Total –"]),
            ("&by=item", ["spring 78% (100), gift 22% (29)", ">gift 22%<"]),
        ] {
            let asked = try request("from=2026-11-01&to=2026-11-30\(query)", "offers.free")
            let numbers = MeasuredNumbers(sums, asked, of: free, least: 1)
            let picture = numbers.picture(of: free, asked, CountPolicy(), .english, width: 720)
            for text in texts { #expect(picture.svg.contains(text), "\(text): \(picture.svg)") }
            let areas = picture.svg.matches(of: /<path [^>]*d="(M[^"]*z)"><title>/).map(\.output.1)
            #expect(areas.allSatisfy { $0.split(separator: "z").count == 2 }, "\(areas)")
            #expect(areas.count == (query.isEmpty ? 1 : 2))
            let text = NumbersResponse(numbers, of: free, asked, CountPolicy()).text
            #expect(text.contains("129  100%  ··········▇"), "\(text)")
        }
        let none = try request("from=2026-11-01&to=2026-11-30", "offers.free")
        let zero = MeasuredNumbers([("2026-11-29", sum(0))], none, of: free, least: 1).picture(
            of: free, none, CountPolicy(), .english, width: 720)
        #expect(zero.svg.contains("Latest 0 on Nov 29, 2026") && !zero.svg.contains("Nothing"))
    }

    @Test func `k and how long it took have lines, and a line a time in a terminal`() throws {
        let k = try #require(Measure.named("cohorts.joined_30"))
        let asked = try request("from=2026-09-01&to=2026-11-30&per=month", k.name)
        var numbers = MeasuredNumbers(
            [("2026-09-02", sum(4)), ("2026-10-02", sum(30)), ("2026-11-02", sum(1))], asked, of: k, least: 1)
        let base = [("2026-09-02", sum(10)), ("2026-10-02", sum(20)), ("2026-11-02", sum(20))]
        let signUps = try #require(Measure.named("people.sign_ups"))
        numbers.base = .init(
            measure: signUps.name,
            series: MeasuredNumbers(base, asked, of: signUps, least: 1).total)
        let svg = numbers.picture(of: k, asked, CountPolicy(), .english, width: 720).svg
        for text in ["Share of sign-ups: 70%", ">still growing<", "Nov 2026 5%.", ">150%<"] {
            #expect(svg.contains(text), "\(text): \(svg)")
        }
        let text = NumbersResponse(numbers, of: k, asked, CountPolicy()).text
        #expect(
            text.hasSuffix(
                """
                70% of people.sign_ups (50)
                still growing from 2026-10-01 on

                time            of  share
                2026-09-01   4  10    40%
                2026-10-01  30  20   150%
                2026-11-01   1  20     5%
                """), "\(text)")
        let time = try #require(Measure.named("invites.time_to_share"))
        let days = try request("from=2026-11-20&to=2026-11-22", time.name)
        let took = MeasuredNumbers(
            [
                ("2026-11-20", sum(4, .seconds, ["59": 3, "3444": 1])),
                ("2026-11-22", sum(1, .seconds, ["172800": 1])),
            ], days, of: time, least: 1)
        let drawn = took.picture(of: time, days, CountPolicy(), .japanese, width: 720).svg
        for text in ["かかった時間", "9割: 2日", "2026年11月21日: 半数: 59秒 –", ">2日<"] {
            #expect(drawn.contains(text), "\(text): \(drawn)")
        }
        let printed = NumbersResponse(took, of: time, days, CountPolicy()).text
        #expect(
            printed.contains("2026-11-20  4  59 seconds   57 minutes\n2026-11-21  0           –"),
            "\(printed)")
    }
}
