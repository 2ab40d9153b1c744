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
            charts = overTime
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
        if !request.subject.isEmpty {
            notes.append(request.subject.split(separator: " ").last.map(String.init) ?? request.subject)
        }
        return ChartPicture(
            title: names.title(of: measure, by: request.by), figure: total.total?.grouped, notes: notes,
            charts: charts, words, width: width)
    }

    private func timeCharts(
        of measure: Measure, _ request: NumbersRequest, _ names: NumbersWords, _ words: ChartWords
    ) -> [TimeChart] {
        func alone(_ series: Series, title: String = "") -> TimeChart {
            let one = TimeChart.Series(names.name(of: measure), series.counts, look: 0)
            return TimeChart(title: title, times: times, unit: request.per, series: [one])
        }
        guard let dimension = request.by, !series.isEmpty || others != nil else { return [alone(total)] }
        guard let others, let unknown else {
            return series.map { one in
                alone(one, title: names.name(of: one.value ?? "", dimension))
            }
        }
        return [
            TimeChart(
                times: times, unit: request.per,
                values: series.map { (names.name(of: $0.value ?? "", dimension), $0.counts) },
                others: others.counts, unknown: unknown.counts, words)
        ]
    }
}
