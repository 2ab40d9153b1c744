import Testing

@testable import Charts

/// The rules of the drawing kit: ticks, numbers and days, room for texts.
struct ChartRulesTests {
    @Test(
        arguments: [
            (0, [0, 1]), (1, [0, 1]), (3, [0, 1, 2, 3]), (9, [0, 5, 10]), (11, [0, 5, 10, 15]),
            (40, [0, 10, 20, 30, 40]), (99, [0, 50, 100]), (1234, [0, 500, 1000, 1500]),
            (9e15, [0, 5e15, 1e16]),
        ] as [(Double, [Double])])
    func `ticks are round, from 0 to beyond the largest number`(most: Double, ticks: [Double]) {
        #expect(ChartScale(most: most).ticks == ticks)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("=1+1", "'=1+1"), ("＝1", "'＝1"),
        ("x\"\u{301},=cmd", "\"x\"\"\u{301},=cmd\""), ("comma,\u{301}two", "\"comma,\u{301}two\""),
        ("=\u{FE0F}1", "'=\u{FE0F}1"), ("a\r\nb", "\"a\r\nb\""),
    ])
    func `a text is one field of a table, and no formula`(text: String, field: String) {
        let written = CSV(name: "x", rows: [[text, "1"]]).text
        #expect(Array(written.utf8) == Array("\(field),1\r\n".utf8), "\(written)")
    }

    @Test func `there are two to five ticks, whatever the largest number is`() {
        for power in 0..<60 {
            let scale = ChartScale(most: Double(UInt64(1) << power) * 1.3)
            #expect((2...5).contains(scale.ticks.count) && scale.top >= Double(UInt64(1) << power) * 1.3)
        }
    }

    @Test(
        arguments: [
            (0, "0", "0"), (999, "999", "999"), (9999, "9,999", "9,999"), (12_000, "12k", "1.2万"),
            (1_500_000, "1.5M", "150万"), (340_000_000, "340M", "3.4億"), (5e12, "5T", "5兆"),
            (9e18, "9,000,000T", "9,000,000兆"),
        ] as [(Double, String, String)])
    func `numbers of an axis are short in each language`(number: Double, english: String, japanese: String) {
        #expect(ChartWords.english.short(number) == english)
        #expect(ChartWords.japanese.short(number) == japanese)
    }

    @Test(arguments: [
        (0, 0, "–"), (0, 5, "0%"), (1, 1000, "<1%"), (1, 3, "33%"), (999, 1000, "99%"), (7, 7, "100%"),
    ])
    func `a share is whole per cent, and only nothing is 0 and only all is 100`(
        part: Int, whole: Int, text: String
    ) {
        #expect(ChartWords.english.share(part, of: whole) == text)
    }

    @Test(arguments: [
        ("2026-11-01", "2026-11-24", "Nov 1 – Nov 24, 2026", "2026年11月1日 – 11月24日"),
        ("2025-12-30", "2026-01-02", "Dec 30, 2025 – Jan 2, 2026", "2025年12月30日 – 2026年1月2日"),
        ("2026-01-02", "2026-01-02", "Jan 2, 2026", "2026年1月2日"), ("x", "y", "x – y", "x – y"),
    ])
    func `days are written as each language does`(
        first: String, last: String, english: String, japanese: String
    ) {
        #expect(ChartWords.english.span(first, last) == english)
        #expect(ChartWords.japanese.span(first, last) == japanese)
    }

    @Test(arguments: [
        ("ja", "ja"), ("ja-JP,en;q=0.5", "ja"), ("fr,ja;q=0.3", "ja"), ("en-GB", "en"), ("fr", "en"),
        ("", "en"), ("ja;q=0", "en"),
    ])
    func `a picture speaks English and Japanese`(header: String, tag: String) {
        #expect(ChartWords.chosen(nil, acceptLanguage: header).tag == tag)
        #expect(ChartWords.chosen("ja", acceptLanguage: header).tag == "ja")
    }

    @Test func `a page in another language writes days so that nobody misreads them`() {
        let words = ChartWords.page("ar", total: "الكل", nothing: "0", time: "اليوم")
        #expect(words.time("2026-11-24") == "2026-11-24" && words.tick("2026-11-24") == "11-24")
        #expect(words.span("2026-11-24", "2026-11-25") == "2026-11-24 – 2026-11-25")
        #expect(ChartWords.page("ja", total: "", nothing: "", time: "").time("2026-11-24") == "2026年11月24日")
    }

    /// The days from 1 January on, of months with 30 days.
    static func days(_ count: Int) -> [String] {
        (0..<count).map { day in
            let (year, month) = (2020 + day / 360, day % 360 / 30 + 1)
            return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day % 30 < 9 ? "0" : "")\(day % 30 + 1)"
        }
    }

    @Test(
        arguments: [
            (1, ChartUnit.day, 600.0, ["Jan 1"]), (7, .day, 600, (1...7).map { "Jan \($0)" }),
            (
                30, .day, 600,
                [
                    "Jan 3", "Jan 6", "Jan 9", "Jan 12", "Jan 15", "Jan 18", "Jan 21", "Jan 24", "Jan 27",
                    "Jan 30",
                ]
            ),
            (30, .day, 250, ["Jan 2", "Jan 16", "Jan 30"]),
            (360, .day, 250, ["Jan 2020", "Jul"]), (1080, .day, 250, ["2020", "2021", "2022"]),
        ] as [(Int, ChartUnit, Double, [String])])
    func `days are labelled as there is room, up to the last; long spans by months and years`(
        count: Int, unit: ChartUnit, width: Double, texts: [String]
    ) {
        let axis = TimeAxis(Self.days(count), unit, width: width, .english)
        #expect(axis.labels.map(\.text) == texts)
    }

    @Test func `labels never run into one another`() {
        for words in [ChartWords.english, .japanese] {
            for count in [1, 2, 10, 31, 92, 93, 200, 400, 1000, 3660] {
                for width in [220.0, 320, 680, 1500] {
                    let labels = TimeAxis(Self.days(count), .day, width: width, words).labels
                    let place = width / Double(count)
                    for (one, next) in zip(labels, labels.dropFirst()) {
                        let room = Double(next.time - one.time) * place
                        let need =
                            (ChartText.width(one.text, 12) + ChartText.width(next.text, 12)) / 2
                        #expect(room > need, "\(count) \(width) \(one) \(next)")
                    }
                    #expect(!labels.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [
        ("short", 100.0, "short"), ("2026.11.25.14001", 70, "2026.…4001"), ("国別の長い名前です", 60, "国別…です"),
        ("", 10, ""), ("WWWW", 1, "…"),
    ])
    func `a text that is too wide is cut in its middle`(text: String, room: Double, fitted: String) {
        let found = ChartText.fitted(text, within: room, 12)
        #expect(found == fitted)
    }

    @Test func `a text of a megabyte is cut at once`() {
        let text = String(repeating: "x", count: 1_000_000)
        #expect(ChartText.fitted(text, within: 100, 12).count < 30)
    }

    @Test(arguments: [
        ([100.0, 100, 100], [100.0, 81, 62]), ([100, 90, 10], [100, 81, 19]), ([50, 20], [50, 20]),
        ([15, 12], [38, 19]), ([], []),
    ])
    func `names that would overlap move apart`(places: [Double], moved: [Double]) {
        #expect(ChartLegend.spread(places, apart: 19, from: 19, to: 100) == moved)
    }

    @Test(
        arguments: [
            ([], ""), ([0], "▁"), ([0, 1, 50, 100], "▁▂▅█"), ([5, 5], "██"), ([-3, 1], "▁█"),
            ([nil, 0, 5], "·▁█"), ([nil], "·"),
        ] as [([Int?], String)])
    func `a sparkline is a letter a number`(counts: [Int?], text: String) {
        #expect(Sparkline(counts).text == text)
    }

    @Test func `a sparkline of levels takes the last of each part`() {
        #expect(Sparkline([9, 0, 0, 9, nil, nil], isLevel: true, most: 3).text == "▁█·")
    }

    @Test(arguments: [
        ("ab", 2), ("春の祭り", 8), ("e\u{301}", 1), ("🎉", 2), ("👨‍👩‍👧", 2), ("حملة", 4), ("", 0), ("ﾊﾝｶｸ", 4),
    ])
    func `a terminal shows a text in so many columns`(text: String, width: Int) {
        #expect(TextTable.width(text) == width)
    }

    @Test func `columns of a terminal are below one another, also of wide letters`() {
        let table = TextTable([["春", "1", "x"], ["abc", "20"]], leading: [0, 2])
        #expect(table.text == "春    1  x\nabc  20")
    }

    @Test(arguments: [
        (0, "0 seconds", "0秒"), (119, "119 seconds", "119秒"), (120, "2 minutes", "2分"),
        (7200, "2 hours", "2時間"), (172_800, "2 days", "2日"),
    ])
    func `how long something took is whole units`(seconds: Int, english: String, japanese: String) {
        #expect(ChartWords.english.duration(seconds) == english)
        #expect(ChartWords.japanese.duration(seconds) == japanese)
    }

    @Test func `a sparkline of years has as many letters as have room, and a picture`() {
        let line = Sparkline(Array(repeating: 1, count: 3660))
        #expect(line.text.count <= 40 && line.svg.contains("aria-label="))
    }
}
