import Web

/// Numbers over time: counts as bars or areas that stand on each other, their shares, levels, and lines.
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
    }

    package enum Form: Equatable, Sendable {
        /// Bars that stand on each other; areas if there are too many times for bars.
        case stacked
        /// The same, each time filled to 100%.
        case shares
        /// Areas that stand on each other, of what there was at the end of each time. Nobody sums these.
        case levels
        /// Lines of how much of these the series are.
        case ratio(of: [Int])
        /// The same of what may be far less or more than these, so that the axis fits the lines.
        case rate(of: [Int])
        /// Lines of how many seconds something took.
        case durations
    }

    package var title: String
    /// The first days of the times, oldest first.
    package private(set) var times: [String]
    package let unit: ChartUnit
    package private(set) var series: [Series]
    package private(set) var form: Form
    /// A time that is marked by a word.
    package var mark: (time: Int, word: String)?
    /// From which time on something may still be counted. Nil if all are over.
    package var unfinished: Int?
    /// Whether sums of its times say something.
    package var addsUp = true
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
        others: [Int?], unknown: [Int?], form: Form = .stacked, _ words: ChartWords
    ) {
        let shown = values.prefix(ChartStyle.looks).enumerated().map { Series($1.name, $1.counts, look: $0) }
        let rest = values.dropFirst(ChartStyle.looks).reduce(others) { zip($0, $1.counts).map(Self.known) }
        let all =
            shown + [
                Series(words.others, rest, look: Series.others),
                Series(words.unknown, unknown, look: Series.unknown),
            ]
        self.init(title: title, times: times, unit: unit, series: all.filter { $0.total > 0 }, form: form)
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

    var knownTotals: [Int?] {
        times.indices.map { time in series.reduce(nil) { Self.known($0, $1.counts[time]) } }
    }

    /// Of what lines are parts. Nil if they are of nothing.
    var wholes: [Int]? {
        switch form {
        case .ratio(let wholes), .rate(let wholes): wholes
        case .stacked, .shares, .levels, .durations: nil
        }
    }

    var isLines: Bool { wholes != nil || form == .durations }

    /// The height of a line. Nil where it has a gap.
    func value(of series: Series, _ time: Int) -> Double? {
        guard let count = series.counts[time] else { return nil }
        guard let wholes else { return Double(count) }
        return wholes[time] > 0 ? Double(count) / Double(wholes[time]) : nil
    }

    /// What a series is of all times together: its sum, or the last level.
    func amount(of series: Series) -> Int {
        form == .levels ? series.counts.compactMap(\.self).last ?? 0 : series.total
    }

    /// The chart with at most `mostTimes` times. Nobody can tell a median of others, so all of these stay.
    var drawn: TimeChart {
        let size = (times.count + Self.mostTimes - 1) / Self.mostTimes
        guard size > 1, form != .durations else { return self }
        let starts = Array(stride(from: 0, to: times.count, by: size))
        func merged(_ counts: [Int?]) -> [Int?] {
            starts.map { start in
                let part = counts[start..<min(start + size, counts.count)]
                return part.reduce(nil as Int?) { form == .levels ? $1 ?? $0 : Self.known($0, $1) }
            }
        }
        var chart = self
        chart.times = starts.map { times[$0] }
        for place in series.indices { chart.series[place].counts = merged(series[place].counts) }
        switch form {
        case .ratio(let wholes): chart.form = .ratio(of: merged(wholes).map { $0 ?? 0 })
        case .rate(let wholes): chart.form = .rate(of: merged(wholes).map { $0 ?? 0 })
        case .stacked, .shares, .levels, .durations: break
        }
        chart.mark?.time /= size
        chart.unfinished = unfinished.map { $0 / size }
        chart.merged = size
        return chart
    }

    /// Of how much time each number of the drawing is.
    package func per(_ words: ChartWords) -> String { words.per(unit, drawn.merged) }

    package func summary(_ words: ChartWords) -> String {
        words.sentence((title.isEmpty ? [] : [title]) + [main(words) ?? words.nothing])
    }

    /// The main things in a sentence. Nil if there is nothing.
    private func main(_ words: ChartWords) -> String? {
        if isLines {
            let last = times.indices.last { time in series.contains { value(of: $0, time) != nil } }
            return last.map { last in
                "\(words.time(times[last], unit)) \(words.list(series.map { self.text(of: $0, last, words) }))"
            }
        }
        let isKnown = form == .levels ? knownTotals.contains { $0 != nil } : totals.contains { $0 > 0 }
        guard isKnown else { return nil }
        let total = series.reduce(0) { Self.sum($0, amount(of: $1)) }
        if series.count > 1 || form == .shares {
            return words.list(
                series.filter { $0.total > 0 }.map {
                    let amount = amount(of: $0)
                    let share = words.share(amount, of: total)
                    return "\($0.name) \(addsUp ? words.counted(amount, of: total) : share)"
                })
        }
        guard times.count > 1 else { return total.grouped }
        if form == .levels, let time = knownTotals.lastIndex(where: { $0 != nil }) {
            return words.latest(total, on: words.time(times[time], unit))
        }
        let most = totals.max() ?? 0
        let time = totals.firstIndex(of: most).map { times[$0] } ?? ""
        return words.most(most, on: words.time(time, unit))
    }

    /// A number of a line as text.
    private func text(of series: Series, _ time: Int, _ words: ChartWords) -> String {
        guard let count = series.counts[time] else { return "–" }
        return wholes.map { words.share(count, of: $0[time]) } ?? words.duration(count)
    }

    package func table(_ words: ChartWords) -> ChartTable {
        if isLines {
            let rows = times.indices.map { time in
                [words.time(times[time], unit)] + series.map { self.text(of: $0, time, words) }
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
