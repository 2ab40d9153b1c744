import Foundation
import Testing

@testable import Charts
@testable import Web

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What pictures show, to eyes and to screen readers.
struct ChartPictureTests {
    private static func picture(_ chart: any Chart, _ words: ChartWords = .english, width: Int = 720)
        -> ChartPicture
    {
        ChartPicture(
            title: "Sign-ups", figure: "12", notes: ["Nov 2026"], charts: [chart], words, width: width)
    }

    private static let days = ["2026-11-22", "2026-11-23", "2026-11-24"]

    private static func time(_ series: [TimeChart.Series], _ form: TimeChart.Form = .stacked) -> TimeChart {
        TimeChart(times: days, unit: .day, series: series, form: form)
    }

    private static func parses(_ picture: ChartPicture) -> Bool {
        XMLParser(data: Data(picture.svg.utf8)).parse()
    }

    @Test func `whatever a value is, the picture is well formed and shows it as text`() {
        for name in [
            "<script>alert(1)</script>", "\"'&]]>", "a\u{1}b\u{FFFE}\u{FFFF}c", "\u{202E}tfel", "é\u{301}",
            String(repeating: "長い", count: 5000), "\n\t", "",
        ] {
            for chart: any Chart in [
                Self.time([.init(name, [1, 2, 3], look: 0), .init("b", [1, 0, 0], look: 1)]),
                RowChart(title: name, rows: [.init(name, 1)], form: .funnel),
                IntervalChart(rows: [.init(name, 0.2, in: (0.1, 0.3))]),
                AgeChart(series: [.init(name, [(1, 2), (2, 2)], look: 0, marks: [(1, name)])]),
            ] {
                var picture = Self.picture(chart)
                picture.title = name
                picture.notes = [name]
                #expect(Self.parses(picture), "\(name.prefix(40))")
                #expect(!picture.svg.contains("<script"))
            }
        }
    }

    @Test func `a screen reader hears the title, the main things and the numbers`() {
        let svg = Self.picture(Self.time([.init("Sign-ups", [2, 9, 1], look: 0)])).svg
        for text in [
            #"role="img" aria-labelledby="title description""#, #"<title id="title">Sign-ups</title>"#,
            "Total 12, Nov 2026. Most 9 on Nov 23, 2026.", "Nov 24, 2026: Total 1", #"lang="en""#,
        ] {
            #expect(svg.contains(text), "\(text): \(svg.prefix(900))")
        }
        let divided = Self.picture(
            Self.time([.init("iOS", [3, 0, 0], look: 0), .init("Android", [0, 1, 0], look: 1)]), .japanese)
        #expect(divided.svg.contains("iOS 75% (3)、Android 25% (1)。"))
        #expect(divided.svg.contains("2026年11月22日: iOS 3, Android 0, 合計 3"))
    }

    @Test func `series differ by pattern as well as by colour, and light differs from dark`() {
        let series = (0..<9).map { TimeChart.Series("v\($0)", [1, 1, 1], look: $0) }
        let svg = Self.picture(Self.time(series)).svg
        let tiles = svg.matches(of: /<pattern id="(p\d)"[^>]*>(.*?)<\/pattern>/).map(\.output.2)
        #expect(tiles.count == 9 && Set(tiles).count == 9)
        for look in 0..<9 { #expect(svg.contains("fill=\"url(#p\(look))\""), "\(look)") }
        #expect(svg.contains("@media(prefers-color-scheme:dark)"))
        #expect(svg.ranges(of: ".ground{fill:").count == 2)
    }

    @Test(arguments: [(1, true), (30, true), (62, true), (200, false), (366, false)])
    func `few times are bars, many are areas`(count: Int, isBars: Bool) {
        let chart = TimeChart(
            times: ChartRulesTests.days(count), unit: .day,
            series: [.init("a", Array(repeating: 3, count: count), look: 0)])
        #expect(Self.picture(chart).svg.contains("class=\"area") != isBars)
    }

    @Test func `a picture is bounded, whatever comes in`() {
        let days = ChartRulesTests.days(3660)
        let values = (0..<100).map { number in
            (name: "value \(number)", counts: (0..<3660).map { ($0 * 7919 + number) % 1000 })
        }
        let zeros = [Int](repeating: 0, count: 3660)
        let chart = TimeChart(
            times: days, unit: .day, values: values.map { ($0.name, $0.counts) }, others: zeros,
            unknown: zeros, .english)
        #expect(chart.series.count == 8 && chart.drawn.times.count <= TimeChart.mostTimes)
        let all: Int = values.map(\.counts).joined().reduce(0, +)
        let drawn: Int = chart.drawn.totals.reduce(0, +)
        #expect(drawn == all)
        #expect(chart.per(.english) == "per 10 days" && chart.per(.japanese) == "10日ごと")
        for width in [1, 320, 720, 100_000] {
            let picture = Self.picture(chart, width: width)
            #expect(picture.svg.utf8.count < 200_000 && Self.parses(picture))
        }
        let rows = RowChart(
            values: values.map { ($0.name, 5) }, others: 7, unknown: 2, .english)
        let sum: Int = rows.rows.map(\.count).reduce(0, +)
        #expect(rows.rows.count == RowChart.mostRows && sum == 509)
    }

    @Test func `what nobody may know is no zero: a table has a dash, and no line leads there`() {
        let chart = Self.time([.init("a", [nil, 3, 0], look: 0), .init("b", [nil, nil, 4], look: 1)])
        #expect(
            chart.table(.english).rows.map { Array($0.dropFirst()) } == [
                ["–", "–", "–"], ["3", "–", "3"], ["0", "4", "4"],
            ])
        let svg = Self.picture(chart).svg
        #expect(svg.contains("Nov 22, 2026: a –, b –, Total –") && Self.parses(Self.picture(chart)))
        let counts: [Int?] = Array(repeating: nil, count: 100) + Array(repeating: 5, count: 100)
        let long = TimeChart(
            times: ChartRulesTests.days(200), unit: .day, series: [.init("a", counts, look: 0)])
        let from = Self.picture(long).svg.firstMatch(of: #/class="area[^"]*" d="M([\d.]+) /#)
        #expect((from.flatMap { Double($0.output.1) } ?? 0) > 200, "it begins in the middle")
    }

    @Test func `numbers as large as there are do not overflow`() {
        let series = [Int.max, .max, 1]
        let chart = Self.time([.init("a", series, look: 0), .init("b", series, look: 1)])
        #expect(Self.parses(Self.picture(chart)) && chart.totals[0] == .max)
    }

    @Test(arguments: [
        [TimeChart.Series](), [.init("a", [0, 0, 0], look: 0)],
        [.init("a", [0, 0, 0], look: 0), .init("b", [0, 0, 0], look: 1)],
    ])
    func `without numbers it says so`(series: [TimeChart.Series]) {
        for form in [TimeChart.Form.stacked, .shares, .ratio(of: [0, 0, 0])] {
            let picture = Self.picture(Self.time(series, form))
            #expect(picture.svg.ranges(of: "Nothing was counted").count == 2 && Self.parses(picture))
        }
        let none = TimeChart(times: [], unit: .day, series: [])
        #expect(Self.parses(Self.picture(none)))
        #expect(Self.picture(RowChart(rows: [], form: .parts)).svg.contains("Nothing was counted"))
    }

    @Test func `a line of shares has gaps where there was nothing, and ends in a sentence`() {
        let chart = Self.time([.init("new", [1, 0, 3], look: 0)], .ratio(of: [8, 0, 4]))
        let svg = Self.picture(chart).svg
        #expect(svg.ranges(of: "<circle").count == 2 && svg.contains("Nov 24, 2026 75%."))
        #expect(chart.table(.english).rows.map { $0[1] } == ["13%", "–", "75%"])
    }

    @Test func `a point between gaps is seen, and so is a mark in a gap`() {
        let age = AgeChart(series: [
            .init("2.0", [(1, 2), (0, 0), (2, 2), (0, 0), (0, 0)], look: 0, marks: [(4, "ask")])
        ])
        let svg = Self.picture(age).svg
        // A dot at each point, one at the end of the line, and the ring.
        #expect(svg.ranges(of: "<circle").count == 4 && svg.contains(">ask<") && svg.contains(">4 days<"))
        let counts: [Int?] = (0..<200).map { $0 == 100 ? 1 : nil }
        for form in [TimeChart.Form.ratio(of: Array(repeating: 2, count: 200)), .durations] {
            let chart = TimeChart(
                times: ChartRulesTests.days(200), unit: .day, series: [.init("a", counts, look: 0)],
                form: form)
            #expect(Self.picture(chart).svg.ranges(of: "<circle").count == 1)
        }
    }

    @Test func `areas of shares and levels end at gaps, and do not fall to nothing`() {
        let counts: [Int?] = (0..<200).map { (50..<150).contains($0) ? nil : 5 }
        for form in [TimeChart.Form.levels, .stacked] {
            let chart = TimeChart(
                times: ChartRulesTests.days(200), unit: .day,
                series: [.init("a", counts, look: 0), .init("b", counts, look: 1)], form: form)
            let areas = Self.picture(chart).svg.matches(of: /d="(M[^"]*z)"><title>/).map(\.output.1)
            #expect(areas.count == 2 && areas.allSatisfy { $0.split(separator: "z").count == 2 }, "\(areas)")
        }
        let shares = TimeChart(
            times: ChartRulesTests.days(200), unit: .day,
            series: [.init("a", counts.map { $0 ?? 0 }, look: 0)], form: .shares)
        let path = Self.picture(shares).svg.firstMatch(of: /d="(M[^"]*z)"><title>/)?.output.1 ?? ""
        #expect(path.split(separator: "z").count == 2, "\(path)")
    }

    @Test func `levels of years are the last of each part, and medians stay as they are`() {
        let days = ChartRulesTests.days(3660)
        let chart = TimeChart(
            times: days, unit: .day, series: [.init("a", Array(0..<3660), look: 0)], form: .levels)
        #expect(chart.drawn.series[0].counts.prefix(2) == [9, 19])
        #expect(chart.summary(.english).hasPrefix("Latest 3,659 on "))
        let took = TimeChart(
            times: days, unit: .day, series: [.init("a", Array(repeating: 90_000, count: 3660), look: 0)],
            form: .durations)
        let picture = Self.picture(took)
        #expect(took.drawn.times.count == 3660 && Self.parses(picture) && picture.svg.utf8.count < 200_000)
    }

    @Test(arguments: 0..<30) func `the word of a mark is inside the picture`(day: Int) throws {
        var chart = TimeChart(
            times: ChartRulesTests.days(30), unit: .day,
            series: [.init("a", Array(repeating: 1, count: 30), look: 0)])
        chart.mark = (day, "start")
        let svg = chart.drawing(width: 320, .english).svg
        let word = try #require(
            svg.firstMatch(of: /<text class="soft" x="([\d.]+)" y="12"( text-anchor="end")?>start/))
        let x = try #require(Double(word.1))
        #expect(word.2 == nil ? x + 30 <= 320 : x - 30 >= 0, "\(word.0)")
    }

    @Test func `a funnel says what remains of its first step`() {
        let chart = RowChart(
            title: "Invites", rows: [.init("opened", 200), .init("signed up", 50), .init("friends", 0)],
            form: .funnel)
        #expect(chart.summary(.english) == "Invites: opened 100% (200), signed up 25% (50), friends 0% (0).")
        #expect(Self.picture(chart).svg.contains("50 · 25% · ↓ 25%"))
        #expect(chart.table(.english).rows[2] == ["friends", "0", "0%", "0%"])
        let late = RowChart(rows: [.init("opened", 0), .init("signed up", 3)], form: .funnel)
        #expect(late.summary(.english) == "opened – (0), signed up – (3).")
    }

    @Test func `lines from first days of their own end beside their names, with gaps and rings`() {
        let chart = AgeChart(series: [
            .init("2.0", [(1, 10), (0, 0), (9, 10)], look: 0, marks: [(2, "ask"), (7, "late"), (1, "gap")]),
            .init("1.0", [(1, 100), (50, 100), (75, 100), (90, 100)], look: 1, marks: []),
            .init("3.0", [], look: 2, marks: []),
        ])
        #expect(chart.summary(.english) == "2.0 90% (2 days), 1.0 90% (3 days).")
        #expect(chart.table(.english).rows[3] == ["3 days", "–", "90%", "–"])
        for width in [320, 720] {
            let svg = Self.picture(chart, width: width).svg
            #expect(svg.contains(">ask<") && !svg.contains(">late<") && svg.contains(">gap<"))
            #expect(svg.contains(">2.0 90%<") && svg.contains(">3 days<") && Self.parses(Self.picture(chart)))
        }
        let none = Self.picture(AgeChart(series: [.init("1.0", [(0, 0)], look: 0, marks: [])]))
        #expect(none.svg.contains("Nothing was counted") && Self.parses(none))
    }

    @Test func `an interval shows its bounds`() {
        let chart = IntervalChart(rows: [
            .init("b", 0.1, in: (0.08, 0.125)), .init("x", 2, in: (.nan, .infinity)),
        ])
        #expect(chart.summary(.english) == "b 10% (8–12.5%), x 100% (0–0%).")
        #expect(Self.parses(Self.picture(chart)))
    }

    @Test func `a share of which no interval is known shows none`() {
        let chart = IntervalChart(rows: [.init("control", 0.1), .init("warm", 0.14, in: (0.12, 0.16))])
        #expect(chart.summary(.english) == "control 10%, warm 14% (12–16%).")
        #expect(Self.picture(chart).svg.components(separatedBy: "v10M").count == 2)
        #expect(Self.parses(Self.picture(chart)))
    }

    @Test func `a table for pages has a caption, says what its heads are of, and is text`() {
        let chart = TimeChart(
            title: "Clicks <b>", times: ["2026-11-24"], unit: .day,
            series: [.init("iOS", [1200], look: 0), .init("\"", [1], look: 1)])
        #expect(
            chart.table(.english).html == """
                <table>
                <caption>Clicks &lt;b&gt;</caption>
                <thead><tr><th scope="col">From</th><th scope="col">iOS</th><th scope="col">&quot;</th><th scope="col">Total</th></tr></thead>
                <tbody>
                <tr><th scope="row">Nov 24, 2026</th><td>1,200</td><td>1</td><td>1,201</td></tr>
                </tbody>
                </table>
                """)
    }

    @Test func `no text runs off a narrow picture`() {
        for words in [ChartWords.english, .japanese] {
            for size in [320, 360, 720] {
                let series = (0..<9).map {
                    TimeChart.Series("a rather long name of a campaign \($0)", [5, 6, 7], look: $0)
                }
                let picture = Self.picture(Self.time(series), words, width: size)
                for text in picture.svg.matches(
                    of: /<text class="([a-z ]+)" x="([-\d.]+)" y="[\d.]+">([^<]*)</)
                {
                    let letters =
                        text.1 == "title"
                        ? 16.0 : text.1 == "figure" ? 32 : text.1.hasPrefix("name") ? 13 : 12
                    let end = (Double(text.2) ?? 0) + ChartText.width(text.3, letters)
                    #expect(end <= Double(size) + 1, "\(size): \(text.0)")
                }
            }
        }
    }

    @Test(arguments: [("", 720), ("width=320", 320), ("width=1600", 1600)])
    func `a picture is as wide as is asked for`(query: String, width: Int) throws {
        #expect(try ChartPicture.width(Query(query)) == width)
        for wrong in ["width=319", "width=1601", "width=x", "width=", "width=400&width=500"] {
            let problem = #expect(throws: Problem.self) { try ChartPicture.width(Query(wrong)) }
            #expect(problem?.field == "width")
        }
    }
}
