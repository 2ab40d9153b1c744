import Web

/// Counts over time: bars or areas that stand on each other, their shares, or shares as lines.
package struct TimeChart: Chart {
    /// The counts of one value, one for each time.
    package struct Series: Equatable, Sendable {
        package var name: String
        /// Nil where nobody knows, or may know.
        package var counts: [Int?]
        /// Its look, from 0 on.
        package var look: Int

        package init(_ name: String, _ counts: [Int?], look: Int) {
            self.name = name
            self.counts = counts.map { count in count.map { max(0, $0) } }
            self.look = ChartStyle.look(look)
        }

        package static let others = ChartStyle.looks
        package static let unknown = ChartStyle.looks + 1

        var total: Int { counts.reduce(0) { TimeChart.sum($0, $1 ?? 0) } }

        /// From the first time that is known to the last.
        var known: Range<Int> {
            let first = counts.firstIndex { $0 != nil } ?? 0
            return first..<(counts.lastIndex { $0 != nil }.map { $0 + 1 } ?? first)
        }
    }

    package enum Form: Equatable, Sendable {
        /// Bars that stand on each other; areas if there are too many times for bars.
        case stacked
        /// The same, each time filled to 100%.
        case shares
        /// Lines of how much of these the series are.
        case ratio(of: [Int])
    }

    package var title: String
    /// The first days of the times, oldest first.
    package private(set) var times: [String]
    package let unit: ChartUnit
    package private(set) var series: [Series]
    package private(set) var form: Form
    /// A time that is marked by a word.
    package var mark: (time: Int, word: String)?
    /// How many times each number is the sum of.
    private(set) var merged = 1

    /// The most times that are drawn. More of them are summed to equally long ones.
    static let mostTimes = 400

    package init(
        title: String = "", times: [String], unit: ChartUnit, series: [Series], form: Form = .stacked
    ) {
        (self.title, self.times, self.unit) = (title, times, unit)
        (self.series, self.form) = (series, form)
    }

    /// - Parameters:
    ///   - values: most frequent first. Those beyond the looks that there are become others.
    ///   - others: the counts of all other values.
    ///   - unknown: the counts of what has no value.
    package init(
        title: String = "", times: [String], unit: ChartUnit, values: [(name: String, counts: [Int?])],
        others: [Int?], unknown: [Int?], _ words: ChartWords
    ) {
        let shown = values.prefix(ChartStyle.looks).enumerated().map { Series($1.name, $1.counts, look: $0) }
        let rest = values.dropFirst(ChartStyle.looks).reduce(others) { zip($0, $1.counts).map(Self.known) }
        let all =
            shown + [
                Series(words.others, rest, look: Series.others),
                Series(words.unknown, unknown, look: Series.unknown),
            ]
        self.init(title: title, times: times, unit: unit, series: all.filter { $0.total > 0 })
    }

    /// Adds as far as an integer goes.
    static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }

    /// Adds what is known. Nil if nothing is.
    private static func known(_ one: Int?, _ other: Int?) -> Int? {
        guard let one, let other else { return one ?? other }
        return sum(one, other)
    }

    /// What is known of each time altogether.
    var totals: [Int] { knownTotals.map { $0 ?? 0 } }

    private var knownTotals: [Int?] {
        times.indices.map { time in series.reduce(nil) { Self.known($0, $1.counts[time]) } }
    }

    /// The chart with at most `mostTimes` times.
    var drawn: TimeChart {
        let size = (times.count + Self.mostTimes - 1) / Self.mostTimes
        guard size > 1 else { return self }
        let starts = Array(stride(from: 0, to: times.count, by: size))
        func merged(_ counts: [Int?]) -> [Int?] {
            starts.map { counts[$0..<min($0 + size, counts.count)].reduce(nil, Self.known) }
        }
        var chart = self
        chart.times = starts.map { times[$0] }
        for place in series.indices { chart.series[place].counts = merged(series[place].counts) }
        if case .ratio(let wholes) = form { chart.form = .ratio(of: merged(wholes).map { $0 ?? 0 }) }
        chart.mark?.time /= size
        chart.merged = size
        return chart
    }

    /// Of how much time each number of the drawing is.
    package func per(_ words: ChartWords) -> String { words.per(unit, drawn.merged) }

    package func summary(_ words: ChartWords) -> String {
        let total = series.reduce(0) { Self.sum($0, $1.total) }
        let head = title.isEmpty ? [] : [title]
        if case .ratio(let wholes) = form {
            guard let last = times.indices.last(where: { wholes[$0] > 0 }) else {
                return words.sentence(head + [words.nothing])
            }
            let parts = series.map { words.share($0.counts[last] ?? 0, of: wholes[last]) }
            return words.sentence(head + ["\(words.time(times[last], unit)) \(words.list(parts))"])
        }
        guard total > 0 else { return words.sentence(head + [words.nothing]) }
        if series.count > 1 || form == .shares {
            let parts = series.filter { $0.total > 0 }.map {
                "\($0.name) \(words.counted($0.total, of: total))"
            }
            return words.sentence(head + [words.list(parts)])
        }
        let totals = totals
        guard times.count > 1, let most = totals.max(), let time = totals.firstIndex(of: most) else {
            return words.sentence(head + [total.grouped])
        }
        return words.sentence(head + [words.most(most, on: words.time(times[time], unit))])
    }

    package func table(_ words: ChartWords) -> ChartTable {
        if case .ratio(let wholes) = form {
            let rows = times.indices.map { time in
                [words.time(times[time], unit)]
                    + series.map { words.share($0.counts[time] ?? 0, of: wholes[time]) }
            }
            return ChartTable(caption: title, head: [words.time] + series.map(\.name), rows: rows)
        }
        let isDivided = series.count > 1
        let totals = knownTotals
        func text(_ count: Int?) -> String { count?.grouped ?? "–" }
        let rows = times.indices.map { time in
            [words.time(times[time], unit)]
                + (isDivided ? series.map { text($0.counts[time]) } : []) + [text(totals[time])]
        }
        let head = [words.time] + (isDivided ? series.map(\.name) : []) + [words.total]
        return ChartTable(caption: title, head: head, rows: rows)
    }
}
