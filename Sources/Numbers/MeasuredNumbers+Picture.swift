import Charts
import Counts
import Kernel
import Web

extension MeasuredNumbers {
    /// Draws the numbers by this table:
    ///
    /// | divided | times | chart |
    /// |---|---|---|
    /// | no | any | bars, or a line with an area if bars would be too narrow |
    /// | yes | one | a row for each value |
    /// | yes | several | bars that stand on each other, or areas |
    /// | by units that do not add up | any | a chart for each value, as if it stood alone |
    ///
    /// Levels are areas instead of bars. Below undivided numbers stand lines of their share, and of how long
    /// it took.
    func picture(
        of measure: Measure, _ request: NumbersRequest, _ policy: CountPolicy, _ words: ChartWords,
        width: Int
    ) -> ChartPicture {
        let names = NumbersWords(words)
        let charts: [any Chart]
        var notes = [words.span(request.span.first, request.span.last)]
        if let dimension = request.by, let others, let unknown, times.count == 1 {
            charts = [
                RowChart(
                    values: series.map { (names.name(of: $0.value ?? "", dimension), $0.total ?? 0) },
                    others: others.total ?? 0, unknown: unknown.total ?? 0, words)
            ]
        } else {
            let overTime = timeCharts(of: measure, request, names, words)
            notes += overTime.prefix(1).map { $0.per(words) }
            charts = overTime + courses(of: measure, request, names, words)
        }
        notes.append(policy.zoneName)
        if let only = request.only {
            notes.append(
                "\(names.name(of: only.dimension)): \(names.name(of: only.value, only.dimension))")
        }
        if let tag = request.tag { notes.append("#\(tag.text)") }
        notes += request.filters.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            "\(names.name(of: $0)): \(names.name(of: $1, $0))"
        }
        switch request.part {
        case .everything: break
        case .domain(let text), .link(let text): notes.append(text)
        }
        if let linksLeftOut, linksLeftOut > 0 { notes.append(names.leftOut(linksLeftOut)) }
        if reason != nil { notes.append(names.distinct(measure.distinct ?? .day)) }
        if let unfinished { notes.append(words.unfinished(times[unfinished], request.per)) }
        return ChartPicture(
            title: names.title(of: measure, by: request.by), figure: total.total?.grouped, notes: notes,
            charts: charts, words, width: width)
    }

    private func timeCharts(
        of measure: Measure, _ request: NumbersRequest, _ names: NumbersWords, _ words: ChartWords
    ) -> [TimeChart] {
        func chart(_ chart: TimeChart) -> TimeChart {
            var chart = chart
            (chart.unfinished, chart.addsUp) = (unfinished, measure.distinct == nil)
            return chart
        }
        let form: TimeChart.Form = measure.counting == .levels ? .levels : .stacked
        func alone(_ series: Series, title: String = "") -> TimeChart {
            let one = TimeChart.Series(names.name(of: measure), series.counts, look: 0)
            return chart(TimeChart(title: title, times: times, unit: request.per, series: [one], form: form))
        }
        guard let dimension = request.by, !series.isEmpty || others != nil else { return [alone(total)] }
        guard let others, let unknown else {
            return series.map { one in
                alone(one, title: names.name(of: one.value ?? "", dimension))
            }
        }
        return [
            chart(
                TimeChart(
                    times: times, unit: request.per,
                    values: series.map { (names.name(of: $0.value ?? "", dimension), $0.counts) },
                    others: others.counts, unknown: unknown.counts, form: form, words))
        ]
    }

    /// The lines of the share of each time, and of how long it took.
    private func courses(
        of measure: Measure, _ request: NumbersRequest, _ names: NumbersWords, _ words: ChartWords
    ) -> [TimeChart] {
        guard request.by == nil, times.count > 1 else { return [] }
        var charts: [TimeChart] = []
        if let base, let whole = base.series {
            let (shares, name) = (shares, names.share(of: base.measure))
            let all = share.map { _ in words.share(total.total ?? 0, of: whole.total ?? 0) }
            let parts = times.indices.map { shares[$0] == nil ? nil : total.counts[$0] }
            let wholes = times.indices.map { shares[$0] == nil ? 0 : whole.counts[$0] ?? 0 }
            var chart = TimeChart(
                title: [name, all].compactMap(\.self).joined(separator: ": "), times: times,
                unit: request.per, series: [.init(name, parts, look: 0)], form: .rate(of: wholes))
            chart.mark = unfinished.map { ($0, words.growing) }
            charts.append(chart)
        }
        if let quantiles {
            let series = [
                (names.median, quantiles.median, quantiles.medians),
                (names.p90, quantiles.p90, quantiles.p90s),
            ].enumerated().map { look, line in
                TimeChart.Series("\(line.0): \(words.duration(line.1))", line.2, look: look)
            }
            charts.append(
                TimeChart(
                    title: names.duration, times: times, unit: request.per, series: series, form: .durations))
        }
        return charts
    }
}
