import Foundation
import Testing

@testable import AppTesting
@testable import Counts

/// How a sum divides.
struct CountPartsTests {
    private func parts(_ counts: [String: Int64]) -> CountParts { CountParts([.source: counts]) }

    @Test func `the most frequent values stay, and the others are summed`() {
        var parts = parts(["a": 5, "b": 1, "c": 9, "d": 1, "e": 2])
        parts.bound(to: 3, rising: 0)
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
        #expect(values.count == CountParts.mostValues + CountParts.mostRising)
        #expect(values.values.reduce(0, +) + (kept.others[.source] ?? 0) == 1_000_043)
    }

    @Test func `a value that becomes frequent after all others has a place, and its count is never too high`()
    {
        // A hundred values have all places, and then others come, each more often than one of those.
        var kept = parts(Dictionary(uniqueKeysWithValues: (0..<100).map { ("old\($0)", 30) }))
        for part in 1...40 {
            var new = Dictionary(uniqueKeysWithValues: (0..<200).map { ("x\(part)-\($0)", Int64(1)) })
            new["spring"] = 20
            kept.merge(parts(new))
            kept.bound()
        }
        #expect(kept.values[.source]?["spring"] == 800)
        #expect(kept.values[.source]?["old7"] == 30)
    }

    /// Sums of values of which few are frequent, in parts that are merged in any order, as days and servers
    /// are.
    @Test func `no count is too high, and whatever is more than a fiftieth of all has a place`() {
        var random = SeededGenerator()
        for _ in 0..<20 {
            var truth: [String: Int64] = [:]
            var sums: [CountParts] = []
            for part in 0..<30 {
                var counts: [String: Int64] = [:]
                for _ in 0..<Int.random(in: 1...800, using: &random) {
                    // Some values end, and others begin.
                    let place = Int(exp(Double.random(in: 0...8, using: &random)))
                    counts["v\(place < 20 ? place + part / 10 * 20 : place)", default: 0] += 1
                }
                truth.merge(counts, uniquingKeysWith: +)
                sums.append(parts(counts))
                while sums.count > Int.random(in: 1...4, using: &random) {
                    var one = sums.remove(at: .random(in: sums.indices, using: &random))
                    one.merge(sums.remove(at: .random(in: sums.indices, using: &random)))
                    one.bound()
                    sums.append(CountParts(json: one.json) ?? CountParts())
                }
            }
            let all = sums.reduce(into: CountParts()) { $0.merge($1) }
            let (values, missed) = (all.values[.source] ?? [:], all.missed[.source] ?? [:])
            let total = truth.values.reduce(0, +)
            #expect(values.values.reduce(0, +) + (all.others[.source] ?? 0) == total)
            #expect((missed[""] ?? 0) <= total / 50)
            let wrong = truth.filter { value, count in
                guard let told = values[value] else { return count > missed[""] ?? 0 }
                return told > count || told + (missed[value] ?? 0) < count
            }
            #expect(wrong.isEmpty, "\(wrong)")
        }
    }

    @Test(arguments: [
        ("cafe\u{301}", "caf\u{e9}"), (" \u{3000}spring ", "spring"), ("\u{3164}", ""), ("   ", ""),
        ("a\u{FFFE}b", "ab"), ("f\u{202E}air\u{1B}", "fair"), ("春の祭り", "春の祭り"), ("\u{301}x", "\u{301}x"),
        (String(repeating: "x", count: 200), String(repeating: "x", count: 128)),
    ])
    func `a value is kept in one spelling, without what nobody sees`(given: String, kept: String) {
        #expect(Array(CountParts.plain(given).unicodeScalars) == Array(kept.unicodeScalars))
    }

    @Test func `what is stored is read again, whatever the values are`() {
        var parts = CountParts([
            .source: ["\"": 1, "\\": 2, "日本": 3, " ": 4, "{}": 5], .platform: ["ios": DaySum.most],
        ])
        parts.bound(to: 3, rising: 1)
        #expect(CountParts(json: parts.json) == parts)
        #expect(CountParts(json: "{}") == CountParts())
    }

    @Test(arguments: [
        "", "[]", "{", "7", #"{"platform":[1]}"#, #"{"platform":{"ios":"x"}}"#, #"{"platform":{"ios":1.5}}"#,
        #"{"platform":{"ios":-1}}"#, #"{"platform":{"ios":1000000000000000}}"#,
        #"{"platform":{"ios":null}}"#,
    ])
    func `other texts are no parts`(text: String) {
        #expect(CountParts(json: text) == nil)
    }

    @Test func `a dimension that a later version stored is left out`() {
        #expect(
            CountParts(json: #"{"colour":{"red":1},"platform":{"ios":2}}"#)
                == CountParts([.platform: ["ios": 2]]))
    }

    @Test(arguments: [
        ("spring\t2027", "spring2027"), ("\u{1B}[31mred\u{7}", "[31mred"),
        ("a\r\n\u{85}\u{2028}\u{2029}b", "ab"),
        ("\u{202E}gnirps\u{202C}", "gnirps"), ("\u{2066}a\u{2069}\u{61C}\u{200E}", "a"),
        ("a\u{200B}\u{200D}\u{2060}\u{FEFF}\u{AD}b", "ab"), ("\u{202E}\u{0}", nil), ("春の祭り 🎪", "春の祭り 🎪"),
    ])
    func `of a value stays what people see`(value: String, kept: String?) {
        var parts = CountParts()
        parts.add(value, of: .campaign)
        #expect(parts.values[.campaign]?.keys.first == kept)
    }

    @Test func `a long value is cut`() {
        var parts = CountParts()
        parts.add(String(repeating: "あ", count: 100), of: .campaign)
        #expect(parts.values[.campaign]?.keys.map(\.count) == [42])
        parts.add("e" + String(repeating: "\u{301}", count: 5000), of: .medium)
        #expect(parts.values[.medium]?.keys.map(\.utf8.count) == [128])
    }
}
