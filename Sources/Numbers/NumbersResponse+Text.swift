import Charts
import Counts
import Foundation
import Web

/// Numbers as text for a terminal.
extension NumbersResponse {
    /// Returns a value as a name that nobody takes for one of Kith's own.
    static func name(of value: String) -> String {
        let own = [
            "time", "total", "(others)", "(unknown)", "base", "share", "median", "p90", "unfinished",
            "linksLeftOut",
        ]
        return own.contains(value) ? "\"\(value)\"" : value
    }

    /// A line a value: its sum or last level, its share, and its course as a sparkline. Below them what is
    /// to be known of these, and a line a time if each has a share, or tells how long it took.
    var text: String {
        let words = ChartWords.english
        let known = Measure.named(measure)
        let named =
            (series ?? []).map { (Self.name(of: $0.value ?? ""), $0.total, $0.counts) }
            + (others.map { [("(others)", $0.total, $0.counts)] } ?? [])
            + (unknown.map { [("(unknown)", $0.total, $0.counts)] } ?? [])
        let isWhole = known?.addsUp ?? true || named.isEmpty
        let all = (isWhole ? [("total", total, counts)] : []) + named.filter { $0.2.contains { $0 ?? 0 > 0 } }
        let lines = all.map { name, sum, counts in
            // Different ones do not add up, but their sums tell how they divide.
            let whole = total ?? (by == nil ? 0 : Self.sum(self.counts))
            let share = words.share(sum ?? Self.sum(counts), of: whole)
            let course = Sparkline(counts, isLevel: known?.counting == .levels).text
            return [Self.text(sum), share, course, name.visible]
        }
        let heading = "\(from) – \(to), \(timeZone), per \(per)\(by.map { ", by \($0.rawValue)" } ?? "")"
        let facts = [
            shareText(words), quantiles?.text(words), reason, growingText, leftOutText, byTime(words),
        ]
        return """
            \(measure)\(known.map { ": \($0.summary)" } ?? "")
            \(heading)

            \(TextTable(lines, leading: [2, 3]).text)\(facts.compactMap(\.self).map { "\n\($0)" }.joined())
            """
    }

    private static func sum(_ counts: [Int?]) -> Int { counts.compactMap(\.self).reduce(0, +) }

    private static func text(_ count: Int?) -> String { count?.grouped ?? "–" }

    private func shareText(_ words: ChartWords) -> String? {
        base.map { base in
            if let reason = base.reason { return "no share: \(reason)" }
            guard base.share != nil, let total, let all = base.total else {
                return "– of \(base.measure) (\(Self.text(base.total)))"
            }
            return "\(words.share(total, of: all)) of \(base.measure) (\(all.grouped))"
        }
    }

    private var growingText: String? { unfinished.map { "still growing from \($0) on" } }

    private var leftOutText: String? {
        linksLeftOut.flatMap { $0 > 0 ? "without \($0.grouped) links that were clicked least" : nil }
    }

    /// A line a time. Nil if a time has nothing beside its number, or there is only one.
    private func byTime(_ words: ChartWords) -> String? {
        guard by == nil, times.count > 1 else { return nil }
        var columns = [["time"] + times, [""] + counts.map(Self.text)]
        if let base, base.reason == nil {
            columns.append(["of"] + base.counts.map(Self.text))
            columns.append(
                ["share"]
                    + times.indices.map { time in
                        guard base.shares[time] != nil, let count = counts[time] else { return "–" }
                        return words.share(count, of: base.counts[time] ?? 0)
                    })
        }
        if let quantiles {
            for (name, seconds) in [("half", quantiles.medians), ("nine tenths", quantiles.p90s)] {
                columns.append([name] + seconds.map { $0.map(words.duration) ?? "–" })
            }
        }
        guard columns.count > 2 || distinct != nil else { return nil }
        let rows = (0...times.count).map { row in columns.map { $0[row] } }
        return "\n\(TextTable(rows, leading: [0]).text)"
    }
}

extension MeasuredNumbers.Quantiles {
    func text(_ words: ChartWords) -> String {
        "half within \(words.duration(median)), nine tenths within \(words.duration(p90))"
    }
}
