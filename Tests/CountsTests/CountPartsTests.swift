import Testing

@testable import Counts

/// How a sum divides.
struct CountPartsTests {
    private func parts(_ counts: [String: Int64]) -> CountParts { CountParts([.source: counts]) }

    @Test func `the most frequent values stay, and the others are summed`() {
        var parts = parts(["a": 5, "b": 1, "c": 9, "d": 1, "e": 2])
        parts.bound(to: 3)
        #expect(parts.values[.source] == ["c": 9, "a": 5, "e": 2])
        #expect(parts.others[.source] == 2)
    }

    @Test func `a million values that somebody invents do not displace those of before`() {
        var kept = parts(["newsletter": 40, "poster": 3])
        for part in 0..<500 {
            kept.merge(parts(Dictionary(uniqueKeysWithValues: (0..<2000).map { ("x\(part)-\($0)", 1) })))
            kept.bound()
        }
        let values = kept.values[.source] ?? [:]
        #expect(values["newsletter"] == 40 && values["poster"] == 3)
        #expect(values.count == CountParts.mostValues)
        #expect(values.values.reduce(0, +) + (kept.others[.source] ?? 0) == 1_000_043)
    }

    @Test func `what is stored is read again, whatever the values are`() {
        var parts = CountParts([
            .source: ["\"": 1, "\\": 2, "日本": 3, " ": 4, "{}": 5], .platform: ["ios": .max],
        ])
        parts.bound(to: 4)
        #expect(CountParts(json: parts.json) == parts)
        #expect(CountParts(json: "{}") == CountParts())
    }

    @Test(arguments: ["", "[]", "{", #"{"platform":{"ios":"x"}}"#, #"{"platform":{"ios":1.5}}"#])
    func `other texts are no parts`(text: String) {
        #expect(CountParts(json: text) == nil)
    }

    @Test func `a dimension that a later version stored is left out`() {
        #expect(
            CountParts(json: #"{"colour":{"red":1},"platform":{"ios":2}}"#)
                == CountParts([.platform: ["ios": 2]]))
    }

    @Test func `a long value is cut`() {
        var parts = CountParts()
        parts.add(String(repeating: "あ", count: 100), of: .campaign)
        #expect(parts.values[.campaign]?.keys.map(\.count) == [42])
        parts.add("e" + String(repeating: "\u{301}", count: 5000), of: .medium)
        #expect(parts.values[.medium]?.keys.map(\.utf8.count) == [127])
    }
}
